import { z } from 'zod'
import type { Answer } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { headerOf } from '../../http/in-process.ts'
import { instant } from '../../kernel/clock.ts'
import { stockList, type stockRow } from '../../stock/endpoints.ts'
import { action, type Done, readHints } from '../action.ts'
import { warehouseField } from '../fields.ts'
import { Refusal, resultOf, type Visit } from '../visit.ts'
import { realWarehouses } from '../warehouses.ts'
import { counted, envelopeOf, fenced } from '../wording.ts'

const mostSkus = 50
const mostRows = 100
const usualRows = 50
/** Rows that the text tells; the others are in the structure. */
const mostToldRows = 20

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
  description:
    'Stock and prices now, by SKU, by style, or the first rows of a warehouse. Without warehouse_code: every real warehouse that you may use. Sell by quantity_available; quantity_on_hand includes what is held. Not for finding a SKU by words (find_products). 1 point per SKU or style and warehouse; 5 for a warehouse’s first rows.',
  hints: readHints,
  input: z.strictObject({
    skus: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(mostSkus)
      .optional()
      .meta({ description: 'Exact SKUs' }),
    product_code: z.string().min(1).max(64).optional().meta({ description: 'Every SKU of a style' }),
    warehouse_code: warehouseField.optional(),
    min_available: z.int().min(0).optional().meta({ description: 'Only rows with at least so many' }),
    detail: z.enum(['concise', 'rows']).default('rows').meta({ description: 'concise: fewer fields' }),
    limit: z.int().min(1).max(mostRows).default(usualRows).meta({ description: 'Most rows' }),
  }),
  output: z.object({
    as_of: z.string(),
    version: z.int(),
    rows: z.array(row),
    not_found: z.array(z.string()),
    truncated: z.boolean(),
    narrow_by: z.array(z.string()).optional(),
  }),

  async run(visit, input) {
    if (input.skus === undefined && input.product_code === undefined && input.warehouse_code === undefined) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'skus',
        say: ['one_of', { fields: searchFields }],
      })
    }
    const warehouses =
      input.warehouse_code === undefined ? await realWarehouses(visit) : [input.warehouse_code]
    const found = new Finding(input.min_available ?? 0, input.limit)
    for (const query of queriesOf(input)) {
      for (const warehouse_code of warehouses) {
        if (found.isFull) return shown(visit, found.cutShort(), input.detail)
        found.take(query, await visit.tell(stockList, { params: { warehouse_code }, query }))
      }
    }
    return shown(visit, found, input.detail)
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

function queriesOf({ skus, product_code, limit }: Input): StockQuery[] {
  if (skus) return [...new Set(skus)].map((sku) => ({ sku, product_code }))
  return product_code === undefined ? [{ page: 1, page_size: limit }] : [{ product_code }]
}

/** Rows as they come in, up to the limit. */
class Finding {
  readonly rows: Row[] = []
  readonly notFound = new Set<string>()
  isTruncated = false
  version = 0
  /** Seconds; of the oldest picture. */
  age = 0
  readonly #least: number
  readonly #limit: number

  constructor(least: number, limit: number) {
    this.#least = least
    this.#limit = limit
  }

  /** Whether a further row would be left out. */
  get isFull(): boolean {
    return this.rows.length >= this.#limit
  }

  cutShort(): this {
    this.isTruncated = true
    return this
  }

  take({ sku }: StockQuery, answer: Answer) {
    if (answer.status >= 300) {
      if (sku === undefined || envelopeOf(answer).reason !== 'sku_unknown') throw new Refusal(answer)
      this.notFound.add(sku)
      return
    }
    const { data, has_more } = resultOf(stockList, answer)
    this.version = Math.max(this.version, Number(headerOf(answer, 'x-stock-version')))
    this.age = Math.max(this.age, Number(headerOf(answer, 'x-stock-age')))
    const wanted = data.filter(({ quantity_available }) => quantity_available >= this.#least)
    const room = this.#limit - this.rows.length
    this.rows.push(...wanted.slice(0, room).map(rowOf))
    this.isTruncated ||= has_more || wanted.length > room
  }
}

/** The fields of the specification. */
function rowOf(found: z.output<typeof stockRow>): Row {
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

function shown(visit: Visit, found: Finding, detail: 'concise' | 'rows') {
  const { rows, notFound, isTruncated, version, age } = found
  const not_found = [...notFound].filter((sku) => !rows.some((each) => each.sku === sku))
  const told = rows
    .slice(0, mostToldRows)
    .map(
      ({ sku, warehouse_code, quantity_available, price_wholesale, currency }) =>
        `${sku} ${warehouse_code}: ${quantity_available} available, ${price_wholesale} ${currency}`,
    )
  const sum = rows.reduce((all, each) => all + each.quantity_available, 0)
  const missing = not_found.length === 0 ? '' : ` ${counted(not_found.length, 'SKU')} not found.`
  const data = {
    as_of: instant(visit.gateway.clock.now() - age * 1000),
    version,
    rows: detail === 'rows' ? rows : rows.map(concise),
    not_found,
    truncated: isTruncated,
    ...(isTruncated ? { narrow_by: ['skus', 'warehouse_code', 'min_available'] } : {}),
  }
  const text = `${counted(rows.length, 'row')}, ${sum} available${isTruncated ? ', truncated' : ''}.${missing}`
  return { data, text: told.length === 0 ? text : `${text}\n${fenced(told)}` } satisfies Done<typeof data>
}

function concise({ sku, warehouse_code, quantity_available, price_wholesale, currency }: Row): Row {
  return { sku, warehouse_code, quantity_available, price_wholesale, currency }
}
