import { z } from 'zod'
import {
  currency,
  instantField,
  paging,
  price,
  productCode,
  sku,
  textField,
  toListSchema,
  window,
} from '../contract/fields.ts'
import { Reply } from '../contract/reply.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listProducts, readProduct } from './read.ts'

const translations = { zh, ko }

const product = z
  .object({
    product_code: productCode,
    name: z.string(),
    brand: z.string().nullable(),
    category: z.string().nullable(),
    season: z.string().nullable(),
    status: z.enum(['active', 'discontinued']),
    images: z.array(z.string()),
    price_wholesale: price,
    price_retail: price,
    currency,
    skus: z.array(
      z.object({
        sku,
        barcode: z.string().nullable(),
        color: z.string().nullable(),
        size: z.string().nullable(),
        price_wholesale: price,
        price_retail: price,
        weight_g: z.int().nullable(),
        sellable: z.boolean(),
      }),
    ),
    updated_at: instantField,
  })
  .meta({ id: 'Product' })

export const productsList = endpoint({
  id: 'products.list',
  group: 'products',
  summary: 'List products',
  description:
    'Styles with their SKUs in the order of `product_code`; `q` searches names, codes and SKUs in every language.',
  translations,
  method: 'GET',
  path: '/api/v1/products',
  access: 'bearer',
  capability: 'products.read',
  cost: 30,
  errors: ['UPSTREAM_ERROR', 'NOT_FOUND'],
  params: {},
  query: {
    ...paging,
    ...window,
    product_code: productCode.optional(),
    sku: sku.optional(),
    q: textField(100).optional(),
    updated_since: instantField.optional(),
  },
  result: toListSchema(product),

  async handle({ gateway, call, caller, input }) {
    const { language } = call
    return new Reply(await listProducts({ gateway, caller, language }, input), ['Content-Language', language])
  },
})

export const productsRead = endpoint({
  id: 'products.read',
  group: 'products',
  summary: 'Read a product',
  description: 'One style with its SKUs.',
  translations,
  method: 'GET',
  path: '/api/v1/products/{product_code}',
  access: 'bearer',
  capability: 'products.read',
  cost: 1,
  errors: ['NOT_FOUND', 'UPSTREAM_ERROR'],
  params: { product_code: z.string() },
  query: {},
  result: toDataSchema(product),

  handle({ gateway, call, caller, input }) {
    const { language } = call
    const data = readProduct({ gateway, caller, language }, input.product_code)
    return new Reply({ data }, ['Content-Language', language])
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [productsList, productsRead] as const
