import { getRouteApi, Link } from '@tanstack/react-router'
import type { RowOf } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { type NamedColumn, useColumns } from '../parts/columns.tsx'
import { DataList, rowLink } from '../parts/data-table.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { CursorPager } from '../parts/pager.tsx'
import { SortButton, toSort } from '../parts/sort.tsx'
import { EmptyList } from '../parts/states.tsx'
import { Figure, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { RedeliverMany } from './webhook/redeliver-many.tsx'

type Delivery = RowOf<'/admin/api/webhook-deliveries'>

const states = [
  'pending',
  'delivered',
  'dead_letter',
  'cancelled',
] as const satisfies readonly Delivery['status'][]
const types = ['stock.changed', 'order.created', 'webhook.test'] as const
const pageSize = 50
const everyMs = 10_000
const deliveries = getRouteApi('/deliveries')
const deadLetters = getRouteApi('/dead-letters')

/** The webhook deliveries of every channel. */
export function DeliveriesPage() {
  const t = useTexts()
  return <Deliveries title={t('deliveries')} text={t('deliveries_text')} search={deliveries.useSearch()} />
}

/** The deliveries that the gateway has given up. */
export function DeadLettersPage() {
  const t = useTexts()
  const search = { ...deadLetters.useSearch(), status: 'dead_letter' }
  return <Deliveries title={t('dead_letters')} text={t('dead_letters_text')} search={search} isDead />
}

interface Search {
  readonly channel_code?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly event_id?: string | undefined
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly cursor?: string | undefined
  readonly sort?: string | undefined
}

interface DeliveriesProps {
  readonly title: string
  readonly text: string
  readonly search: Search
  readonly isDead?: boolean
}

function Deliveries({ title, text, search, isDead = false }: DeliveriesProps) {
  const t = useTexts()
  const status = states.find((state) => state === search.status)
  const sort = toSort(search.sort)
  const columns = useColumns('deliveries', useDeliveryColumns())
  const type = types.find((each) => each === search.type)
  const query = useRead(
    '/admin/api/webhook-deliveries',
    { query: { ...search, status, type, sort, page_size: pageSize } },
    { everyMs },
  )
  const { status: _status, sort: _sort, ...others } = search
  // Every dead letter has this state; it is no filter of their list.
  const filters = isDead ? { ...others } : { ...search }
  return (
    <Page
      title={title}
      text={text}
      actions={
        <RedeliverMany filters={{ ...others, type, status: isDead ? undefined : status }} isDead={isDead} />
      }
    >
      <Filters
        search={filters}
        fields={[
          ...(isDead
            ? []
            : [
                {
                  name: 'status',
                  label: t('state'),
                  kind: 'choice',
                  choices: states.map((value) => ({ value, label: t(`state_${value}`) })),
                } as const,
              ]),
          { name: 'channel_code', label: t('channel'), kind: 'channel' },
          { name: 'endpoint_id', label: t('endpoint_id'), kind: 'text' },
          { name: 'event_id', label: t('event_id'), kind: 'text' },
          {
            name: 'type',
            label: t('type'),
            kind: 'choice',
            choices: types.map((value) => ({ value, label: value })),
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
        caption={title}
        columns={columns.shown}
        sort={sort}
        rowKey={({ delivery_id }) => delivery_id}
        empty={
          <EmptyList
            filters={filters}
            title={t(isDead ? 'dead_letters_none' : 'deliveries_none')}
            text={t(isDead ? 'dead_letters_none_text' : 'deliveries_none_text')}
          />
        }
      >
        <CursorPager cursor={search.cursor} next={query.data?.next_cursor} sort={sort} />
      </DataList>
    </Page>
  )
}

function useDeliveryColumns(): readonly NamedColumn<Delivery>[] {
  const t = useTexts()
  return [
    {
      title: t('created'),
      isSorted: true,
      render: ({ created_at, delivery_id }) => (
        <Link to="/deliveries/$delivery_id" params={{ delivery_id }} {...rowLink}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { name: 'state', title: t('state'), render: ({ status }) => <State value={status} /> },
    { name: 'type', title: t('type'), render: ({ type }) => <span className="mono">{type}</span> },
    { name: 'channel', title: t('channel'), render: ({ channel_code }) => channel_code },
    {
      name: 'client_number',
      title: t('client_number'),
      render: ({ client_order_number: number }) => number && <span className="mono">{number}</span>,
    },
    {
      name: 'event',
      title: t('event'),
      render: ({ event_id }) => (
        <span className="mono" title={event_id}>
          {event_id}
        </span>
      ),
      fills: true,
    },
    {
      name: 'attempts',
      title: t('attempts'),
      render: ({ attempts }) => <Figure value={attempts} />,
      align: 'right',
    },
    {
      name: 'last_response',
      title: t('last_response'),
      render: ({ last_status, last_error }) => <span className="mono">{last_status ?? last_error}</span>,
    },
    {
      name: 'endpoint_id',
      isExtra: true,
      title: t('endpoint_id'),
      render: ({ endpoint_id }) => <span className="mono">{endpoint_id}</span>,
    },
    {
      name: 'last_attempt',
      isExtra: true,
      title: t('last_attempt'),
      render: ({ last_attempt_at: at }) => at !== null && <Time at={at} />,
    },
    {
      name: 'next_attempt',
      title: t('next_attempt'),
      render: ({ next_attempt_at: at }) => at !== null && <Time at={at} />,
    },
  ]
}
