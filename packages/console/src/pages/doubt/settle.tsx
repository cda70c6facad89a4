import { Group } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'
import { isCreating, nameKind } from './kind.ts'

interface SettleProps {
  readonly documentId: string
  readonly write: OpenWrite
}

interface OpenWrite {
  readonly kind: string
  /** By which the ERP knows the write. */
  readonly reference: string
  /** Tells the write from a later one of the document with the same reference. */
  readonly sent_at: string
}

const outcomes = [
  ['found', 'brand'],
  ['absent', 'red'],
] as const

type Outcome = (typeof outcomes)[number][0]

/**
 * Settles a write by what a person found in the ERP: of a write that creates a document, whether the ERP has it; of one
 * that ends a document, which the ERP has in any case, whether it has ended.
 */
export function Settle({ documentId: document_id, write }: SettleProps) {
  const t = useTexts()
  const settle = useChange('post', '/admin/api/writes-in-doubt/{document_id}/settle')
  // The dialog asks about the write for which it opened: one that has begun since does not take its place.
  const [asked, setAsked] = useState(write)
  const { kind, reference, sent_at } = asked
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {outcomes.map(([outcome, color]) => {
        const finding = toFinding(kind, outcome)
        return (
          <Action
            key={outcome}
            label={t(`settle_${toFinding(write.kind, outcome)}`)}
            confirm={t(`settle_${finding}`)}
            variant="light"
            color={color}
            title={t(`settle_${finding}_title`, { write: nameKind(kind, t), reference })}
            consequence={t(`settle_${finding}_text`)}
            onOpen={() => setAsked(write)}
            run={(keyOf) =>
              settle.mutateAsync({ keyOf, params: { document_id }, body: { outcome, reference, sent_at } })
            }
            done={t('settled')}
          />
        )
      })}
    </Group>
  )
}

/** The word for an outcome of a kind of write. */
function toFinding(kind: string, outcome: Outcome) {
  if (isCreating(kind)) return outcome
  return outcome === 'found' ? 'done' : 'undone'
}
