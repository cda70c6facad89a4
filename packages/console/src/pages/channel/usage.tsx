import { Link } from '@tanstack/react-router'
import type { ResultOf } from '../../api/client.ts'
import { useRead } from '../../api/hooks.ts'
import { type Column, DataList, DataTable } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { Empty, Read } from '../../parts/states.tsx'
import { Duration, Figure, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'
import { toRequestKey, useRequestColumns } from '../request/columns.tsx'

const pageSize = 20

type Reads = ResultOf<'/admin/api/channels/{channel_code}/reads', 'get'>['data']
type RouteReads = Reads['routes'][number]

interface OfChannel {
  readonly channelCode: string
}

/** What a channel did: its reads of a day and its newest failures. */
export function Usage({ channelCode }: OfChannel) {
  return (
    <>
      <Failures channelCode={channelCode} />
      <ReadsOfDay channelCode={channelCode} />
    </>
  )
}

/** Good reads, which the request log only counts. */
function ReadsOfDay({ channelCode }: OfChannel) {
  const t = useTexts()
  const query = useRead('/admin/api/channels/{channel_code}/reads', {
    params: { channel_code: channelCode },
    query: { hours: 24 },
  })
  return (
    <Section title={t('reads')} text={t('reads_text')}>
      <Read query={query} lines={4}>
        {({ data }) => <ReadsTable reads={data} />}
      </Read>
    </Section>
  )
}

function ReadsTable({ reads: { routes, busiest_minute: busiest } }: { readonly reads: Reads }) {
  const t = useTexts()
  const columns: readonly Column<RouteReads>[] = [
    { title: t('route'), render: ({ route }) => <span className="mono">{route}</span>, fills: true },
    { title: t('calls'), render: ({ calls }) => <Figure value={calls} />, align: 'right' },
    { title: t('points'), render: ({ points }) => <Figure value={points} />, align: 'right' },
    { title: t('mean_duration'), render: ({ mean_ms }) => <Duration ms={mean_ms} />, align: 'right' },
  ]
  return (
    <>
      {busiest && (
        <p className="muted">
          {t('busiest_minute')} <Time at={busiest.at} />: <Figure value={busiest.calls} /> {t('calls')},{' '}
          <Figure value={busiest.points} /> {t('points')}
        </p>
      )}
      <DataTable
        caption={t('reads')}
        columns={columns}
        rows={routes}
        rowKey={({ route }) => route}
        empty={<Empty title={t('reads_none')} text={t('reads_none_text')} />}
      />
    </>
  )
}

function Failures({ channelCode }: OfChannel) {
  const t = useTexts()
  const query = useRead('/admin/api/requests', {
    query: { channel_code: channelCode, failed: true, page_size: pageSize },
  })
  const link = (
    <Link to="/requests" search={{ channel_code: channelCode }}>
      {t('all_requests')}
    </Link>
  )
  return (
    <Section title={t('newest_failures')} actions={link}>
      <DataList
        query={query}
        caption={t('newest_failures')}
        columns={useRequestColumns()}
        rowKey={toRequestKey}
        empty={<Empty title={t('failures_none')} text={t('failures_none_text')} />}
      />
    </Section>
  )
}
