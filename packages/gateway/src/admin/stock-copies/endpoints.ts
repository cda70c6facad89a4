import { z } from 'zod'
import { instantField } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
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
  compare_requested_at: 'When a full comparison was requested that has not begun yet; null without one',
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

/** The endpoints, in the order of the documentation. */
export const endpoints = [stockCopiesList, stockCopiesCompare] as const
