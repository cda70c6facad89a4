import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { z } from 'zod'
import type { ApiResponse } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { readHeader } from '../../pipeline/in-process.ts'
import { stockList, type stockRow } from '../../stock/endpoints.ts'
import { maxStockPageSize } from '../../stock/read.ts'
import { type ActionResult, action, readHints } from '../action.ts'
import { type ActionContext, EndpointFailure, readResult } from '../action-context.ts'
import { warehouseField } from '../fields.ts'
import { describeNotRead, listCountedWarehouses, toNotReadMember } from '../warehouses.ts'
import { countNoun, fenceText, readErrorEnvelope } from '../wording.ts'

const maxSkus = 50
const maxRows = 100
const usualRows = 50
/** The largest number of pages of a warehouse that one call reads. They cost as much as the whole warehouse. */
const maxPages = 12
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
    'Current stock and prices by SKU, by style, or of a warehouse. Without warehouse_code: every one that you may use. quantity_on_hand includes held stock. 1 point per SKU or style and warehouse; 5 per 1,000 warehouse rows, at most 60.',
  hints: readHints,
  endpoint: stockList,
  input: z.strictObject({
    skus: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(maxSkus)
      .optional()
      .meta({ description: 'Exact SKUs' }),
    product_code: z.string().min(1).max(64).optional().meta({ description: 'Every SKU of a style' }),
    warehouse_code: warehouseField.optional(),
    min_available: z.int().min(0).optional().meta({ description: 'Smallest quantity_available' }),
    detail: z.enum(['concise', 'rows']).default('rows').meta({ description: 'concise: fewer fields' }),
    limit: z.int().min(1).max(maxRows).default(usualRows).meta({ description: 'Maximum rows' }),
  }),
  output: z.object({
    as_of: z.string(),
    version: z.int(),
    rows: z.array(row),
    not_found: z.array(z.string()),
    not_read: z.array(z.string()).optional(),
    truncated: z.boolean(),
    narrow_by: z.array(z.string()).optional(),
  }),

  async run(context, input) {
    const { skus, product_code, warehouse_code, min_available: least = 0, limit } = input
    const found = new StockCollector(least, limit)
    if (skus !== undefined || product_code !== undefined) await readWanted(context, input, found)
    else if (warehouse_code !== undefined) {
      // Without a minimum, every row matches, and one page of them is enough.
      const pages =
        least > 0 ? { page_size: maxStockPageSize, most: maxPages } : { page_size: limit, most: 1 }
      await searchWarehouse(context, { warehouse_code, ...pages }, found)
    } else throw new GatewayError('VALIDATION_FAILED', { param: 'skus', say: ['one_of', { fields }] })
    return toCheckStockResult(context, found, input)
  },
})

const fields = 'skus, product_code, warehouse_code'

interface StockQuery {
  readonly [name: string]: string | number | undefined
  readonly sku?: string
}

interface Input {
  readonly skus?: readonly string[] | undefined
  readonly product_code?: string | undefined
  readonly warehouse_code?: string | undefined
  readonly min_available?: number | undefined
  readonly detail: 'concise' | 'rows'
}

/** Reads the SKUs or the style in each warehouse. What one warehouse does not know, another one may. */
async function readWanted(context: ActionContext, input: Input, found: StockCollector): Promise<void> {
  const { skus, product_code, warehouse_code: named } = input
  const queries: StockQuery[] = skus
    ? [...new Set(skus)].map((sku) => ({ sku, product_code }))
    : [{ product_code }]
  const { counted, notRead } =
    named === undefined ? await listCountedWarehouses(context) : { counted: [named], notRead: [] }
  found.notRead = notRead
  for (const query of queries) {
    const unknown: ApiResponse[] = []
    for (const warehouse_code of counted) {
      if (found.isFull) {
        found.isTruncated = true
        return
      }
      const response = await context.sendToEndpoint(stockList, { params: { warehouse_code }, query })
      if (isUnknown(response)) unknown.push(response)
      else found.addRows(response)
    }
    const [refusal] = unknown
    if (refusal && unknown.length === counted.length) found.addUnknown(query, refusal)
  }
}

