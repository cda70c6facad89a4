import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { DataList } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { EmptyList } from '../parts/states.tsx'
import { useTexts } from '../texts/texts.ts'
import { useEndpointColumns } from './webhook/endpoint-columns.tsx'

const route = getRouteApi('/webhooks')
const pageSize = 50

/** The webhook endpoints of every channel, with what waits for each. */
export function WebhooksPage() {
  const t = useTexts()
  const { channel_code, cursor } = route.useSearch()
  const query = useRead('/admin/api/webhook-endpoints', {
    query: { channel_code, cursor, page_size: pageSize },
  })
  return (
    <Page
      title={t('webhooks')}
      text={t('webhooks_text')}
      actions={<Link to="/deliveries">{t('deliveries')}</Link>}
    >
      <Filters
        search={{ channel_code }}
        fields={[{ name: 'channel_code', label: t('channel'), kind: 'channel' }]}
      />
      <DataList
        query={query}
        caption={t('webhooks')}
        columns={useEndpointColumns()}
        rowKey={({ endpoint_id }) => endpoint_id}
        empty={
          <EmptyList filters={{ channel_code }} title={t('webhooks_none')} text={t('webhooks_none_text')} />
        }
      >
        <CursorPager cursor={cursor} next={query.data?.next_cursor} />
      </DataList>
    </Page>
  )
}
