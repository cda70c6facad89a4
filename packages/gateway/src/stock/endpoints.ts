import { z } from 'zod'
import {
  currency,
  instantField,
  maxPage,
  nextCursor,
  paging,
  price,
  productCode,
  sku,
  versionNumber,
  warehouseCode,
  wholeNumberField,
} from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { computeChangesPrice, fullSyncReasons, maxFeedPageSize, replyWithChanges } from './feed.ts'
import {
  computeStockReadPrice,
  listAllowedWarehouses,
  maxStockPageSize,
  replyWithChecksum,
  replyWithStock,
} from './read.ts'

const translations = { zh, ko }

/** The schema of the checksum, with the algorithm in its description. */
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
  group: 'stock',
  summary: 'List warehouses',
  description: 'The real warehouses and company views that the channel may use.',
  translations,
  method: 'GET',
  path: '/api/v1/warehouses',
  since: '1.0.0',
  access: 'bearer',
  cost: 1,
  errors: ['UPSTREAM_ERROR'],
  params: {},
  query: {},
  result: toDataSchema(
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
    return { data: listAllowedWarehouses(gateway, caller) }
  },
})

export const stockList = endpoint({
  id: 'stock.list',
  group: 'stock',
  summary: 'Stock of a warehouse',
  description:
    'The whole warehouse, a page of it, one style (`product_code`) or one SKU (`sku`). Without `page` and `page_size`: all rows. Follow the change feed from the version of the first page.',
  translations,
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock',
  since: '1.0.0',
  access: 'bearer',
  capability: 'stock.read',
  cost: {
    points: computeStockReadPrice,
    priceNote: '60 points for the whole warehouse, 5 for a page, 1 for one SKU or style',
  },
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'NOT_FOUND', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {
    product_code: productCode.optional(),
    sku: sku.optional(),
    cursor: paging.cursor,
    page: wholeNumberField(1, maxPage).optional(),
    page_size: wholeNumberField(1, maxStockPageSize).optional(),
  },
  result: z.object({
    data: z.array(stockRow),
    has_more: z.boolean(),
    version: z.int(),
    page: z.int().optional(),
    page_size: z.int().optional(),
    next_cursor: nextCursor.optional(),
  }),
  headers: ['X-Stock-Version', 'X-Stock-Age', 'ETag'],

  handle({ gateway, call, input }) {
    return replyWithStock(gateway, call, input)
  },
})

export const stockChanges = endpoint({
  id: 'stock.changes',
  group: 'stock',
  summary: 'Stock changes since a version',
  description:
    'The rows that changed since a cursor, each once in its newest state; withdrawn rows have quantity 0 and `removed: true`. Send `version` back as `since`. One point per row, at least 1 and at most 60; the page is limited to the points that are left. `needs_full_sync` requires a full pull. `row_count` and `checksum` of the last page let you verify your copy, unless its `version` is below the `latest` of an earlier response: then ask again.',
  fields: {
    version: 'Send it as `since` the next time',
    latest:
      'The newest version of the process that responds. A copy is complete at the end of the feed, if its `version` is at least each `latest` before',
  },
  translations,
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock/changes',
  since: '1.0.0',
  access: 'bearer',
  capability: 'stock.read',
  cost: { points: computeChangesPrice, isUpTo: true, priceNote: '1 point a row, at most 60' },
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {
    since: versionNumber.optional(),
    page_size: wholeNumberField(1, maxFeedPageSize).default(maxFeedPageSize),
  },
  result: z.object({
    data: z.array(stockRow.extend({ removed: z.literal(true).optional() }).meta({ id: 'StockChange' })),
    version: z.int().meta({ description: 'The next value of `since`' }),
    since: z.int(),
    latest: z.int(),
    has_more: z.boolean(),
    pending: z.int().meta({ description: 'Rows on the following pages' }),
    needs_full_sync: z.boolean(),
    full_sync_reason: z.enum(fullSyncReasons).optional(),
    row_count: z.int().optional(),
    checksum: checksumField.optional(),
  }),
  headers: ['X-Stock-Version', 'X-Stock-Age', 'ETag'],

  handle({ gateway, call, input }) {
    return replyWithChanges(gateway, call, input)
  },
})

export const stockChecksum = endpoint({
  id: 'stock.checksum',
  group: 'stock',
  summary: 'Read the checksum of a warehouse’s stock',
  description: 'Version, number of rows and checksum, to compare with your own copy.',
  translations,
  method: 'GET',
  path: '/api/v1/warehouses/{warehouse_code}/stock/checksum',
  access: 'bearer',
  capability: 'stock.read',
  cost: 5,
  errors: ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', 'UPSTREAM_ERROR'],
  params: { warehouse_code: warehouseCode },
  query: {},
  result: toDataSchema(z.object({ version: z.int(), row_count: z.int(), checksum: checksumField })),
  headers: ['X-Stock-Version', 'X-Stock-Age'],

  handle({ gateway, input }) {
    return replyWithChecksum(gateway, input.warehouse_code)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [warehousesList, stockList, stockChanges, stockChecksum] as const
