import { z } from 'zod'
import type { ApiResponse } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { readHeader } from '../../pipeline/in-process.ts'
import { stockList, type stockRow } from '../../stock/endpoints.ts'
import { type ActionResult, action, readHints } from '../action.ts'
import { type ActionContext, EndpointFailure, readResult } from '../action-context.ts'
import { warehouseField } from '../fields.ts'
import { listRealWarehouses } from '../warehouses.ts'
import { countNoun, fenceText, readErrorEnvelope } from '../wording.ts'

const maxSkus = 50
const maxRows = 100
const usualRows = 50
/** The largest number of rows in the text; the structured result contains all rows. */
const maxTextRows = 20

const row = z.object({
  sku: z.string(),
  product_code: z.string().optional(),
  warehouse_code: z.string(),
  quantity_available: z.int(),
  quantity_on_hand: z.int().optional(),
  price_wholesale: z.number(),
  price_retail: z.number().optional(),
  currency: z.string(),
})
type Row = z.output<typeof row>

export const checkStock = action({
  name: 'check_stock',
  title: 'Check stock',
  description:
    'Current stock and prices, by SKU, by style, or the first rows of a warehouse. Without warehouse_code: every real warehouse that you may use. Sell by quantity_available; quantity_on_hand includes held stock. To find a SKU by words, use find_products. 1 point per SKU or style and warehouse; 5 for a warehouse’s first rows.',
  hints: readHints,
  input: z.strictObject({
    skus: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(maxSkus)
      .optional()
      .meta({ description: 'Exact SKUs' }),
    product_code: z.string().min(1).max(64).optional().meta({ description: 'Every SKU of a style' }),
    warehouse_code: warehouseField.optional(),
    min_available: z.int().min(0).optional().meta({ description: 'Only rows with at least this quantity' }),
    detail: z.enum(['concise', 'rows']).default('rows').meta({ description: 'concise: fewer fields' }),
    limit: z.int().min(1).max(maxRows).default(usualRows).meta({ description: 'Maximum rows' }),
  }),
  output: z.object({
    as_of: z.string(),
    version: z.int(),
    rows: z.array(row),
    not_found: z.array(z.string()),
    truncated: z.boolean(),
    narrow_by: z.array(z.string()).optional(),
  }),

  async run(context, input) {
    if (input.skus === undefined && input.product_code === undefined && input.warehouse_code === undefined) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'skus',
        say: ['one_of', { fields: searchFields }],
      })
    }
    const warehouses =
      input.warehouse_code === undefined ? await listRealWarehouses(context) : [input.warehouse_code]
    const found = new StockCollector(input.min_available ?? 0, input.limit)
    for (const query of toStockQueries(input)) {
      for (const warehouse_code of warehouses) {
        if (found.isFull) return toCheckStockResult(context, found.markTruncated(), input.detail)
        found.addRows(query, await context.sendToEndpoint(stockList, { params: { warehouse_code }, query }))
      }
    }
    return toCheckStockResult(context, found, input.detail)
  },
})

const searchFields = 'skus, product_code, warehouse_code'

interface StockQuery {
  readonly [name: string]: string | number | undefined
  readonly sku?: string
}

interface Input {
  readonly skus?: readonly string[] | undefined
  readonly product_code?: string | undefined
  readonly limit: number
}

function toStockQueries({ skus, product_code, limit }: Input): StockQuery[] {
  if (skus) return [...new Set(skus)].map((sku) => ({ sku, product_code }))
  return product_code === undefined ? [{ page: 1, page_size: limit }] : [{ product_code }]
}

/** Collects rows of several stock reads, up to a limit. */
class StockCollector {
  readonly rows: Row[] = []
  readonly notFound = new Set<string>()
  isTruncated = false
  version = 0
  /** The age of the oldest snapshot that was read, in seconds. */
  age = 0
  readonly #least: number
  readonly #limit: number

  constructor(least: number, limit: number) {
    this.#least = least
    this.#limit = limit
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return this.rows.length >= this.#limit
  }

  markTruncated(): this {
    this.isTruncated = true
    return this
  }

  addRows({ sku }: StockQuery, response: ApiResponse) {
    if (response.status >= 300) {
      if (sku === undefined || readErrorEnvelope(response).reason !== 'sku_unknown')
        throw new EndpointFailure(response)
      this.notFound.add(sku)
      return
    }
    const { data, has_more } = readResult(stockList, response)
    this.version = Math.max(this.version, Number(readHeader(response, 'x-stock-version')))
    this.age = Math.max(this.age, Number(readHeader(response, 'x-stock-age')))
    const wanted = data.filter(({ quantity_available }) => quantity_available >= this.#least)
    const room = this.#limit - this.rows.length
    this.rows.push(...wanted.slice(0, room).map(toRow))
    this.isTruncated ||= has_more || wanted.length > room
  }
}

/** Picks the fields of the action's output. */
function toRow(found: z.output<typeof stockRow>): Row {
  return {
    sku: found.sku,
    product_code: found.product_code,
    warehouse_code: found.warehouse_code,
    quantity_available: found.quantity_available,
    quantity_on_hand: found.quantity_on_hand,
    price_wholesale: found.price_wholesale,
    price_retail: found.price_retail,
    currency: found.currency,
  }
}

function toCheckStockResult(context: ActionContext, found: StockCollector, detail: 'concise' | 'rows') {
  const { rows, notFound, isTruncated, version, age } = found
  const not_found = [...notFound].filter((sku) => !rows.some((each) => each.sku === sku))
  const lines = rows
    .slice(0, maxTextRows)
    .map(
      ({ sku, warehouse_code, quantity_available, price_wholesale, currency }) =>
        `${sku} ${warehouse_code}: ${quantity_available} available, ${price_wholesale} ${currency}`,
    )
  const sum = rows.reduce((all, each) => all + each.quantity_available, 0)
  const missing = not_found.length === 0 ? '' : ` ${countNoun(not_found.length, 'SKU')} not found.`
  const data = {
    as_of: formatInstant(context.gateway.clock.now() - age * 1000),
    version,
    rows: detail === 'rows' ? rows : rows.map(toConciseRow),
    not_found,
    truncated: isTruncated,
    ...(isTruncated ? { narrow_by: ['skus', 'warehouse_code', 'min_available'] } : {}),
  }
  const text = `${countNoun(rows.length, 'row')}, ${sum} available${isTruncated ? ', truncated' : ''}.${missing}`
  return { data, text: lines.length === 0 ? text : `${text}\n${fenceText(lines)}` } satisfies ActionResult<
    typeof data
  >
}

function toConciseRow({ sku, warehouse_code, quantity_available, price_wholesale, currency }: Row): Row {
  return { sku, warehouse_code, quantity_available, price_wholesale, currency }
}
