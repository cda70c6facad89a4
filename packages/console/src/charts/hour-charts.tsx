/** The charts of the overview, one point an hour. They are loaded after the page, because their library is large. */

import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { locales } from '../parts/formats.ts'
import { useGo } from '../parts/go.ts'
import { Section } from '../parts/page.tsx'
import { Duration, Figure, Time } from '../parts/values.tsx'
import { writeSearch } from '../search.ts'
import { useLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/texts.ts'

export interface Hour {
  readonly at: string
  readonly calls: number
  readonly failures: number
  readonly gateway_ms: number | null
  readonly upstream_ms: number | null
  readonly webhooks_delivered: number
  readonly webhooks_failed: number
}

const hourMs = 3_600_000
const height = 200

export default function HourCharts({ series }: { readonly series: readonly Hour[] }) {
  const t = useTexts()
  const go = useGo()
  const language = useLanguage()
  const format = new Intl.DateTimeFormat(locales[language], {
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  })
  const data = series.map((hour) => ({
    ...hour,
    good: hour.calls - hour.failures,
    label: format.format(new Date(hour.at)),
  }))
  /** Opens what is behind the hour that was clicked. */
  const open = (path: string, filters: Readonly<Record<string, string>> = {}) => ({
    onClick: ({
      activeTooltipIndex,
    }: {
      readonly activeTooltipIndex?: number | string | null | undefined
    }) => {
      const hour = activeTooltipIndex == null ? undefined : series[Number(activeTooltipIndex)]
      if (hour) go(`${path}${writeSearch({ ...filters, ...toPeriod(hour) })}`)
    },
  })
  const shared = {
    h: height,
    data,
    dataKey: 'label',
    withLegend: true,
    legendProps: { verticalAlign: 'top' },
    gridAxis: 'x',
    tickLine: 'none',
  } as const
  return (
    <>
      <div className="columns" data-narrow>
        <Chart title={t('calls_by_hour')}>
          <BarChart
            {...shared}
            type="stacked"
            series={[
              { name: 'good', label: t('succeeded'), color: 'brand.4' },
              { name: 'failures', label: t('failed_ones'), color: 'red.6' },
            ]}
            barChartProps={open('/requests')}
            className="clickable"
          />
        </Chart>
        <Chart title={t('latency_by_hour')}>
          <BarChart
            {...shared}
            type="stacked"
            unit=" ms"
            series={[
              { name: 'gateway_ms', label: t('in_gateway'), color: 'brand.4' },
              { name: 'upstream_ms', label: t('erp_time'), color: 'orange.6' },
            ]}
            valueFormatter={(value) => String(Math.round(value))}
            barChartProps={open('/requests')}
            className="clickable"
          />
        </Chart>
        <Chart title={t('webhooks_by_hour')}>
          <BarChart
            {...shared}
            type="stacked"
            series={[
              { name: 'webhooks_delivered', label: t('succeeded'), color: 'brand.4' },
              { name: 'webhooks_failed', label: t('failed_ones'), color: 'red.6' },
            ]}
            barChartProps={open('/deliveries')}
            className="clickable"
          />
        </Chart>
      </div>
      <HourTable series={series} />
    </>
  )
}

function Chart({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Section title={title}>
      <div className="chart">{children}</div>
    </Section>
  )
}

/** The same figures as a table, for the keyboard and for readers that do not see charts. */
function HourTable({ series }: { readonly series: readonly Hour[] }) {
  const t = useTexts()
  return (
    <details className="hours">
      <summary>{t('hours_as_table')}</summary>
      <div className="table-frame">
        <table className="table">
          <thead>
            <tr>
              <th>{t('hour')}</th>
              <th data-align="right">{t('calls')}</th>
              <th data-align="right">{t('failures')}</th>
              <th data-align="right">{t('in_gateway')}</th>
              <th data-align="right">{t('erp_time')}</th>
              <th data-align="right">{t('webhooks_succeeded')}</th>
              <th data-align="right">{t('webhooks_failed')}</th>
            </tr>
          </thead>
          <tbody>
            {series.toReversed().map((hour) => (
              <tr key={hour.at}>
                <td data-label={t('hour')}>
                  <Link to="/requests" search={toPeriod(hour)}>
                    <Time at={hour.at} />
                  </Link>
                </td>
                <td data-label={t('calls')} data-align="right">
                  <Figure value={hour.calls} />
                </td>
                <td data-label={t('failures')} data-align="right">
                  <Figure value={hour.failures} />
                </td>
                <td data-label={t('in_gateway')} data-align="right">
                  <Duration ms={hour.gateway_ms} />
                </td>
                <td data-label={t('erp_time')} data-align="right">
                  <Duration ms={hour.upstream_ms} />
                </td>
                <td data-label={t('webhooks_succeeded')} data-align="right">
                  <Figure value={hour.webhooks_delivered} />
                </td>
                <td data-label={t('webhooks_failed')} data-align="right">
                  <Figure value={hour.webhooks_failed} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function toPeriod({ at }: Hour): { since: string; until: string } {
  return { since: at, until: new Date(Date.parse(at) + hourMs).toISOString() }
}
