/**
 * Wholesale orders out of order lines. An invoice is an order of its goods, one line for each SKU; one of more than
 * 500 SKUs becomes several. What is no order is counted with its reason.
 */
import { minorUnits } from '../../../sandbox-erp/src/catalogue/decimal.ts'
import type { OrderLine } from '../../../sandbox-erp/src/catalogue/order-lines.ts'
import { count, type Tally } from '../tally.ts'

/** As many lines as an order of the public API may have, and as many units as a line of it. */
export const mostLines = 500
export const mostUnits = 999_999

/** How many of which SKU. */
export type Goods = ReadonlyMap<string, number>

/** An order that is to be placed. */
export interface WholesaleOrder {
  /** The number of its invoice, with `-2` for the second part of one that is too long. */
  readonly client_order_number: string
  readonly customer_id: string | null
  readonly goods: Goods
}

/** An invoice that takes goods of earlier ones back. */
export interface Cancellation {
  readonly invoice_no: string
  readonly customer_id: string | null
  readonly goods: Goods
  /** So many orders of the file stand before it. */
  readonly orders_before: number
}

/** What a file of invoices comes to. */
export interface Invoices {
  readonly orders: readonly WholesaleOrder[]
  readonly cancellations: readonly Cancellation[]
  readonly figures: { readonly invoices: number; readonly split: number; readonly lines: number }
  readonly left_out: {
    /** Lines of invoices that are no cancellations. */
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

interface Gathered {
  readonly invoice_no: string
  readonly customer_id: string | null
  readonly is_cancellation: boolean
  readonly entries: Entry[]
}

/** Gathers lines into invoices, in the order in which these begin. */
export class Ledger {
  readonly #invoices = new Map<string, Gathered>()

  add({ invoice_no, customer_id, is_cancellation, stock_code: sku, quantity, unit_price }: OrderLine): void {
    const known = this.#invoices.get(invoice_no)
    const invoice = known ?? { invoice_no, customer_id, is_cancellation, entries: [] }
    if (!known) this.#invoices.set(invoice_no, invoice)
    invoice.entries.push({ sku, quantity, isPriced: (minorUnits(unit_price) ?? 0) > 0 })
  }

  /** The orders and cancellations of everything that is goods. */
  close(isGoods: (sku: string) => boolean): Invoices {
    const orders: WholesaleOrder[] = []
    const cancellations: Cancellation[] = []
    const left_out = { lines: new Map(), invoices: new Map(), cancellations: new Map() }
    let [invoices, split, lines] = [0, 0, 0]
    for (const invoice of this.#invoices.values()) {
      if (invoice.is_cancellation) {
        const goods = takenBack(invoice, isGoods)
        if (goods.size === 0) count(left_out.cancellations, 'no line of it takes goods back')
        else cancellations.push({ ...invoice, goods, orders_before: orders.length })
        continue
      }
      invoices += 1
      const goods = soldOn(invoice, isGoods, left_out.lines)
      if (goods.size === 0) count(left_out.invoices, 'no line of it can be ordered')
      const parts = partsOf(invoice, goods)
      if (parts.length > 1) split += 1
      lines += goods.size
      orders.push(...parts)
    }
    return { orders, cancellations, figures: { invoices, split, lines }, left_out }
  }
}

function soldOn({ entries }: Gathered, isGoods: (sku: string) => boolean, left_out: Tally): Goods {
  const goods = new Map<string, number>()
  for (const { sku, quantity, isPriced } of entries) {
    const sum = (goods.get(sku) ?? 0) + quantity
    if (!isGoods(sku)) count(left_out, 'the stock code is not in the catalogue')
    else if (quantity <= 0) count(left_out, 'the quantity is not above 0: written off')
    else if (!isPriced) count(left_out, 'the price is 0: given away, or a correction')
    else if (sum > mostUnits) count(left_out, `more than ${mostUnits} units of one SKU`)
    else goods.set(sku, sum)
  }
  return goods
}

function takenBack({ entries }: Gathered, isGoods: (sku: string) => boolean): Goods {
  const goods = new Map<string, number>()
  for (const { sku, quantity } of entries) {
    if (isGoods(sku) && quantity < 0) goods.set(sku, (goods.get(sku) ?? 0) - quantity)
  }
  return goods
}

/** The orders that an invoice becomes, each of at most 500 lines. */
export function partsOf(
  { invoice_no, customer_id }: Pick<Gathered, 'invoice_no' | 'customer_id'>,
  goods: Goods,
): WholesaleOrder[] {
  const lines = [...goods]
  return Array.from({ length: Math.ceil(lines.length / mostLines) }, (_, part) => ({
    client_order_number: part === 0 ? invoice_no : `${invoice_no}-${part + 1}`,
    customer_id,
    goods: new Map(lines.slice(part * mostLines, (part + 1) * mostLines)),
  }))
}
