import { Badge } from '@mantine/core'
import type { ResultOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { type Fact, Facts, Page, Section } from '../parts/page.tsx'
import { Empty, Read } from '../parts/states.tsx'
import { Duration, Figure, Span, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { PauseWrites, WritesFacts } from './upstream/pause.tsx'

type Upstream = ResultOf<'/admin/api/upstream', 'get'>['data']
type Operation = Upstream['operations'][number]

const everyMs = 5_000

/** The connection to the ERP: whether it responds, how fast, what it guarantees; pauses and resumes writes. */
export function UpstreamPage() {
  const t = useTexts()
  const query = useRead('/admin/api/upstream', {}, { everyMs })
  const upstream = query.data?.data
  return (
    <Page
      title={t('upstream')}
      text={t('upstream_text')}
      actions={upstream && <PauseWrites writes={upstream.writes} />}
    >
      <Read query={query}>{({ data }) => <Connection upstream={data} />}</Read>
    </Page>
  )
}

function Connection({ upstream }: { readonly upstream: Upstream }) {
  const t = useTexts()
  const { name, verdict, circuit, since, last_answer_seconds: age, left_out } = upstream
  return (
    <>
      <Facts
        rows={[
          [t('erp'), name],
          [
            t('responds'),
            <Badge key="verdict" color={verdictColours[verdict]}>
              {t(`verdict_${verdict}`)}
            </Badge>,
          ],
          [t('last_response'), age !== null && <Span key="age" seconds={age} />],
          [t('circuit'), <State key="circuit" value={`circuit_${circuit}`} />],
          [t('circuit_since'), <Time key="since" at={since} />],
          [t('left_out'), <Figure key="left_out" value={left_out} />],
        ]}
      />
      <Section title={t('writes')}>
        <WritesFacts writes={upstream.writes} />
      </Section>
      <Section title={t('guarantee')}>
        <p className="no-margin">
          <Guarantee upstream={upstream} />
        </p>
      </Section>
      <Operations operations={upstream.operations} since={upstream.measured_since} />
      <Capabilities capabilities={upstream.capabilities} />
    </>
  )
}

/** The guarantee of a write, with the time that it assumes; both are unknown until the ERP has been reached. */
function Guarantee({ upstream: { guarantee, capabilities } }: { readonly upstream: Upstream }) {
  const t = useTexts()
  if (!guarantee || !capabilities) return '–'
  return t(`guarantee_${guarantee.class}`, { ms: capabilities.max_request_ms })
}

const verdictColours = { answers: 'green', does_not_answer: 'red', not_asked_yet: 'gray' } as const

function Operations({
  operations,
  since,
}: {
  readonly operations: readonly Operation[]
  readonly since: string
}) {
  const t = useTexts()
  const columns: readonly Column<Operation>[] = [
    { title: t('operation'), render: ({ operation }) => <span className="mono">{operation}</span> },
    { title: t('calls'), render: ({ calls }) => <Figure value={calls} />, align: 'right' },
    {
      title: t('failures'),
      align: 'right',
      render: ({ failures }) => (
        <span data-bad={failures > 0 || undefined}>
          <Figure value={failures} />
        </span>
      ),
    },
    {
      title: t('median'),
      render: ({ p50_ms }) => p50_ms !== null && <Duration ms={p50_ms} />,
      align: 'right',
    },
    { title: t('p95'), render: ({ p95_ms }) => p95_ms !== null && <Duration ms={p95_ms} />, align: 'right' },
    {
      title: t('last_error'),
      render: ({ last_error }) =>
        last_error && (
          <span className="inline">
            <span className="mono">{last_error.result}</span>
            <Time at={last_error.at} />
          </span>
        ),
    },
  ]
  return (
    <Section
      title={t('operations')}
      text={t('operations_text')}
      actions={
        <span className="muted">
          {t('paused_at')} <Time at={since} />
        </span>
      }
    >
      <DataTable
        caption={t('operations')}
        columns={columns}
        rows={operations}
        rowKey={({ operation }) => operation}
        empty={<Empty title={t('operations_none')} />}
      />
    </Section>
  )
}

/** What the ERP says that it can do, by the names of the connector's protocol. */
function Capabilities({ capabilities }: Pick<Upstream, 'capabilities'>) {
  const t = useTexts()
  if (capabilities === null) return null
  const rows = Object.entries(capabilities).map(
    ([name, value]): Fact => [
      name,
      <span key={name} className="mono">
        {typeof value === 'object' ? JSON.stringify(value) : String(value)}
      </span>,
    ],
  )
  return (
    <Section title={t('capabilities')} text={t('capabilities_text')}>
      <Facts rows={rows} />
    </Section>
  )
}
