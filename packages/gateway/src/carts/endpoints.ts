import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, paging, window, words } from '../contract/fields.ts'
import { orderLines } from '../operations/lines.ts'
import {
  cart,
  cartPage,
  cartStates,
  changeCart,
  checkOutCart,
  createCart,
  deleteCart,
  listCarts,
  readCart,
} from './carts.ts'

const cartId = { cart_id: z.string() }
const writeCost = 2
const goodsErrors = ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'] as const
const changeErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED', 'UPSTREAM_REJECTED', 'UPSTREAM_TIMEOUT'] as const

const cartBody = z.object({
  items: orderLines.optional(),
  warehouse_code: code().optional(),
  client_order_number: code().optional(),
  remark: words(500).optional(),
})

export const cartsCreate = endpoint({
  id: 'carts.create',
  method: 'POST',
  path: '/api/v1/carts',
  since: '1.4.0',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: goodsErrors,
  params: {},
  query: {},
  body: cartBody,
  optionalBody: true,
  result: dataOf(cart),
  status: 201,

  handle({ gateway, call, caller, input }) {
    return createCart(gateway, call, caller, input)
  },
})

export const cartsList = endpoint({
  id: 'carts.list',
  method: 'GET',
  path: '/api/v1/carts',
  since: '1.4.0',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(cartStates).optional() },
  result: cartPage,

  handle({ gateway, caller, input }) {
    return listCarts(gateway, caller, input)
  },
})

export const cartsRead = endpoint({
  id: 'carts.read',
  method: 'GET',
  path: '/api/v1/carts/{cart_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: cartId,
  query: {},
  result: dataOf(cart),

  handle({ gateway, caller, input }) {
    return readCart(gateway, caller, input.cart_id)
  },
})

export const cartsChange = endpoint({
  id: 'carts.change',
  method: 'PATCH',
  path: '/api/v1/carts/{cart_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  body: cartBody,
  result: dataOf(cart),

  handle({ gateway, call, caller, input }) {
    const { cart_id, ...body } = input
    return changeCart(gateway, call, caller, cart_id, body)
  },
})

export const cartsItems = endpoint({
  id: 'carts.items',
  method: 'PUT',
  path: '/api/v1/carts/{cart_id}/items',
  since: '1.4.0',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  body: z.object({ items: orderLines }),
  example: { items: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: dataOf(cart),

  handle({ gateway, call, caller, input }) {
    return changeCart(gateway, call, caller, input.cart_id, { items: input.items })
  },
})

export const cartsCheckout = endpoint({
  id: 'carts.checkout',
  method: 'POST',
  path: '/api/v1/carts/{cart_id}/checkout',
  since: '1.4.0',
  access: 'bearer',
  capability: 'carts.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  result: dataOf(cart),

  handle({ gateway, call, caller, input }) {
    return checkOutCart(gateway, call, caller, input.cart_id)
  },
})

export const cartsDelete = endpoint({
  id: 'carts.delete',
  method: 'DELETE',
  path: '/api/v1/carts/{cart_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: changeErrors,
  params: cartId,
  query: {},
  result: dataOf(cart),

  handle({ gateway, call, caller, input }) {
    return deleteCart(gateway, call, caller, input.cart_id)
  },
})
