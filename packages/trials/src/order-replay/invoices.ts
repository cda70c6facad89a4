/**
 * Converts order lines to wholesale orders. An invoice becomes one order of its goods, with one line for each SKU; an
 * invoice of more SKUs than an order can have becomes several orders. Invoices and lines that cannot be ordered are counted by
 * reason.
 */
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { parseMinorUnits } from '../../../sandbox-erp/src/catalogue/decimal.ts'
import type { OrderLine } from '../../../sandbox-erp/src/catalogue/order-lines.ts'
import type { Orders } from '../orders.ts'
import { addToTally, type Tally } from '../tally.ts'

/** The public API's limits: lines of an order, and units of a line. */
export const maxLines = 500
export const maxUnits = 999_999

/** Quantities by SKU. */
export type Goods = ReadonlyMap<string, number>

/** An order to be placed. */
export interface WholesaleOrder {
  /** The number of the invoice, with `-2` for the second part of a split one. */
  readonly client_order_number: string
  readonly customer_id: string | null
  readonly goods: Goods
}

/** An invoice that returns goods of earlier ones. */
export interface Cancellation {
  readonly invoice_no: string
  readonly customer_id: string | null
  readonly goods: Goods
  /** The number of orders before it in the file. */
  readonly orders_before: number
}

/** The orders and cancellations of a file. */
export interface Invoices {
  readonly orders: readonly WholesaleOrder[]
  readonly cancellations: readonly Cancellation[]
  readonly figures: { readonly invoices: number; readonly split: number; readonly lines: number }
  readonly left_out: {
    /** Lines of invoices that are not cancellations, by reason. */
    readonly lines: Tally
    readonly invoices: Tally
    readonly cancellations: Tally
  }
}

interface Entry {
  readonly sku: string
  readonly quantity: number
  readonly isPriced: boolean
}

interface InvoiceLines {
  readonly invoice_no: string
  readonly customer_id: string | null
  readonly is_cancellation: boolean
  readonly entries: Entry[]
}

/** A collector of order lines. It groups them into invoices, in the order of the invoices' first lines. */
export class InvoiceCollector {
  readonly #invoices = new Map<string, InvoiceLines>()

  add({ invoice_no, customer_id, is_cancellation, stock_code: sku, quantity, unit_price }: OrderLine): void {
    const known = this.#invoices.get(invoice_no)
    const invoice = known ?? { invoice_no, customer_id, is_cancellation, entries: [] }
    if (!known) this.#invoices.set(invoice_no, invoice)
    invoice.entries.push({ sku, quantity, isPriced: (parseMinorUnits(unit_price) ?? 0) > 0 })
  }

  /** Returns the orders, of at most `max_lines` lines, and the cancellations of all lines that are goods. */
  createInvoices(isGoods: (sku: string) => boolean, max_lines: number = maxLines): Invoices {
    const orders: WholesaleOrder[] = []
    const cancellations: Cancellation[] = []
    const left_out = { lines: new Map(), invoices: new Map(), cancellations: new Map() }
    let [invoices, split, lines] = [0, 0, 0]
    for (const invoice of this.#invoices.values()) {
      if (invoice.is_cancellation) {
        const goods = sumReturned(invoice, isGoods)
        if (goods.size === 0) addToTally(left_out.cancellations, 'no line of it takes goods back')
        else cancellations.push({ ...invoice, goods, orders_before: orders.length })
        continue
      }
      invoices += 1
      const goods = sumSold(invoice, isGoods, left_out.lines)
      if (goods.size === 0) addToTally(left_out.invoices, 'no line of it can be ordered')
      const parts = splitInvoice(invoice, goods, max_lines)
      if (parts.length > 1) split += 1
      lines += goods.size
      orders.push(...parts)
    }
    return { orders, cancellations, figures: { invoices, split, lines }, left_out }
  }
}

/** Checks that a file has an order to place. Throws `UsageError`, with the reasons why its lines are left out. */
export function requireOrders(
  path: string,
  lines: Pick<Orders, 'catalogue' | 'invalid'>,
  invoices: Invoices,
): void {
  if (invoices.orders.length > 0) return
  const reasons = [...lines.invalid, ...invoices.left_out.lines]
  if (lines.catalogue.lines === 0 && reasons.length === 0)
    throw new UsageError(`${path} has no order lines below its header.`)
  const left_out = reasons.map(([reason, amount]) => `${amount.toLocaleString('en')} (${reason})`)
  throw new UsageError(
    left_out.length === 0
      ? `${path} has no order that can be placed: it has only cancellations.`
      : `${path} has no order that can be placed. Lines left out: ${left_out.join(', ')}.`,
  )
}

function sumSold({ entries }: InvoiceLines, isGoods: (sku: string) => boolean, left_out: Tally): Goods {
  const goods = new Map<string, number>()
  for (const { sku, quantity, isPriced } of entries) {
    const sum = (goods.get(sku) ?? 0) + quantity
    if (!isGoods(sku)) addToTally(left_out, 'the stock code is not in the catalogue')
    else if (quantity <= 0) addToTally(left_out, 'the quantity is not above 0: written off')
    else if (!isPriced) addToTally(left_out, 'the price is 0: given away, or a correction')
    else if (sum > maxUnits) addToTally(left_out, `more than ${maxUnits} units of one SKU`)
    else goods.set(sku, sum)
  }
  return goods
}

function sumReturned({ entries }: InvoiceLines, isGoods: (sku: string) => boolean): Goods {
  const goods = new Map<string, number>()
  for (const { sku, quantity } of entries) {
    if (isGoods(sku) && quantity < 0) goods.set(sku, (goods.get(sku) ?? 0) - quantity)
  }
  return goods
}

/** Splits an invoice into orders of at most `max_lines` lines. */
export function splitInvoice(
  { invoice_no, customer_id }: Pick<InvoiceLines, 'invoice_no' | 'customer_id'>,
  goods: Goods,
  max_lines: number,
): WholesaleOrder[] {
  const lines = [...goods]
  return Array.from({ length: Math.ceil(lines.length / max_lines) }, (_, part) => ({
    client_order_number: part === 0 ? invoice_no : `${invoice_no}-${part + 1}`,
    customer_id,
    goods: new Map(lines.slice(part * max_lines, (part + 1) * max_lines)),
  }))
}
