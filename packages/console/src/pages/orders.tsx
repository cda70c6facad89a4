import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type Column, DataList, rowLink } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { Money, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { NoOrders } from './order/no-orders.tsx'

type Order = RowOf<'/admin/api/orders'>

const route = getRouteApi('/orders')
const kinds = ['order', 'dropship'] as const satisfies readonly Order['kind'][]
const states = [
  'draft',
  'confirmed',
  'pending',
  'shipped',
  'intercepted',
  'cancelled',
] as const satisfies readonly Order['status'][]
const pageSize = 50

/** The wholesale and drop-ship orders of every channel, without recipients. */
export function OrdersPage() {
  const t = useTexts()
  const { kind, status, in_doubt, ...search } = route.useSearch()
  const query = useRead('/admin/api/orders', {
    query: {
      ...search,
      kind: kinds.find((each) => each === kind),
      status: states.find((each) => each === status),
      in_doubt: in_doubt === undefined ? undefined : in_doubt === 'true',
      page_size: pageSize,
    },
  })
  return (
    <Page title={t('orders')} text={t('orders_text')}>
      <Filters
        search={{ kind, status, in_doubt, ...search }}
        fields={[
          { name: 'client_order_number', label: t('client_number'), kind: 'text' },
          { name: 'channel_code', label: t('channel'), kind: 'text' },
          {
            name: 'kind',
            label: t('kind'),
            kind: 'choice',
            choices: kinds.map((value) => ({ value, label: t(`kind_${value}`) })),
          },
          {
            name: 'status',
            label: t('state'),
            kind: 'choice',
            choices: states.map((value) => ({ value, label: t(`state_${value}`) })),
          },
          {
            name: 'in_doubt',
            label: t('outcome'),
            kind: 'choice',
            choices: [{ value: 'true', label: t('outcome_unknown') }],
          },
          { name: 'since', label: t('since'), kind: 'time' },
          { name: 'until', label: t('until'), kind: 'time' },
        ]}
      />
      <DataList
        query={query}
        caption={t('orders')}
        columns={useOrderColumns()}
        rowKey={({ order_id }) => order_id}
        empty={<NoOrders channelCode={search.channel_code} number={search.client_order_number} />}
      >
        <CursorPager cursor={search.cursor} next={query.data?.next_cursor} />
      </DataList>
    </Page>
  )
}

function useOrderColumns(): readonly Column<Order>[] {
  const t = useTexts()
  return [
    {
      title: t('created'),
      render: ({ created_at, order_id }) => (
        <Link to="/orders/$order_id" params={{ order_id }} {...rowLink}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { title: t('kind'), render: ({ kind }) => t(`kind_${kind}`) },
    {
      title: t('state'),
      render: ({ status, in_doubt }) => (
        <span className="inline">
          <State value={status} />
          {in_doubt && <State value="in_doubt" />}
        </span>
      ),
    },
    { title: t('channel'), render: ({ channel_code }) => channel_code },
    {
      title: t('client_number'),
      wraps: true,
      render: ({ client_order_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      title: t('erp_number'),
      render: ({ serial_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      title: t('goods'),
      fills: true,
      render: ({ skus, quantity }) => (
        <span title={skus.join(', ')}>
          <b className="figure">{quantity} ×</b> <span className="mono">{skus.join(', ')}</span>
        </span>
      ),
    },
    {
      title: t('total'),
      align: 'right',
      render: ({ total, currency }) => total !== null && <Money amount={total} currency={currency} />,
    },
  ]
}
