import { z } from 'zod'
import { instantField, sku } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { compareSku, publishedFigure, readOutcomes, servedFigure } from '../../stock/compare-sku.ts'
import { listStockCopies, requestComparison } from '../../stock/copies.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const stockCopy = z
  .object({
    warehouse_code: z.string(),
    name: z.string(),
    kind: z.enum(['warehouse', 'company']),
    version: z.int().nullable(),
    latest_at: instantField.nullable(),
    age_seconds: z.int().nullable(),
    rows: z.int().nullable(),
    checksum: z.string().nullable(),
    last_compare_at: instantField.nullable(),
    last_differences: z.int().nullable(),
    compare_requested_at: instantField.nullable(),
  })
  .meta({ id: 'StockCopy' })

const fields = {
  name: 'The name of the warehouse or of the view',
  kind: '`warehouse`: a warehouse of the ERP; `company`: a view over several of them',
  version: 'The version of this process’s snapshot; null until the stock was read once',
  latest_at: 'When the copy was last known to equal the ERP’s stock; a view is as old as its oldest member',
  age_seconds: 'Seconds since `latest_at`',
  rows: 'Rows of this process’s snapshot, without withdrawn ones',
  checksum: 'The checksum of this process’s snapshot, as clients compute it',
  last_compare_at: 'When the whole copy was last compared with the ERP’s stock; null for a view',
  last_differences:
    'Rows that the last full comparison had to correct and that no hint of the ERP had named: above 0, a hint was lost. Null before the first comparison',
  compare_requested_at: 'When a full comparison was requested that has not succeeded yet; null without one',
}

export const stockCopiesList = endpoint({
  id: 'admin.stock_copies.list',
  group: 'admin',
  summary: 'List the copies of the stock',
  description:
    'The gateway’s copy of each warehouse’s stock and of each view, by code: version, age, rows, checksum and the last full comparison with the ERP.',
  fields,
  translations,
  method: 'GET',
  path: '/admin/api/stock-copies',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(z.array(stockCopy)),

  async handle({ gateway }) {
    return { data: await listStockCopies(gateway) }
  },
})

export const stockCopiesCompare = endpoint({
  id: 'admin.stock_copies.compare',
  group: 'admin',
  summary: 'Compare a copy with the ERP',
  description:
    'Requests a full comparison of a warehouse with the ERP, or of each member of a view. The next turn of the sync makes it, usually within seconds, and corrects the rows that differ. Clients of the change feed receive the corrections.',
  fields,
  translations,
  method: 'POST',
  path: '/admin/api/stock-copies/{warehouse_code}/compare',
  access: 'admin',
  errors: ['WAREHOUSE_UNKNOWN', 'UPSTREAM_ERROR'],
  params: { warehouse_code: z.string() },
  query: {},
  result: toDataSchema(stockCopy),

  async handle({ gateway, call, input }) {
    return { data: await requestComparison({ gateway, call }, input.warehouse_code) }
  },
})

export const stockFiguresCompare = endpoint({
  id: 'admin.stock_figures.compare',
  group: 'admin',
  summary: 'Compare one SKU with the ERP',
  description:
    'The figures of one SKU in each warehouse, as the gateway serves them and as the ERP states them at this moment. The gateway waits at most 5 seconds for the ERP. Nothing is corrected: a full comparison does that. A change of the last seconds may be on its way.',
  fields: {
    sku: 'The SKU, byte by byte',
    name: fields.name,
    warehouses: 'One entry for each warehouse, by code, at most 20',
    left_out: 'How many further warehouses were not read',
    version:
      'Of the warehouse: the version of this process’s snapshot. Of `gateway`: the version of the row’s last change',
    age_seconds: 'Seconds since the copy was last known to equal the ERP’s stock',
    compare_requested_at: fields.compare_requested_at,
    gateway: 'What clients see; null if the gateway serves no such row',
    updated_at: 'When the row last changed',
    erp: 'What the ERP states; null if it does not carry the SKU there, or did not respond',
    erp_result:
      '`ok`: the ERP responded; `refused`: it refused the call; `no_response`: no response came in time',
    differs: 'Whether a client sees something else than the ERP states; null if that is not known',
  },
  translations,
  method: 'GET',
  path: '/admin/api/stock-figures',
  access: 'admin',
  polled: true,
  errors: ['UPSTREAM_ERROR'],
  params: {},
  query: { sku },
  result: toDataSchema(
    z.object({
      sku: z.string(),
      warehouses: z.array(
        stockCopy
          .pick({
            warehouse_code: true,
            name: true,
            version: true,
            age_seconds: true,
            compare_requested_at: true,
          })
          .extend({
            gateway: servedFigure.nullable(),
            erp: publishedFigure.nullable(),
            erp_result: z.enum(readOutcomes),
            differs: z.boolean().nullable(),
          }),
      ),
      left_out: z.int(),
    }),
  ),

  async handle({ gateway, input }) {
    return { data: await compareSku(gateway, input.sku) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [stockCopiesList, stockCopiesCompare, stockFiguresCompare] as const
