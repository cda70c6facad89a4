import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, paging, window } from '../contract/fields.ts'
import { previewFields } from '../operations/preview.ts'
import { newOrderBody, orderBody } from './body.ts'
import { changeOrder, createOrder } from './draft.ts'
import { previewOrder } from './preview.ts'
import { listOrders, readOrder } from './read.ts'
import { order, orderPage, orderStates, submittedOrder } from './shown.ts'
import { submitOrder } from './submit.ts'
import { voidOrder } from './void.ts'

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
  method: 'POST',
  path: '/api/v1/orders',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: goodsErrors,
  params: {},
  query: {},
  body: newOrderBody,
  example: { lines: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: dataOf(order),
  status: 201,

  handle({ gateway, call, caller, input }) {
    return createOrder(gateway, call, caller, input)
  },
})

export const ordersList = endpoint({
  id: 'orders.list',
  method: 'GET',
  path: '/api/v1/orders',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(orderStates).optional(),
    client_order_number: code().optional(),
  },
  result: orderPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listOrders(gateway, caller, input)
  },
})

export const ordersRead = endpoint({
  id: 'orders.read',
  method: 'GET',
  path: '/api/v1/orders/{order_id}',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: documentErrors,
  params: orderId,
  query: {},
  result: dataOf(order),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readOrder(gateway, caller, input.order_id)
  },
})

export const ordersChange = endpoint({
  id: 'orders.change',
  method: 'PATCH',
  path: '/api/v1/orders/{order_id}',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, 'OWNERSHIP_DENIED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: orderId,
  query: {},
  body: orderBody,
  result: dataOf(order),

  handle({ gateway, call, caller, input }) {
    const { order_id, ...body } = input
    return changeOrder(gateway, call, caller, order_id, body)
  },
})

export const ordersPreview = endpoint({
  id: 'orders.preview',
  method: 'POST',
  path: '/api/v1/orders/{order_id}/allocation-preview',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'SHIPPING_REQUIRED', 'AUTH_EXPIRED'],
  params: orderId,
  query: {},
  body: orderBody,
  optionalBody: true,
  result: dataOf(orderPreview),

  handle({ gateway, call, caller, input }) {
    const { order_id, ...body } = input
    return previewOrder(gateway, call, caller, order_id, body)
  },
})

export const ordersSubmit = endpoint({
  id: 'orders.submit',
  method: 'POST',
  path: '/api/v1/orders/{order_id}/submit',
  since: '1.2.0',
  access: 'bearer',
  capability: 'orders.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'SHIPPING_REQUIRED', 'AUTH_EXPIRED'],
  params: orderId,
  query: {},
  body: orderBody,
  optionalBody: true,
  result: dataOf(submittedOrder),

  handle({ gateway, call, caller, input }) {
    const { order_id, ...body } = input
    return submitOrder(gateway, call, caller, order_id, body)
  },
})

export const ordersVoid = endpoint({
  id: 'orders.void',
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
  result: dataOf(order),

  handle({ gateway, call, caller, input }) {
    return voidOrder(gateway, call, caller, input.order_id)
  },
})
