import { Badge } from '@mantine/core'
import type { RowOf } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'

interface CompareProps {
  readonly copy: Pick<RowOf<'/admin/api/stock-copies'>, 'warehouse_code' | 'compare_requested_at'>
}

/** Starts the full comparison of a warehouse, or says that one is requested. */
export function Compare({ copy: { warehouse_code, compare_requested_at } }: CompareProps) {
  const t = useTexts()
  const compare = useChange('post', '/admin/api/stock-copies/{warehouse_code}/compare')
  if (compare_requested_at !== null) return <Badge color="blue">{t('compare_requested')}</Badge>
  return (
    <Action
      label={t('compare')}
      title={t('compare_title', { warehouse: warehouse_code })}
      consequence={t('compare_text')}
      run={(keyOf) => compare.mutateAsync({ keyOf, params: { warehouse_code } })}
      done={t('compare_done')}
    />
  )
}
