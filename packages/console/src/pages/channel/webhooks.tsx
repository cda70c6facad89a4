import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { DataList } from '../../parts/data-table.tsx'
import { CursorPager } from '../../parts/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useEndpointColumns } from '../webhook/endpoint-columns.tsx'

const route = getRouteApi('/channels/$channel_code')
const pageSize = 50

/** The webhook endpoints of one channel. */
export function Webhooks({ channelCode }: { readonly channelCode: string }) {
  const t = useTexts()
  const { cursor } = route.useSearch()
  const query = useRead('/admin/api/webhook-endpoints', {
    query: { channel_code: channelCode, cursor, page_size: pageSize },
  })
  return (
    <DataList
      query={query}
      caption={t('webhooks')}
      columns={useEndpointColumns()}
      rowKey={({ endpoint_id }) => endpoint_id}
      empty={<Empty title={t('webhooks_none')} text={t('webhooks_none_text')} />}
    >
      <CursorPager cursor={cursor} next={query.data?.next_cursor} />
    </DataList>
  )
}
