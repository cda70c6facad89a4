import { z } from 'zod'
import { dataOf, endpoint, Reply } from '../contract/endpoint.ts'
import {
  currency,
  instantField,
  listOf,
  paging,
  price,
  productCode,
  sku,
  window,
  words,
} from '../contract/fields.ts'
import { listProducts, readProduct } from './read.ts'

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
  method: 'GET',
  path: '/api/v1/products',
  since: '1.4.0',
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
    q: words(100).optional(),
    updated_since: instantField.optional(),
  },
  result: listOf(product),

  handle({ gateway, call, caller, input }) {
    return new Reply(listProducts(gateway, caller, call.language, input), ['Content-Language', call.language])
  },
})

export const productsRead = endpoint({
  id: 'products.read',
  method: 'GET',
  path: '/api/v1/products/{product_code}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'products.read',
  cost: 1,
  errors: ['NOT_FOUND', 'UPSTREAM_ERROR'],
  params: { product_code: z.string() },
  query: {},
  result: dataOf(product),

  handle({ gateway, call, caller, input }) {
    const data = readProduct(gateway, caller, call.language, input.product_code)
    return new Reply({ data }, ['Content-Language', call.language])
  },
})
