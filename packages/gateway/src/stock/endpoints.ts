import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import {
  currency,
  instantField,
  price,
  productCode,
  sku,
  versionNumber,
  warehouseCode,
  wholeNumber,
} from '../contract/fields.ts'
import { changesCost, changesReply, fullSyncReasons, mostFeedPageSize } from './feed.ts'
import { allowedWarehouses, checksumReply, mostStockPageSize, stockCost, stockReply } from './read.ts'

/** How a copy is proved, in the words of the contract. */
const checksumField = z.string().meta({
  description:
    '32 hexadecimal digits: the sum modulo 2^128, over the rows that are not withdrawn, of the first 16 bytes of the SHA-256 of sku, product_code, quantity_on_hand, quantity_available, price_wholesale, price_retail, currency, joined by U+001F, in UTF-8, prices in whole minor units',
})

export const stockRow = z
  .object({
    sku,
    product_code: productCode,
    quantity_on_hand: z.int().min(0),
    quantity_available: z.int().min(0),
    price_wholesale: price,
    price_retail: price,
    currency,
    warehouse_code: warehouseCode,
    version: z.int(),
    updated_at: instantField,
    incoming: z.array(
      z.object({ quantity: z.int(), earliest_date: z.iso.date(), latest_date: z.iso.date() }),
    ),
  })
  .meta({ id: 'StockRow' })

export const warehousesList = endpoint({
  id: 'warehouses.list',
  method: 'GET',
  path: '/api/v1/warehouses',
  since: '1.0.0',
  access: 'bearer',
  cost: 1,
  errors: ['UPSTREAM_ERROR'],
  params: {},
  query: {},
  result: dataOf(
    z.array(
      z
        .object({
          warehouse_code: warehouseCode,
          name: z.string(),
          kind: z.enum(['warehouse', 'company']),
          country_code: z.string(),
          timezone: z.string(),
          currency,
          members: z.array(z.string()).readonly(),
          status: z.string(),
        })
        .meta({ id: 'Warehouse' }),
    ),
  ),

  handle({ gateway, caller }) {
    return { data: allowedWarehouses(gateway, caller) }
  },
})

export const stockList = endpoint({
  id: 'stock.list',
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock',
  since: '1.0.0',
  access: 'bearer',
  capability: 'stock.read',
  cost: stockCost,
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'NOT_FOUND', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {
    product_code: productCode.optional(),
    sku: sku.optional(),
    page: wholeNumber(1, 1_000_000_000).optional(),
    page_size: wholeNumber(1, mostStockPageSize).optional(),
  },
  result: z.object({
    data: z.array(stockRow),
    has_more: z.boolean(),
    version: z.int(),
    page: z.int().optional(),
    page_size: z.int().optional(),
  }),
  headers: ['X-Stock-Version', 'X-Stock-Age', 'ETag'],

  handle({ gateway, call, input }) {
    return stockReply(gateway, call, input)
  },
})

export const stockChanges = endpoint({
  id: 'stock.changes',
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock/changes',
  since: '1.0.0',
  access: 'bearer',
  capability: 'stock.read',
  cost: changesCost,
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {
    since: versionNumber.optional(),
    page_size: wholeNumber(1, mostFeedPageSize).default(mostFeedPageSize),
  },
  result: z.object({
    data: z.array(stockRow.extend({ removed: z.literal(true).optional() }).meta({ id: 'StockChange' })),
    version: z.int().meta({ description: 'What to send next as `since`' }),
    since: z.int(),
    latest: z.int(),
    has_more: z.boolean(),
    pending: z.int().meta({ description: 'Rows still to come' }),
    needs_full_sync: z.boolean(),
    full_sync_reason: z.enum(fullSyncReasons).optional(),
    row_count: z.int().optional(),
    checksum: checksumField.optional(),
  }),
  headers: ['X-Stock-Version', 'X-Stock-Age', 'ETag'],

  handle({ gateway, call, input }) {
    return changesReply(gateway, call, input)
  },
})

export const stockChecksum = endpoint({
  id: 'stock.checksum',
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock/checksum',
  since: '1.4.0',
  access: 'bearer',
  capability: 'stock.read',
  cost: 5,
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {},
  result: dataOf(z.object({ version: z.int(), row_count: z.int(), checksum: checksumField })),
  headers: ['X-Stock-Version', 'X-Stock-Age'],

  handle({ gateway, input }) {
    return checksumReply(gateway, input.warehouse_code)
  },
})
