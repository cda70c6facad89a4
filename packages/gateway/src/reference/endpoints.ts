import { z } from 'zod'
import { currency, paging, price, toListSchema, window } from '../contract/fields.ts'
import { endpoint } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listAddresses, listShippingMethods } from './read.ts'

const translations = { zh, ko }

export const shippingMethodsList = endpoint({
  id: 'shipping_methods.list',
  group: 'products',
  summary: 'List shipping methods',
  description: 'Every shipping method for wholesale orders from the channel’s warehouses.',
  translations,
  method: 'GET',
  path: '/api/v1/shipping-methods',
  since: '1.0.0',
  access: 'bearer',
  cost: 1,
  errors: ['UPSTREAM_ERROR'],
  params: {},
  query: { ...paging, ...window },
  result: toListSchema(
    z
      .object({
        shipping_method_id: z.string(),
        name: z.string(),
        kind: z.enum(['delivery', 'pickup']),
        requires_address: z.boolean(),
        carrier: z.string().nullable(),
        warehouse_codes: z.array(z.string()),
        estimated_days: z.object({ min: z.int(), max: z.int() }),
        price,
        currency,
        is_default: z.boolean(),
      })
      .meta({ id: 'ShippingMethod' }),
  ),

  handle({ gateway, caller, input }) {
    return listShippingMethods(gateway, caller, input)
  },
})

export const addressesList = endpoint({
  id: 'addresses.list',
  group: 'products',
  summary: 'List addresses',
  description: 'The delivery addresses of the channel’s customer. Empty for a channel without a customer.',
  translations,
  method: 'GET',
  path: '/api/v1/addresses',
  since: '1.0.0',
  access: 'bearer',
  capability: 'orders.read',
  cost: 1,
  errors: ['UPSTREAM_ERROR'],
  params: {},
  query: { ...paging, ...window },
  result: toListSchema(
    z
      .object({
        address_id: z.string(),
        name: z.string(),
        phone: z.string().nullable(),
        company: z.string().nullable(),
        address: z.string(),
        country_code: z.string(),
        state: z.string().nullable(),
        city: z.string(),
        postal_code: z.string().nullable(),
        is_default: z.boolean(),
      })
      .meta({ id: 'Address' }),
  ),

  handle({ gateway, caller, input }) {
    return listAddresses(gateway, caller, input)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [shippingMethodsList, addressesList] as const
