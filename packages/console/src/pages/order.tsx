import { Alert } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { useColumns } from '../parts/columns.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Facts, Page, Section } from '../parts/page.tsx'
import { Empty, Read } from '../parts/states.tsx'
import { Id, Money, State, Time } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { nameKind } from './doubt/kind.ts'
import { Settle } from './doubt/settle.tsx'
import { OrderLines } from './order/lines.tsx'
import { Recipient } from './order/recipient.tsx'
import { Shipments } from './order/shipments.tsx'
import type { WholeOrder } from './order/whole-order.ts'
import { toRequestKey, useRequestColumns } from './request/columns.tsx'
import { useEventColumns } from './request/event-columns.tsx'

const route = getRouteApi('/orders/$order_id')

/** One order of either kind with all that the gateway knows of it. */
export function OrderPage() {
  const t = useTexts()
  const { order_id } = route.useParams()
  const query = useRead('/admin/api/orders/{order_id}', { params: { order_id } })
  const kind = query.data?.data.kind
  return (
    <Page
      title={kind ? t(`kind_${kind}_title`) : t('order')}
      back={<Link to="/orders">{t('orders')}</Link>}
      text={<Id value={order_id} />}
    >
      <Read query={query} lines={12}>
        {({ data }) => <Story whole={data} orderId={order_id} />}
      </Read>
    </Page>
  )
}

function Story({ whole, orderId }: { readonly whole: WholeOrder; readonly orderId: string }) {
  const t = useTexts()
  const { open_write: open } = whole
  return (
    <>
      {open && (
        <Alert color="orange" title={t('open_write_title', { write: nameKind(open.kind, t) })} mb="md">
          <p className="no-margin">
            {t('open_write_text', { reference: open.reference })} <Time at={open.sent_at} form="full" />
          </p>
          <Settle documentId={orderId} write={open} />
        </Alert>
      )}
      <OrderFacts whole={whole} />
      <OrderLines whole={whole} />
      {whole.dropship_order && <Recipient order={whole.dropship_order} />}
      <Shipments shipments={whole.shipments} />
      <Holds holds={whole.holds} />
      <Trace whole={whole} />
    </>
  )
}

function OrderFacts({ whole }: { readonly whole: WholeOrder }) {
  const t = useTexts()
  const { channel_code, reference } = whole
  const document = whole.order ?? whole.dropship_order
  if (!document) return null
  return (
    <Facts
      rows={[
        [t('state'), <State key="state" value={document.status} />],
        [t('erp_state'), document.status_raw],
        [
          t('channel'),
          <Link key="channel" to="/channels/$channel_code" params={{ channel_code }}>
            {channel_code}
          </Link>,
        ],
        [t('account'), document.account_id],
        [t('client_number'), document.client_order_number],
        [t('erp_number'), whole.dropship_order?.serial_number],
        [t('reference'), <Id key="reference" value={reference} />],
        [t('warehouse'), document.warehouse_code],
        [
          t('total'),
          document.costs && <Money key="total" amount={document.costs.total} currency={document.currency} />,
        ],
        [t('paid'), t(document.paid ? 'yes' : 'no')],
        // That of a drop-ship order is with its recipient.
        ...(whole.order ? [[t('remark'), whole.order.remark] as const] : []),
        [t('created'), <Time key="created" at={document.created_at} form="full" />],
        [t('submitted'), <Time key="submitted" at={document.submitted_at} form="full" />],
        [t('cancelled'), <Time key="cancelled" at={document.cancelled_at} form="full" />],
      ]}
    />
  )
}

function Holds({ holds }: Pick<WholeOrder, 'holds'>) {
  const t = useTexts()
  if (holds.length === 0) return null
  return (
    <Section title={t('holds')}>
      <DataTable
        caption={t('holds')}
        rows={holds}
        rowKey={({ hold_id }) => hold_id}
        columns={[
          { title: t('hold'), render: ({ hold_id }) => <Id value={hold_id} /> },
          { title: t('state'), render: ({ status }) => <State value={`hold_${status}`} /> },
          { title: t('created'), render: ({ created_at }) => <Time at={created_at} /> },
          { title: t('expires'), render: ({ expires_at }) => <Time at={expires_at} /> },
        ]}
        empty={null}
      />
    </Section>
  )
}

/** The requests that concerned the order, and the events that followed. */
function Trace({ whole: { requests, events } }: { readonly whole: WholeOrder }) {
  const t = useTexts()
  const { shown: requestColumns } = useColumns('requests', useRequestColumns())
  const eventColumns = useEventColumns()
  return (
    <>
      <Section title={t('requests')} text={t('order_requests_text')}>
        <DataTable
          caption={t('requests')}
          columns={requestColumns}
          rows={requests}
          rowKey={toRequestKey}
          empty={<Empty title={t('order_requests_none')} text={t('order_requests_none_text')} />}
        />
      </Section>
      <Section title={t('events')} text={t('events_text')}>
        <DataTable
          caption={t('events')}
          columns={eventColumns}
          rows={events}
          rowKey={({ event_id }) => event_id}
          empty={<Empty title={t('events_none')} text={t('events_none_text')} />}
        />
      </Section>
    </>
  )
}
