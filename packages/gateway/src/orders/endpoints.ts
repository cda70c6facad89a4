import { z } from 'zod'
import { codeField, paging, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { previewFields } from '../ordering/preview.ts'
import { newOrderBody, orderBody } from './body.ts'
import { changeOrder, createOrder } from './draft.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { order, orderPage, orderStates, submittedOrder } from './order-json.ts'
import { previewOrder } from './preview.ts'
import { listOrders, readOrder } from './read.ts'
import { submitOrder } from './submit.ts'
import { voidOrder } from './void.ts'

const translations = { zh, ko }

const orderId = { order_id: z.string() }
const writeCost = 2
const goodsErrors = ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'] as const
const documentErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const writeErrors = ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'] as const

export const orderPreview = z
  .object({ order_id: z.string(), status: z.literal('draft'), ...previewFields })
  .meta({ id: 'OrderPreview' })

export const ordersCreate = endpoint({
  id: 'orders.create',
  group: 'orders',
  summary: 'Create a wholesale draft',
  description:
    'Creates a draft, which only the gateway knows: it holds no stock and is priced by the preview. Shipping can be set later; preview and submit require it. A SKU that the account may not order is refused at once.',
  translations,
  method: 'POST',
  path: '/api/v1/orders',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: goodsErrors,
  params: {},
  query: {},
  body: newOrderBody,
  example: { lines: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: toDataSchema(order),
  status: 201,

  handle({ input, ...context }) {
    return createOrder(context, input)
  },
})

export const ordersList = endpoint({
  id: 'orders.list',
  group: 'orders',
  summary: 'List wholesale orders',
  description:
    'Newest first, from the gateway’s own store, so that the list works while the ERP is away; `X-Data-Age` is the age of the data. Without dates: the last 30 days and every draft. A search by `client_order_number` is not limited by date.',
  translations,
  method: 'GET',
  path: '/api/v1/orders',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(orderStates).optional(),
    client_order_number: codeField().optional(),
  },
  result: orderPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listOrders(gateway, caller, input)
  },
})

export const ordersRead = endpoint({
  id: 'orders.read',
  group: 'orders',
  summary: 'Read a wholesale order',
  description:
    'One order with its lines, costs and state. `in_doubt`: a write on it has no known outcome yet and is being looked up.',
  translations,
  method: 'GET',
  path: '/api/v1/orders/{order_id}',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: [...documentErrors, 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'],
  params: orderId,
  query: {},
  result: toDataSchema(order),
  headers: ['X-Data-Age'],

  handle(context) {
    return readOrder(context, context.input.order_id)
  },
})

export const ordersChange = endpoint({
  id: 'orders.change',
  group: 'orders',
  summary: 'Change a wholesale draft',
  description: 'Replaces the fields that are sent; lines replace all lines. Only a draft can be changed.',
  translations,
  method: 'PATCH',
  path: '/api/v1/orders/{order_id}',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, 'OWNERSHIP_DENIED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: orderId,
  query: {},
  body: orderBody,
  result: toDataSchema(order),

  handle({ input, ...context }) {
    const { order_id, ...body } = input
    return changeOrder(context, order_id, body)
  },
})

export const ordersPreview = endpoint({
  id: 'orders.preview',
  group: 'orders',
  summary: 'Preview a wholesale order',
  description:
    'Returns the allocation, arrival and cost of the draft with the fields of the body. Changes nothing and holds no stock. A shortage is a result, not an error. Until `price_expires_at`, a submit of the same content is charged this total or refused with `price_changed`.',
  translations,
  method: 'POST',
  path: '/api/v1/orders/{order_id}/allocation-preview',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  businessSwitch: 'wholesale',
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'SHIPPING_REQUIRED', 'AUTH_EXPIRED'],
  params: orderId,
  query: {},
  body: orderBody,
  optionalBody: true,
  result: toDataSchema(orderPreview),

  handle({ input, ...context }) {
    const { order_id, ...body } = input
    return previewOrder(context, order_id, body)
  },
})

export const ordersSubmit = endpoint({
  id: 'orders.submit',
  group: 'orders',
  summary: 'Submit a wholesale order',
  description:
    'Allocates the stock and creates the order in the ERP in one step. A body replaces the draft’s fields. If stock is short, the submit is refused with the shortages, unless `allow_partial` reduces the lines. Submitting a confirmed order again returns the same order. After an unknown outcome, retry with the SAME `Idempotency-Key`: the order is looked up and never sent twice.',
  translations,
  method: 'POST',
  path: '/api/v1/orders/{order_id}/submit',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'SHIPPING_REQUIRED', 'AUTH_EXPIRED'],
  params: orderId,
  query: {},
  body: orderBody,
  optionalBody: true,
  result: toDataSchema(submittedOrder),

  handle({ input, ...context }) {
    const { order_id, ...body } = input
    return submitOrder(context, order_id, body)
  },
})

export const ordersVoid = endpoint({
  id: 'orders.void',
  group: 'orders',
  summary: 'Void a wholesale order',
  description:
    'Cancels a draft, or a confirmed order of which nothing has shipped, and releases the stock. Repeating the call returns the same document.',
  translations,
  method: 'DELETE',
  path: '/api/v1/orders/{order_id}',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, ...writeErrors],
  params: orderId,
  query: {},
  result: toDataSchema(order),

  handle({ input, ...context }) {
    return voidOrder(context, input.order_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  ordersCreate,
  ordersList,
  ordersRead,
  ordersChange,
  ordersPreview,
  ordersSubmit,
  ordersVoid,
] as const
