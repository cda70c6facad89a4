/**
 * Creates a catalogue from order lines. Order data of a shop also contain postage, fees, write-offs and vouchers, so
 * each stock code is classified by its code, its prices and its descriptions.
 */
import { toCsvField } from './csv.ts'
import { countDecimals, formatDecimal, parseMinorUnits } from './decimal.ts'
import type { OrderLine } from './order-lines.ts'
import { isOneLine } from './text.ts'

/** One row of a catalogue file. Prices are in minor units. */
export interface CatalogueRow {
  readonly sku: string
  readonly name: string
  readonly price_wholesale: number
  readonly price_retail: number
  readonly quantity: number
}

export interface CatalogueOfOrders {
  /** Sorted by SKU, by UTF-16 code units. */
  readonly rows: readonly CatalogueRow[]
  readonly lines: number
  readonly stock_codes: number
  /** The number of rows whose price had more than two decimals. */
  readonly rounded: number
  /** The number of stock codes without a row, by reason. */
  readonly left_out: ReadonlyMap<string, number>
}

interface StockCode {
  readonly descriptions: Map<string, { count: number; last: number }>
  price: { readonly date: string; readonly decimal: string } | undefined
  quantity: number
}

/**
 * The pattern of the stock codes of goods. They have five digits and up to three letters for the variant (`85123A`,
 * `15056BL`), or start with `DCGS` (`DCGS0076`, `DCGSSBOY`), the shop's own brand. Other codes in the data are
 * services, fees and corrections (`POST`, `D`, `BANK CHARGES`) or vouchers (`gift_0001_20`). `PADS` is goods too, but
 * given away at 0.001, and is left out.
 */
const goodsPattern = /^(\d{5}[A-Za-z]{0,3}|DCGS[0-9A-Z]{1,12})$/

/** Services that have an article number: 23444 is `Next Day Carriage`. */
const services: ReadonlySet<string> = new Set(['23444'])

const maxNameCharacters = 200

/**
 * Creates one row for each stock code that can be sold. The name is the most frequent description (the latest one if
 * several are equally frequent). The wholesale price is the latest price above 0, rounded to two decimals, and the
 * retail price is twice that. The opening stock is the sum of all positive quantities, so that all orders can be
 * replayed.
 */
export async function createCatalogueFromOrders(
  lines: AsyncIterable<OrderLine> | Iterable<OrderLine>,
): Promise<CatalogueOfOrders> {
  const codes = new Map<string, StockCode>()
  let count = 0
  for await (const line of lines) {
    count += 1
    const code = codes.get(line.stock_code) ?? { descriptions: new Map(), price: undefined, quantity: 0 }
    codes.set(line.stock_code, code)
    addOrderLine(code, line, count)
  }
  const rows: CatalogueRow[] = []
  const left_out = new Map<string, number>()
  let rounded = 0
  for (const [stock_code, code] of codes) {
    const row = toRowOrReason(stock_code, code)
    if (typeof row === 'string') {
      left_out.set(row, (left_out.get(row) ?? 0) + 1)
    } else {
      rows.push(row)
      if (code.price !== undefined && countDecimals(code.price.decimal) > 2) rounded += 1
    }
  }
  rows.sort((one, other) => (one.sku < other.sku ? -1 : 1))
  return { rows, lines: count, stock_codes: codes.size, rounded, left_out }
}

function addOrderLine(code: StockCode, line: OrderLine, position: number): void {
  const name = line.description.trim()
  if (name !== '' && name.length <= maxNameCharacters && isOneLine(name)) {
    const count = code.descriptions.get(name)?.count ?? 0
    code.descriptions.set(name, { count: count + 1, last: position })
  }
  const isPriced = !line.unit_price.startsWith('-') && /[1-9]/.test(line.unit_price)
  if (isPriced && (code.price === undefined || code.price.date <= line.invoice_date)) {
    code.price = { date: line.invoice_date, decimal: line.unit_price }
  }
  if (line.quantity > 0) code.quantity += line.quantity
}

/** Returns the row of a stock code, or the reason why it has none. */
function toRowOrReason(sku: string, { descriptions, price, quantity }: StockCode): CatalogueRow | string {
  if (!goodsPattern.test(sku) || services.has(sku)) return 'not goods, or not sold as such'
  const name = findMostFrequent(descriptions)
  if (name === undefined) return 'never described'
  if (price === undefined) return 'never sold at a price above 0'
  const price_wholesale = parseMinorUnits(price.decimal) ?? 0
  if (price_wholesale === 0) return 'the latest price rounds to 0.00'
  return { sku, name, price_wholesale, price_retail: price_wholesale * 2, quantity }
}

function findMostFrequent(descriptions: StockCode['descriptions']): string | undefined {
  let best: { name: string; count: number; last: number } | undefined
  for (const [name, { count, last }] of descriptions) {
    if (best === undefined || count > best.count || (count === best.count && last > best.last)) {
      best = { name, count, last }
    }
  }
  return best?.name
}

/** Formats the rows as a catalogue file for one warehouse. */
export function toCatalogueCsv(rows: readonly CatalogueRow[], warehouse_code: string): string {
  const lines = rows.map(({ sku, name, price_wholesale, price_retail, quantity }) => [
    sku,
    name,
    formatDecimal(price_wholesale),
    formatDecimal(price_retail),
    String(quantity),
    warehouse_code,
  ])
  const header = ['sku', 'name', 'price_wholesale', 'price_retail', 'quantity', 'warehouse_code']
  return [header, ...lines].map((fields) => `${fields.map(toCsvField).join(',')}\n`).join('')
}
