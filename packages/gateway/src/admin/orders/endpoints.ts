import { z } from 'zod'
import {
  codeField,
  cursorPaging,
  flag,
  instantField,
  period,
  sorting,
  toCursorPageSchema,
} from '../../contract/fields.ts'
import { dropshipOrder, dropshipStates } from '../../dropship/dropship-json.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { hold } from '../../holds/holds.ts'
import { order, orderStates } from '../../orders/order-json.ts'
import { requestTrace } from '../../requests/read.ts'
import { shipment } from '../../shipments/shipments.ts'
import { operatorsRequest } from '../requests/endpoints.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listAllOrders, orderKinds, readWholeOrder } from './read.ts'

const translations = { zh, ko }

/** The states of either kind of order. */
const states = [...new Set([...orderStates, ...dropshipStates])]

const summary = z
  .object({
    kind: z.enum(orderKinds),
    order_id: z.string(),
    channel_code: z.string(),
    account_id: z.string().nullable(),
    client_order_number: z.string().nullable(),
    serial_number: z.string().nullable(),
    status: z.enum(states),
    status_raw: z.string().nullable(),
    in_doubt: z.boolean(),
    warehouse_code: z.string().nullable(),
    skus: z.array(z.string()),
    quantity: z.int(),
    total: z.number().nullable(),
    currency: z.string().nullable(),
    tracking_number: z.string().nullable(),
    created_at: instantField,
    submitted_at: instantField.nullable(),
    cancelled_at: instantField.nullable(),
    updated_at: instantField,
  })
  .meta({ id: 'OrderSummary' })

const openWrite = z.object({
  kind: z.string(),
  reference: z.string(),
  request_id: z.string(),
  sent_at: instantField,
  looked_up_at: instantField.nullable(),
})

export const ordersList = endpoint({
  id: 'admin.orders.list',
  group: 'admin',
  summary: 'Search the orders of every channel',
  description:
    'Wholesale and drop-ship orders of every channel, newest first, without recipients. Drafts are listed; a drop-ship preview is found by its `client_order_number` only, or while its write is in doubt.',
  fields: {
    kind: '`order`: wholesale; `dropship`: drop-ship. Without it: both',
    order_id: 'The id of the wholesale or drop-ship order',
    channel_code: 'The channel',
    in_doubt: 'Whether a write on the order has no known outcome yet',
    skus: 'The SKUs of the order, at most 10',
    quantity: 'Units of all lines',
    total: 'The total of the costs in `currency`; null until the ERP has priced the order',
    since: 'Only orders created from this time on',
    until: 'Only orders created before this time',
  },
  translations,
  method: 'GET',
  path: '/admin/api/orders',
  access: 'admin',
  errors: [],
  params: {},
  query: {
    kind: z.enum(orderKinds).optional(),
    channel_code: codeField().optional(),
    status: z.enum(states).optional(),
    in_doubt: flag.optional(),
    client_order_number: codeField().optional(),
    ...period,
    ...sorting,
    ...cursorPaging,
  },
  result: toCursorPageSchema(summary),

  handle({ gateway, input }) {
    return listAllOrders(gateway, input)
  },
})

export const ordersRead = endpoint({
  id: 'admin.orders.read',
  group: 'admin',
  summary: 'Read an order of any channel',
  description:
    'One wholesale or drop-ship order with its recipient, shipments, holds, the requests that concerned it, and the events and webhook deliveries that followed. Requests and events go back as far as the request log is kept.',
  fields: {
    order_id: 'The id of the wholesale or drop-ship order',
    kind: 'Of the order: `order` or `dropship`. Of `open_write`: the kind of write',
    channel_code: 'The channel',
    reference: 'The reference by which the ERP knows the order. Of `open_write`: that of the write',
    order: 'The wholesale order; null for a drop-ship order',
    dropship_order: 'The drop-ship order; null for a wholesale order',
    open_write: 'The write whose outcome is not known yet; null without one',
    sent_at: 'When the write began',
    looked_up_at: 'When the gateway last looked the outcome up; null if it has not yet',
    shipments: 'The shipments of the order, oldest first',
    holds: 'Stock held for the order, newest first',
    requests: 'The requests that concerned the order, newest first, at most 100',
    events: 'The events about the order, oldest first, with their deliveries',
  },
  translations,
  method: 'GET',
  path: '/admin/api/orders/{order_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { order_id: z.string() },
  query: {},
  result: toDataSchema(
    z.object({
      kind: z.enum(orderKinds),
      channel_code: z.string(),
      reference: z.string(),
      order: order.nullable(),
      dropship_order: dropshipOrder.nullable(),
      open_write: openWrite.nullable(),
      shipments: z.array(shipment),
      holds: z.array(hold),
      requests: z.array(operatorsRequest),
      events: requestTrace.shape.events,
    }),
  ),

  async handle({ gateway, input }) {
    return { data: await readWholeOrder(gateway, input.order_id) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [ordersList, ordersRead] as const
