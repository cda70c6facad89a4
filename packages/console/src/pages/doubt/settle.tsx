import { Group } from '@mantine/core'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'

interface SettleProps {
  readonly documentId: string
  /** By which the ERP knows the write. It says which write is settled, if another one begins meanwhile. */
  readonly reference: string
}

/** Settles a write by what a person found in the ERP. */
export function Settle({ documentId: document_id, reference }: SettleProps) {
  const t = useTexts()
  const settle = useChange('post', '/admin/api/writes-in-doubt/{document_id}/settle')
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Action
        label={t('settle_found')}
        variant="light"
        color="brand"
        title={t('settle_found_title', { reference })}
        consequence={t('settle_found_text')}
        run={() => settle.mutateAsync({ params: { document_id }, body: { outcome: 'found', reference } })}
        done={t('settled')}
      />
      <Action
        label={t('settle_absent')}
        variant="light"
        color="red"
        title={t('settle_absent_title', { reference })}
        consequence={t('settle_absent_text')}
        run={() => settle.mutateAsync({ params: { document_id }, body: { outcome: 'absent', reference } })}
        done={t('settled')}
      />
    </Group>
  )
}
