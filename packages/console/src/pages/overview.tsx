import { SegmentedControl } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useRead } from '../api/hooks.ts'
import { Page, Section } from '../parts/page.tsx'
import { Loading, Read } from '../parts/states.tsx'
import { Duration, Figure, Share, Span, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { Attention } from './overview/attention.tsx'
import { BarList } from './overview/bar-list.tsx'
import { type Overview, sortByAge } from './overview/overview.ts'

const HourCharts = lazy(() => import('../charts/hour-charts.tsx'))

const route = getRouteApi('/')
const ranges = ['1', '6', '24', '72', '168'] as const
const everyMs = 15_000
const defaultHours = '24'

/** How the gateway does, what waits for a person, and where the time and the points went. */
export function OverviewPage() {
  const t = useTexts()
  const navigate = route.useNavigate()
  const { hours } = route.useSearch()
  const chosen = ranges.find((range) => range === hours) ?? defaultHours
  const query = useRead('/admin/api/overview', { query: { hours: Number(chosen) } }, { everyMs })
  return (
    <Page
      title={t('overview')}
      text={query.data && <Period period={query.data.data.period} />}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('period')}
          value={chosen}
          data={ranges.map((value) => ({
            value,
            label: Number(value) < 72 ? t('hours', { n: value }) : t('days', { n: Number(value) / 24 }),
          }))}
          onChange={(value) => navigate({ search: { hours: value === defaultHours ? undefined : value } })}
        />
      }
    >
      <Read query={query} lines={12}>
        {({ data }) => <Figures overview={data} />}
      </Read>
    </Page>
  )
}

function Period({ period: { since, until } }: Pick<Overview, 'period'>) {
  return (
    <>
      <Time at={since} /> – <Time at={until} />
    </>
  )
}

function Figures({ overview }: { readonly overview: Overview }) {
  const t = useTexts()
  const { requests, webhooks, errors, channels, period } = overview
  const { since, until } = period
  const attempts = webhooks.delivered + webhooks.failed
  const stock = sortByAge(overview.stock)
  return (
    <>
      <div className="stats">
        <Stat name={t('requests')} to="/requests" search={{ since }}>
          <Figure value={requests.total} />
        </Stat>
        <Stat name={t('failed_share')} to="/requests" search={{ since, failed: 'true' }}>
          <Share part={requests.failed} of={requests.total} />
        </Stat>
        <Stat name={t('p95')} to="/requests" search={{ since }}>
          <Duration ms={requests.p95_ms} />
        </Stat>
        <Stat name={t('points')} to="/channels">
          <Figure value={requests.points} />
        </Stat>
        <Stat name={t('webhook_success')} to="/deliveries" search={{ since }}>
          <Share part={webhooks.delivered} of={attempts} />
        </Stat>
        <Stat name={t('oldest_stock')} to="/stock">
          <Age copy={stock[0]} />
        </Stat>
      </div>
      <Attention attention={overview.attention} />
      <Suspense fallback={<Loading lines={8} />}>
        <HourCharts series={overview.series} />
      </Suspense>
      <div className="columns" data-narrow>
        <Section title={t('errors_by_code')}>
          <BarList
            empty={t('errors_none')}
            rows={errors.map(({ code, count }) => ({
              name: code,
              value: count,
              href: { to: '/requests', search: { code, since, until } },
            }))}
          />
        </Section>
        <Section title={t('points_by_channel')}>
          <BarList
            empty={t('points_none')}
            rows={channels.map(({ channel_code: name, points, failures }) => ({
              name,
              value: points,
              note: failures > 0 ? t('of_them_failed', { n: failures }) : undefined,
              href: { to: '/requests', search: { channel_code: name, since, until } },
            }))}
          />
        </Section>
        <Section title={t('age_of_stock')}>
          <BarList
            empty={t('stock_none')}
            rows={stock.map((copy) => ({
              name: copy.warehouse_code,
              value: copy.age_seconds ?? 0,
              shown: <Age copy={copy} />,
              href: { to: '/stock' },
            }))}
          />
        </Section>
      </div>
    </>
  )
}

/** The age of a copy; a copy that was never read has none, which is not the age of zero. */
function Age({ copy }: { readonly copy: Overview['stock'][number] | undefined }) {
  const t = useTexts()
  return copy?.age_seconds === null ? t('not_read_yet') : <Span seconds={copy?.age_seconds} />
}

interface StatProps {
  readonly name: string
  readonly to: '/requests' | '/channels' | '/deliveries' | '/stock'
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}

function Stat({ name, to, search = {}, children }: StatProps) {
  return (
    <Link to={to} search={search} className="stat">
      <span className="stat-name">{name}</span>
      <span className="stat-value">{children}</span>
    </Link>
  )
}
