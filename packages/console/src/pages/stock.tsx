import { Badge } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Copy, Figure, Span, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { Compare } from './stock/compare.tsx'
import { OneSku } from './stock/one-sku.tsx'

type StockCopy = RowOf<'/admin/api/stock-copies'>

const route = getRouteApi('/stock')
const everyMs = 5_000
/** From which age on a copy is marked as old. */
const oldSeconds = 300

/** The gateway's copy of each warehouse's stock; compares one with the ERP on request, and one SKU at once. */
export function StockPage() {
  const t = useTexts()
  const { sku } = route.useSearch()
  return (
    <Page title={t('stock')} text={t('stock_text')}>
      <Filters search={{ sku }} fields={[{ name: 'sku', label: t('one_sku'), kind: 'text' }]} />
      {sku === undefined ? (
        <Copies />
      ) : (
        <>
          <OneSku key={sku} sku={sku} />
          <Section title={t('copies')}>
            <Copies />
          </Section>
        </>
      )}
    </Page>
  )
}

function Copies() {
  const t = useTexts()
  const query = useRead('/admin/api/stock-copies', {}, { everyMs })
  return (
    <DataList
      query={query}
      caption={t('stock')}
      columns={useCopyColumns()}
      rowKey={({ warehouse_code }) => warehouse_code}
      empty={<Empty title={t('stock_none')} text={t('stock_none_text')} />}
    />
  )
}

function useCopyColumns(): readonly Column<StockCopy>[] {
  const t = useTexts()
  return [
    {
      title: t('warehouse'),
      render: ({ warehouse_code, name, kind }) => (
        <span title={name}>
          <b>{warehouse_code}</b>{' '}
          {kind === 'company' && <span className="muted">{t('stock_kind_company')}</span>}
        </span>
      ),
    },
    {
      title: t('age'),
      render: ({ age_seconds }) => age_seconds !== null && <Age seconds={age_seconds} />,
      align: 'right',
    },
    { title: t('rows'), render: ({ rows }) => rows !== null && <Figure value={rows} />, align: 'right' },
    {
      title: t('version'),
      render: ({ version }) => version !== null && <span className="figure">{version}</span>,
      align: 'right',
    },
    { title: t('checksum'), render: ({ checksum }) => checksum !== null && <Checksum value={checksum} /> },
    { title: t('last_compare'), render: ({ last_compare_at: at }) => at !== null && <Time at={at} /> },
    {
      title: t('differences'),
      align: 'right',
      render: ({ last_differences: n }) =>
        n !== null && (
          <span data-bad={n > 0 || undefined}>
            <Figure value={n} />
          </span>
        ),
    },
    { title: t('actions'), align: 'right', render: (copy) => <Compare copy={copy} /> },
  ]
}

function Age({ seconds }: { readonly seconds: number }) {
  const t = useTexts()
  if (seconds < oldSeconds) return <Span seconds={seconds} />
  return (
    <Badge color="orange">
      {t('old')} · <Span seconds={seconds} />
    </Badge>
  )
}

const shownDigits = 8

function Checksum({ value }: { readonly value: string }) {
  return (
    <span className="id" title={value}>
      <span className="mono">{value.slice(0, shownDigits)}…</span>
      <Copy value={value} />
    </span>
  )
}
