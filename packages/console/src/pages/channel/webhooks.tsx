import { useRead } from '../../api/hooks.ts'
import { DataList } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useEndpointColumns } from '../webhook/endpoint-columns.tsx'

/** The webhook endpoints of one channel. */
export function Webhooks({ channelCode }: { readonly channelCode: string }) {
  const t = useTexts()
  const query = useRead('/admin/api/webhook-endpoints', { query: { channel_code: channelCode } })
  return (
    <DataList
      query={query}
      caption={t('webhooks')}
      columns={useEndpointColumns()}
      rowKey={({ endpoint_id }) => endpoint_id}
      empty={<Empty title={t('webhooks_none')} text={t('webhooks_none_text')} />}
    />
  )
}
