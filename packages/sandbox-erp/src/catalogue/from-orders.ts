/**
 * A catalogue out of what was sold. A shop's order lines are also its diary: postage, fees, write-offs and
 * vouchers stand among the goods, so that each stock code is judged by its code, its prices and its descriptions.
 */
import { csvField } from './csv.ts'
import { decimalPlaces, decimalText, minorUnits } from './decimal.ts'
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
  /** In ascending order of SKU, by UTF-16 code unit. */
  readonly rows: readonly CatalogueRow[]
  readonly lines: number
  readonly stock_codes: number
  /** How many rows have a price that had more than two decimals. */
  readonly rounded: number
  /** How many stock codes are no row, by reason. */
  readonly left_out: ReadonlyMap<string, number>
}

interface Code {
  readonly descriptions: Map<string, { count: number; last: number }>
  price: { readonly date: string; readonly decimal: string } | undefined
  quantity: number
}

/**
 * Goods are numbered with five digits and up to three letters for the variant (`85123A`, `15056BL`); a line of the
 * shop's own make begins with `DCGS` (`DCGS0076`, `DCGSSBOY`). Every other code in the data is a service, a fee or
 * a correction (`POST`, `D`, `BANK CHARGES`), or a voucher (`gift_0001_20`), which is money and not goods; `PADS`
 * is goods, but given away at 0.001.
 */
const goodsPattern = /^(\d{5}[A-Za-z]{0,3}|DCGS[0-9A-Z]{1,12})$/

/** `Next Day Carriage`: a service with the number of an article. */
const services: ReadonlySet<string> = new Set(['23444'])

const mostNameCharacters = 200

/**
 * One row for each stock code that can be sold. Its name is the most frequent description (of equally frequent ones
 * the one seen last), trimmed; its wholesale price the latest above 0, rounded to two decimals; its retail price
 * twice that; its opening stock the sum of all positive quantities, so that every order could be served again.
 */
export async function catalogueFromOrders(
  lines: AsyncIterable<OrderLine> | Iterable<OrderLine>,
): Promise<CatalogueOfOrders> {
  const codes = new Map<string, Code>()
  let count = 0
  for await (const line of lines) {
    count += 1
    const code = codes.get(line.stock_code) ?? { descriptions: new Map(), price: undefined, quantity: 0 }
    codes.set(line.stock_code, code)
    gather(code, line, count)
  }
  const rows: CatalogueRow[] = []
  const left_out = new Map<string, number>()
  let rounded = 0
  for (const [stock_code, code] of codes) {
    const row = rowOf(stock_code, code)
    if (typeof row === 'string') {
      left_out.set(row, (left_out.get(row) ?? 0) + 1)
    } else {
      rows.push(row)
      if (code.price !== undefined && decimalPlaces(code.price.decimal) > 2) rounded += 1
    }
  }
  rows.sort((one, other) => (one.sku < other.sku ? -1 : 1))
  return { rows, lines: count, stock_codes: codes.size, rounded, left_out }
}

function gather(code: Code, line: OrderLine, position: number): void {
  const name = line.description.trim()
  if (name !== '' && name.length <= mostNameCharacters && isOneLine(name)) {
    const count = code.descriptions.get(name)?.count ?? 0
    code.descriptions.set(name, { count: count + 1, last: position })
  }
  const isPriced = !line.unit_price.startsWith('-') && /[1-9]/.test(line.unit_price)
  if (isPriced && (code.price === undefined || code.price.date <= line.invoice_date)) {
    code.price = { date: line.invoice_date, decimal: line.unit_price }
  }
  if (line.quantity > 0) code.quantity += line.quantity
}

/** The row of a stock code, or the reason why it has none. */
function rowOf(sku: string, { descriptions, price, quantity }: Code): CatalogueRow | string {
  if (!goodsPattern.test(sku) || services.has(sku)) return 'not goods, or not sold as such'
  const name = mostFrequent(descriptions)
  if (name === undefined) return 'never described'
  if (price === undefined) return 'never sold at a price above 0'
  const price_wholesale = minorUnits(price.decimal) ?? 0
  if (price_wholesale === 0) return 'the latest price rounds to 0.00'
  return { sku, name, price_wholesale, price_retail: price_wholesale * 2, quantity }
}

function mostFrequent(descriptions: Code['descriptions']): string | undefined {
  let best: { name: string; count: number; last: number } | undefined
  for (const [name, { count, last }] of descriptions) {
    if (best === undefined || count > best.count || (count === best.count && last > best.last)) {
      best = { name, count, last }
    }
  }
  return best?.name
}

/** The rows as the text of a catalogue file for one warehouse. */
export function catalogueCsv(rows: readonly CatalogueRow[], warehouse_code: string): string {
  const lines = rows.map(({ sku, name, price_wholesale, price_retail, quantity }) => [
    sku,
    name,
    decimalText(price_wholesale),
    decimalText(price_retail),
    String(quantity),
    warehouse_code,
  ])
  const header = ['sku', 'name', 'price_wholesale', 'price_retail', 'quantity', 'warehouse_code']
  return [header, ...lines].map((fields) => `${fields.map(csvField).join(',')}\n`).join('')
}
