import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type NamedColumn, useColumns } from '../parts/columns.tsx'
import { DataList, rowLink } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { SortButton, toSort } from '../parts/sort.tsx'
import { Money, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { ErasePerson } from './order/erase-recipient.tsx'
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
  const { kind, status, in_doubt, sort: direction, ...search } = route.useSearch()
  const sort = toSort(direction)
  const columns = useColumns('orders', useOrderColumns())
  const query = useRead('/admin/api/orders', {
    query: {
      ...search,
      kind: kinds.find((each) => each === kind),
      status: states.find((each) => each === status),
      in_doubt: in_doubt === undefined ? undefined : in_doubt === 'true',
      sort,
      page_size: pageSize,
    },
  })
  return (
    <Page title={t('orders')} text={t('orders_text')} actions={<ErasePerson />}>
      <Filters
        search={{ kind, status, in_doubt, ...search }}
        fields={[
          { name: 'client_order_number', label: t('client_number'), kind: 'text' },
          { name: 'channel_code', label: t('channel'), kind: 'channel' },
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
      <div className="list-tools">
        <SortButton sort={sort} />
        {columns.menu}
      </div>
      <DataList
        query={query}
        caption={t('orders')}
        columns={columns.shown}
        sort={sort}
        rowKey={({ order_id }) => order_id}
        empty={<NoOrders channelCode={search.channel_code} number={search.client_order_number} />}
      >
        <CursorPager cursor={search.cursor} next={query.data?.next_cursor} sort={sort} />
      </DataList>
    </Page>
  )
}

function useOrderColumns(): readonly NamedColumn<Order>[] {
  const t = useTexts()
  return [
    {
      title: t('created'),
      isSorted: true,
      render: ({ created_at, order_id }) => (
        <Link to="/orders/$order_id" params={{ order_id }} {...rowLink}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { name: 'kind', title: t('kind'), render: ({ kind }) => t(`kind_${kind}`) },
    {
      name: 'state',
      title: t('state'),
      render: ({ status, in_doubt }) => (
        <span className="inline">
          <State value={status} />
          {in_doubt && <State value="in_doubt" />}
        </span>
      ),
    },
    { name: 'channel', title: t('channel'), render: ({ channel_code }) => channel_code },
    {
      name: 'client_number',
      title: t('client_number'),
      wraps: true,
      render: ({ client_order_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      name: 'erp_number',
      title: t('erp_number'),
      render: ({ serial_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      name: 'goods',
      title: t('goods'),
      fills: true,
      render: ({ skus, quantity }) => (
        <span title={skus.join(', ')}>
          <b className="figure">{quantity} ×</b> <span className="mono">{skus.join(', ')}</span>
        </span>
      ),
    },
    { name: 'account', isExtra: true, title: t('account'), render: ({ account_id }) => account_id },
    { name: 'warehouse', isExtra: true, title: t('warehouse'), render: (order) => order.warehouse_code },
    { name: 'erp_state', isExtra: true, title: t('erp_state'), render: ({ status_raw }) => status_raw },
    {
      name: 'tracking',
      isExtra: true,
      title: t('tracking'),
      render: ({ tracking_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      name: 'submitted',
      isExtra: true,
      title: t('submitted'),
      render: ({ submitted_at: at }) => at !== null && <Time at={at} />,
    },
    {
      name: 'total',
      title: t('total'),
      align: 'right',
      render: ({ total, currency }) => total !== null && <Money amount={total} currency={currency} />,
    },
  ]
}
