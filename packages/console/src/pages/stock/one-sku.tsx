import { Alert, Badge, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ResultOf } from '../../api/client.ts'
import { useRead } from '../../api/hooks.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Section } from '../../parts/page.tsx'
import { Read } from '../../parts/states.tsx'
import { Figure, Money, Span, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Compare } from './compare.tsx'

type OneSkuResult = ResultOf<'/admin/api/stock-figures', 'get'>['data']
type Row = OneSkuResult['warehouses'][number]
type Published = NonNullable<Row['erp']>

/** While a comparison is requested, the figures are read again, because it may correct them. */
const comparingEveryMs = 3_000

/** One SKU: the gateway's figures beside the ERP's at this moment, by warehouse. */
export function OneSku({ sku }: { readonly sku: string }) {
  const t = useTexts()
  const query = useRead(
    '/admin/api/stock-figures',
    { query: { sku } },
    {
      everyMs: (result) =>
        (result?.data.warehouses ?? []).some((row) => row.compare_requested_at !== null) && comparingEveryMs,
    },
  )
  const again = (
    <>
      <Link to="/holds" search={{ sku }}>
        {t('holds_of_sku')}
      </Link>
      <Button
        variant="default"
        leftSection={<Icon name="refresh" />}
        loading={query.isFetching}
        onClick={() => void query.refetch()}
      >
        {t('read_again')}
      </Button>
    </>
  )
  return (
    <Section title={t('one_sku_title', { sku })} text={t('one_sku_text')} actions={again}>
      <Read query={query}>{({ data }) => <Figures found={data} />}</Read>
    </Section>
  )
}

function Figures({ found: { sku, warehouses, left_out } }: { readonly found: OneSkuResult }) {
  const t = useTexts()
  const isErpSilent = warehouses.some(({ erp_result }) => erp_result === 'no_response')
  const isUnknown = warehouses.every((row) => row.gateway === null && row.erp === null)
  return (
    <>
      {isErpSilent && (
        <Alert color="orange" title={t('erp_silent')} mb="sm" icon={<Icon name="warning" />}>
          {t('erp_silent_text')}
        </Alert>
      )}
      {isUnknown && !isErpSilent && <p className="muted">{t('sku_unknown', { sku })}</p>}
      <DataTable
        caption={t('one_sku_title', { sku })}
        columns={useFigureColumns()}
        rows={warehouses}
        rowKey={({ warehouse_code }) => warehouse_code}
        empty={null}
      />
      {left_out > 0 && <p className="muted">{t('warehouses_left_out', { n: left_out })}</p>}
    </>
  )
}

function useFigureColumns(): readonly Column<Row>[] {
  const t = useTexts()
  return [
    {
      title: t('warehouse'),
      render: ({ warehouse_code, name }) => <b title={name}>{warehouse_code}</b>,
    },
    { title: t('result'), render: (row) => <Verdict row={row} /> },
    { title: t('at_gateway'), render: (row) => <Published figure={row.gateway} other={row.erp} /> },
    {
      title: t('at_erp'),
      render: (row) => row.erp_result === 'ok' && <Published figure={row.erp} other={row.gateway} />,
    },
    {
      title: t('row_changed'),
      render: ({ gateway }) =>
        gateway && (
          <div>
            <Time at={gateway.updated_at} />
            <div className="muted">
              {t('version')} {gateway.version}
            </div>
          </div>
        ),
    },
    {
      title: t('age'),
      align: 'right',
      render: ({ age_seconds }) => age_seconds !== null && <Span seconds={age_seconds} />,
    },
    { title: t('actions'), align: 'right', render: (row) => <Compare copy={row} /> },
  ]
}

function Verdict({ row: { erp_result, differs } }: { readonly row: Row }) {
  const t = useTexts()
  if (erp_result !== 'ok') return <Badge color="orange">{t(`erp_${erp_result}`)}</Badge>
  if (differs === null) return <Badge color="gray">{t('not_read_yet')}</Badge>
  return <Badge color={differs ? 'red' : 'green'}>{t(differs ? 'figures_differ' : 'figures_same')}</Badge>
}

interface PublishedProps {
  readonly figure: Published | null
  /** The other side, whose different values are marked. */
  readonly other: Published | null
}

function Published({ figure, other }: PublishedProps) {
  const t = useTexts()
  if (figure === null) return <span className="muted">{t('sku_not_there')}</span>
  const mark = (name: keyof Published) => ({
    'data-bad': (other !== null && JSON.stringify(figure[name]) !== JSON.stringify(other[name])) || undefined,
  })
  return (
    <div>
      <span {...mark('quantity_available')}>
        <b>
          <Figure value={figure.quantity_available} />
        </b>{' '}
        {t('available')}
      </span>
      {' · '}
      <span {...mark('quantity_on_hand')}>
        <Figure value={figure.quantity_on_hand} /> {t('on_hand')}
      </span>
      <div className="muted">
        <span {...mark('price_wholesale')}>
          <Money amount={figure.price_wholesale} currency={figure.currency} />
        </span>
        {' · '}
        <span {...mark('incoming')}>
          {t('incoming', { n: figure.incoming.reduce((sum, { quantity }) => sum + quantity, 0) })}
        </span>
      </div>
    </div>
  )
}
