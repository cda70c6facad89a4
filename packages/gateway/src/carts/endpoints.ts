import { z } from 'zod'
import { codeField, paging, textField, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { cartItems } from '../ordering/lines.ts'
import {
  cancelCart,
  cart,
  cartPage,
  cartStates,
  changeCart,
  checkOutCart,
  createCart,
  listCarts,
  readCart,
} from './carts.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const cartId = { cart_id: z.string() }
const writeCost = 2
const goodsErrors = ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'] as const
const changeErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED', 'UPSTREAM_REJECTED', 'UPSTREAM_TIMEOUT'] as const

const cartBody = z.object({
  items: cartItems.optional(),
  warehouse_code: codeField().nullish(),
  client_order_number: codeField().nullish(),
  remark: textField(500).nullish(),
})

export const cartsCreate = endpoint({
  id: 'carts.create',
  group: 'carts',
  summary: 'Create a cart',
  description: 'A list of items to be ordered later. It shows prices and availability and holds no stock.',
  translations,
  method: 'POST',
  path: '/api/v1/carts',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: goodsErrors,
  params: {},
  query: {},
  body: cartBody,
  optionalBody: true,
  result: toDataSchema(cart),
  status: 201,

  handle({ input, ...context }) {
    return createCart(context, input)
  },
})

export const cartsList = endpoint({
  id: 'carts.list',
  group: 'carts',
  summary: 'List carts',
  description: 'Newest first. Without dates: the last 30 days and every open cart.',
  translations,
  method: 'GET',
  path: '/api/v1/carts',
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
  group: 'carts',
  summary: 'Read a cart',
  description: 'One cart with current prices and availability.',
  translations,
  method: 'GET',
  path: '/api/v1/carts/{cart_id}',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: cartId,
  query: {},
  result: toDataSchema(cart),

  handle({ gateway, caller, input }) {
    return readCart(gateway, caller, input.cart_id)
  },
})

export const cartsChange = endpoint({
  id: 'carts.change',
  group: 'carts',
  summary: 'Change a cart',
  description: 'Replaces the fields that are sent; items replace all items.',
  translations,
  method: 'PATCH',
  path: '/api/v1/carts/{cart_id}',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  body: cartBody,
  result: toDataSchema(cart),

  handle({ input, ...context }) {
    const { cart_id, ...body } = input
    return changeCart(context, cart_id, body)
  },
})

export const cartsItems = endpoint({
  id: 'carts.items',
  group: 'carts',
  summary: 'Replace a cart’s items',
  description: 'Replaces all items of an open cart. An empty list empties it.',
  translations,
  method: 'PUT',
  path: '/api/v1/carts/{cart_id}/items',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  body: z.object({ items: cartItems }),
  example: { items: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: toDataSchema(cart),

  handle({ input, ...context }) {
    return changeCart(context, input.cart_id, { items: input.items })
  },
})

export const cartsCheckout = endpoint({
  id: 'carts.checkout',
  group: 'carts',
  summary: 'Check a cart out',
  description:
    'Turns the cart into a wholesale draft and closes the cart. Repeating the call returns the same cart with the same `order_id`.',
  translations,
  method: 'POST',
  path: '/api/v1/carts/{cart_id}/checkout',
  access: 'bearer',
  capability: 'carts.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...changeErrors],
  params: cartId,
  query: {},
  result: toDataSchema(cart),

  handle({ input, ...context }) {
    return checkOutCart(context, input.cart_id)
  },
})

export const cartsDelete = endpoint({
  id: 'carts.delete',
  group: 'carts',
  summary: 'Cancel a cart',
  description: 'Cancels an open cart. Repeating the call returns the same cart.',
  translations,
  method: 'DELETE',
  path: '/api/v1/carts/{cart_id}',
  access: 'bearer',
  capability: 'carts.write',
  cost: writeCost,
  errors: changeErrors,
  params: cartId,
  query: {},
  result: toDataSchema(cart),

  handle({ input, ...context }) {
    return cancelCart(context, input.cart_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  cartsCreate,
  cartsList,
  cartsRead,
  cartsChange,
  cartsItems,
  cartsCheckout,
  cartsDelete,
] as const
