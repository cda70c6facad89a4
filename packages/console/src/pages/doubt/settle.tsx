import { Group } from '@mantine/core'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'
import { isCreating, nameKind } from './kind.ts'

interface SettleProps {
  readonly documentId: string
  readonly kind: string
  /** By which the ERP knows the write. It says which write is settled, if another one begins meanwhile. */
  readonly reference: string
}

/**
 * Settles a write by what a person found in the ERP: of a write that creates a document, whether the ERP has it; of one
 * that ends a document, which the ERP has in any case, whether it has ended.
 */
export function Settle({ documentId: document_id, kind, reference }: SettleProps) {
  const t = useTexts()
  const settle = useChange('post', '/admin/api/writes-in-doubt/{document_id}/settle')
  const finding = isCreating(kind) ? 'found' : 'done'
  const opposite = isCreating(kind) ? 'absent' : 'undone'
  const write = nameKind(kind, t)
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Action
        label={t(`settle_${finding}`)}
        variant="light"
        color="brand"
        title={t(`settle_${finding}_title`, { write, reference })}
        consequence={t(`settle_${finding}_text`)}
        run={(keyOf) =>
          settle.mutateAsync({ keyOf, params: { document_id }, body: { outcome: 'found', reference } })
        }
        done={t('settled')}
      />
      <Action
        label={t(`settle_${opposite}`)}
        variant="light"
        color="red"
        title={t(`settle_${opposite}_title`, { write, reference })}
        consequence={t(`settle_${opposite}_text`)}
        run={(keyOf) =>
          settle.mutateAsync({ keyOf, params: { document_id }, body: { outcome: 'absent', reference } })
        }
        done={t('settled')}
      />
    </Group>
  )
}
