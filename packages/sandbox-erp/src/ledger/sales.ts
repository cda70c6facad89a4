/**
 * What orders do to the books. The submit charges everything but the freight, which is set aside; each shipment is
 * charged its freight when it leaves; what never leaves is refunded. So an order that was shipped comes to its total,
 * and one that was voided to nothing.
 */
import type { Costs, ErpShipment } from '@trade-gateway/connector'
import { ownNumber } from '../orders/documents.ts'
import type { Store } from '../store.ts'
import { type AccountKey, freeze } from './accounts.ts'
import { type Booked, type Books, book, type EntryDocument, houseOf } from './book.ts'

/** An order as the books know it. */
export interface Sale extends AccountKey {
  readonly order_type: 'wholesale' | 'dropship'
  readonly number: string
  readonly reference: string | null
  readonly client_order_number: string | null
  readonly costs: Costs
}

/** What the way of a shipment is charged by. */
export interface Parcel {
  readonly shipment: Pick<ErpShipment, 'number' | 'carrier' | 'tracking_number'>
  readonly weight_g: number
  readonly chargeable_weight_g: number
  readonly zone: string
}

/** How long the goods of an intercepted order are on their way back: its refund is completed then. */
export const returnMs = 24 * 60 * 60 * 1000
const mostRefundsPerTurn = 100

/** Charges an order, inside the caller's transaction. */
export function chargeOrder(books: Books, sale: Sale): void {
  const { goods, discount, handling, tax, freight } = sale.costs
  book(books, {
    ...accountOf(sale),
    type: 'order_charge',
    house: { sales: goods, discounts: 0 - discount, handling, tax },
    document: documentOf(sale),
    client_order_number: sale.client_order_number,
    description: `Order ${sale.number}`,
  })
  freeze(books.store, sale, freight)
}

/** Charges the freight of an order that leaves: each shipment by its weight, the last one the rest. */
export function chargeFreight(books: Books, sale: Sale, parcels: readonly Parcel[]): void {
  const { store } = books
  if (!chargeOf(store, sale.number)) return
  const { freight } = sale.costs
  freeze(store, sale, 0 - freight)
  const shares = sharesOf(
    freight,
    parcels.map(({ chargeable_weight_g }) => chargeable_weight_g),
  )
  parcels.forEach((parcel, index) => {
    const amount = shares[index] ?? 0
    if (amount > 0) billFreight(books, sale, parcel, amount)
  })
}

/** Divides an amount by weights: exactly, and never below zero. */
export function sharesOf(amount: number, weights: readonly number[]): number[] {
  const all = weights.reduce((sum, weight) => sum + BigInt(Math.max(1, weight)), 0n)
  let left = amount
  return weights.map((weight, index) => {
    const share =
      index === weights.length - 1 ? left : Number((BigInt(amount) * BigInt(Math.max(1, weight))) / all)
    left -= share
    return share
  })
}