function isUnknown(response: ApiResponse): boolean {
  return response.status >= 300 && readErrorEnvelope(response).reason === 'sku_unknown'
}

interface Search {
  readonly warehouse_code: string
  readonly page_size: number
  /** The largest number of pages to read. */
  readonly most: number
}

/** Reads pages of a warehouse until enough rows match, or until the channel has no points for another page. */
async function searchWarehouse(
  context: ActionContext,
  { warehouse_code, page_size, most }: Search,
  found: StockCollector,
): Promise<void> {
  const params = { warehouse_code }
  let cursor: string | undefined
  for (let page = 1; page <= most; page++) {
    const query = { cursor, page_size }
    const response = await context.sendToEndpoint(stockList, { params, query })
    if (page > 1 && response.code === 'RATE_LIMITED') break
    cursor = found.addRows(response)
    if (cursor === undefined) return
    if (found.isFull) break
    // A page takes milliseconds, and other calls wait for it.
    await yieldToLoop()
  }
  found.isTruncated = true
}

/** Collects rows of several stock reads, up to a limit. */
class StockCollector {
  readonly rows: Row[] = []
  readonly notFound: string[] = []
  /** The warehouses that were left out. */
  notRead: readonly string[] = []
  isTruncated = false
  /** The number of rows that were read, matching or not. */
  searched = 0
  /** The version of the first response: of a warehouse in pages, whoever follows the feed from it misses nothing. */
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

  /** Adds what no warehouse knows. Throws `EndpointFailure` if that is the style: there is nothing else to return. */
  addUnknown({ sku }: StockQuery, refusal: ApiResponse) {
    if (sku === undefined) throw new EndpointFailure(refusal)
    this.notFound.push(sku)
  }

  /** Adds the rows of a response that match. Returns the cursor of the next page; undefined if there is none. */
  addRows(response: ApiResponse): string | undefined {
    if (response.status >= 300) throw new EndpointFailure(response)
    const { data, next_cursor } = readResult(stockList, response)
    this.searched += data.length
    this.version ||= Number(readHeader(response, 'x-stock-version'))
    this.age = Math.max(this.age, Number(readHeader(response, 'x-stock-age')))
    const wanted = data.filter(({ quantity_available }) => quantity_available >= this.#least)
    const room = this.#limit - this.rows.length
    this.rows.push(...wanted.slice(0, room).map(toRow))
    this.isTruncated ||= wanted.length > room
    return next_cursor ?? undefined
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

function toCheckStockResult(context: ActionContext, found: StockCollector, input: Input) {
  const { rows, notFound: not_found, isTruncated, version, age } = found
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
    rows: input.detail === 'rows' ? rows : rows.map(toConciseRow),
    not_found,
    ...toNotReadMember(found),
    truncated: isTruncated,
    ...(isTruncated ? { narrow_by: listNarrowing(input, found) } : {}),
  }
  const text = `${countNoun(rows.length, 'row')}, ${sum} available${isTruncated ? ', truncated' : ''}.${missing}${describeNotRead(found)}${describeSearch(input, found)}`
  return { data, text: lines.length === 0 ? text : `${text}\n${fenceText(lines)}` } satisfies ActionResult<
    typeof data
  >
}

/** Lists the inputs that would narrow the result. A larger minimum only helps if too many rows match. */
function listNarrowing({ warehouse_code }: Input, { isFull }: StockCollector): string[] {
  return [
    'skus',
    ...(warehouse_code === undefined ? ['warehouse_code'] : []),
    ...(isFull ? ['min_available'] : []),
  ]
}

/** Describes how far a search went that ended before the end of the warehouse. */
function describeSearch(
  { skus, product_code, warehouse_code, min_available }: Input,
  found: StockCollector,
): string {
  const isSearch = skus === undefined && product_code === undefined && min_available !== undefined
  if (!isSearch || !found.isTruncated) return ''
  return ` Searched the first ${countNoun(found.searched, 'row')} of ${warehouse_code}.`
}

function toConciseRow({ sku, warehouse_code, quantity_available, price_wholesale, currency }: Row): Row {
  return { sku, warehouse_code, quantity_available, price_wholesale, currency }
}