function billFreight(books: Books, sale: Sale, parcel: Parcel, amount: number) {
  const { store } = books
  const { shipment, weight_g, chargeable_weight_g, zone } = parcel
  const number = ownNumber(store, 'FB')
  const booked = book(books, {
    ...accountOf(sale),
    type: 'freight',
    house: { freight: amount },
    document: { kind: 'freight_bill', number, reference: null },
    client_order_number: sale.client_order_number,
    description: `Freight of ${shipment.number}, order ${sale.number}`,
  })
  store.run(
    `insert into freight_bills (number, customer_code, currency, billed_at, shipment_number, order_type, order_number,
       reference, tracking_number, carrier, weight_g, chargeable_weight_g, zone, amount, entry_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    number,
    sale.customer_code,
    sale.currency,
    booked.occurred_at,
    shipment.number,
    sale.order_type,
    sale.number,
    sale.reference,
    shipment.tracking_number,
    shipment.carrier,
    weight_g,
    chargeable_weight_g,
    zone,
    amount,
    booked.id,
  )
}

/** Takes the charge of an order back, at once or when its goods are back, inside the caller's transaction. */
export function refundOrder(books: Books, sale: Sale, how: 'at once' | 'when returned'): void {
  const charge = chargeOf(books.store, sale.number)
  if (!charge) return
  freeze(books.store, sale, 0 - sale.costs.freight)
  const isReturn = how === 'when returned'
  const number = requestRefund(books, sale, {
    amount: charge.amount,
    reason: isReturn ? 'Intercepted on its way' : 'Order voided',
    dueIn: isReturn ? returnMs : 0,
  })
  if (!isReturn) completeRefund(books, number)
}

interface RefundRequest {
  readonly amount: number
  readonly reason: string
  /** How long until it is completed; null: never, it is rejected. */
  readonly dueIn: number | null
}

/** Notes a refund; answers its number. */
export function requestRefund({ store, stamps }: Books, sale: Sale, request: RefundRequest): string {
  const number = ownNumber(store, 'RF')
  const requested_at = stamps.next()
  const { amount, reason, dueIn } = request
  store.run(
    `insert into refunds (number, customer_code, currency, order_type, order_number, reference, client_order_number,
       amount, reason, status, requested_at, completed_at, due_at, entry_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, null)`,
    number,
    sale.customer_code,
    sale.currency,
    sale.order_type,
    sale.number,
    sale.reference,
    sale.client_order_number,
    amount,
    reason,
    dueIn === null ? 'rejected' : 'pending',
    requested_at,
    dueIn === null ? null : requested_at + dueIn,
  )
  return number
}

/** The refunds whose time has come at `now`, the most overdue first, a bounded turn of them. */
export function dueRefunds(store: Store, now: number): string[] {
  return store
    .all(
      "select number from refunds where status = 'pending' and due_at <= ? order by due_at, id limit ?",
      now,
      mostRefundsPerTurn,
    )
    .map(({ number }) => String(number))
}

/** Books a refund, inside the caller's transaction. */
export function completeRefund(books: Books, number: string): void {
  const { store } = books
  const row = store.one('select * from refunds where number = ?', number)
  const charge = chargeOf(store, String(row?.order_number))
  if (!row || !charge) throw new Error(`There is nothing to refund by ${number}.`)
  const isDropship = row.order_type === 'dropship'
  const booked: Booked = book(books, {
    customer_code: String(row.customer_code),
    currency: String(row.currency),
    type: 'refund',
    house: Object.fromEntries(
      Object.entries(houseOf(store, charge.id)).map(([account, gain]) => [account, 0 - gain]),
    ),
    document: {
      kind: isDropship ? 'dropship_order' : 'order',
      number: String(row.order_number),
      reference: row.reference === null ? null : String(row.reference),
    },
    client_order_number: row.client_order_number === null ? null : String(row.client_order_number),
    description: `Refund ${number} of order ${row.order_number}`,
  })
  store.run(
    "update refunds set status = 'completed', completed_at = ?, due_at = null, entry_id = ? where number = ?",
    booked.occurred_at,
    booked.id,
    number,
  )
}

/** Books money that came in for an order, a bill, or ahead, inside the caller's transaction. */
export function payIn(
  books: Books,
  account: AccountKey,
  amount: number,
  what: {
    readonly type: 'payment' | 'topup'
    readonly document: EntryDocument | null
    readonly description: string
  },
): Booked {
  return book(books, {
    ...accountOf(account),
    ...what,
    house: { bank: 0 - amount },
    client_order_number: null,
  })
}

/** What an order was charged; undefined where it was not. */
function chargeOf(store: Store, order: string): { id: number; amount: number } | undefined {
  const row = store.one(
    "select id, amount from ledger_entries where document_number = ? and type = 'order_charge'",
    order,
  )
  return row && { id: Number(row.id), amount: 0 - Number(row.amount) }
}

function accountOf({ customer_code, currency }: AccountKey): AccountKey {
  return { customer_code, currency }
}

/** How the books call an order. */
export function documentOf({ order_type, number, reference }: Sale): EntryDocument {
  return { kind: order_type === 'dropship' ? 'dropship_order' : 'order', number, reference }
}
