/**
 * The bookings of orders. A submit charges everything except the freight, which is reserved. The freight of a shipment
 * is charged when it ships. Voided orders are refunded. The customer therefore pays the total of a shipped order, and
 * nothing for a voided one.
 */
import type { Costs, ErpShipment } from '@trade-gateway/connector'
import { takeDocumentNumber } from '../sequences.ts'
import type { Store } from '../store.ts'
import { type AccountKey, changeFrozenAmount } from './accounts.ts'
import { type Booking, type Books, bookEntry, type EntryDocument, readCompanyPostings } from './book.ts'

/** The fields of an order that the ledger uses. */
export interface Sale extends AccountKey {
  readonly order_type: 'wholesale' | 'dropship'
  readonly number: string
  readonly reference: string | null
  readonly client_order_number: string | null
  readonly costs: Costs
}

/** The data that determine the freight of a shipment. */
export interface Parcel {
  readonly shipment: Pick<ErpShipment, 'number' | 'carrier' | 'tracking_number'>
  readonly weight_g: number
  readonly chargeable_weight_g: number
  readonly zone: string
}

/** The time that the goods of an intercepted order take to return. The refund is completed after it. */
export const returnMs = 24 * 60 * 60 * 1000
const maxRefundsPerTurn = 100

/** Charges an order, in the caller's transaction. */
export function chargeOrder(books: Books, sale: Sale): void {
  const { goods, discount, handling, tax, freight } = sale.costs
  bookEntry(books, {
    ...toAccountKey(sale),
    type: 'order_charge',
    company: { sales: goods, discounts: 0 - discount, handling, tax },
    document: toEntryDocument(sale),
    client_order_number: sale.client_order_number,
    description: `Order ${sale.number}`,
  })
  changeFrozenAmount(books.store, sale, freight)
}

/** Charges the freight of a shipped order: divided by weight, with the remainder on the last shipment. */
export function chargeFreight(books: Books, sale: Sale, parcels: readonly Parcel[]): void {
  const { store } = books
  if (!findCharge(store, sale.number)) return
  const { freight } = sale.costs
  changeFrozenAmount(store, sale, 0 - freight)
  const shares = divideByWeights(
    freight,
    parcels.map(({ chargeable_weight_g }) => chargeable_weight_g),
  )
  parcels.forEach((parcel, index) => {
    const amount = shares[index] ?? 0
    if (amount > 0) billFreight(books, sale, { ...parcel, amount })
  })
}

/** Divides an amount by weights. The parts are not negative and sum to the amount exactly. */
export function divideByWeights(amount: number, weights: readonly number[]): number[] {
  const all = weights.reduce((sum, weight) => sum + BigInt(Math.max(1, weight)), 0n)
  let left = amount
  return weights.map((weight, index) => {
    const share =
      index === weights.length - 1 ? left : Number((BigInt(amount) * BigInt(Math.max(1, weight))) / all)
    left -= share
    return share
  })
}

function billFreight(books: Books, sale: Sale, bill: Parcel & { readonly amount: number }) {
  const { store } = books
  const { shipment, weight_g, chargeable_weight_g, zone, amount } = bill
  const number = takeDocumentNumber(store, 'FB')
  const booked = bookEntry(books, {
    ...toAccountKey(sale),
    type: 'freight',
    company: { freight: amount },
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

/** Refunds the charge of an order, at once or when its goods have returned, in the caller's transaction. */
export function refundOrder(books: Books, sale: Sale, how: 'at once' | 'when returned'): void {
  const charge = findCharge(books.store, sale.number)
  if (!charge) return
  changeFrozenAmount(books.store, sale, 0 - sale.costs.freight)
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
  /** Milliseconds until the refund is completed; null if it is rejected. */
  readonly dueIn: number | null
}

/** Stores a refund and returns its number. */
export function requestRefund({ store, bookingClock }: Books, sale: Sale, request: RefundRequest): string {
  const number = takeDocumentNumber(store, 'RF')
  const requested_at = bookingClock.takeBookingTime()
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

/** Finds refunds that are due at `now`, the most overdue first, up to a limit. */
export function findDueRefunds(store: Store, now: number): string[] {
  return store
    .all(
      "select number from refunds where status = 'pending' and due_at <= ? order by due_at, id limit ?",
      now,
      maxRefundsPerTurn,
    )
    .map(({ number }) => String(number))
}

/** Books a refund, in the caller's transaction. */
export function completeRefund(books: Books, number: string): void {
  const { store } = books
  const row = store.one('select * from refunds where number = ?', number)
  const charge = findCharge(store, String(row?.order_number))
  if (!row || !charge) throw new Error(`There is nothing to refund by ${number}.`)
  const isDropship = row.order_type === 'dropship'
  const booked: Booking = bookEntry(books, {
    customer_code: String(row.customer_code),
    currency: String(row.currency),
    type: 'refund',
    company: Object.fromEntries(
      Object.entries(readCompanyPostings(store, charge.id)).map(([account, gain]) => [account, 0 - gain]),
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

interface Payment {
  readonly amount: number
  readonly type: 'payment' | 'topup'
  readonly document: EntryDocument | null
  readonly description: string
}

/** Books a payment for an order, for a bill or in advance, in the caller's transaction. */
export function bookPayment(
  books: Books,
  account: AccountKey,
  { amount, type, document, description }: Payment,
): Booking {
  return bookEntry(books, {
    ...toAccountKey(account),
    type,
    document,
    description,
    company: { bank: 0 - amount },
    client_order_number: null,
  })
}

/** Finds the charge of an order. */
function findCharge(store: Store, order: string): { id: number; amount: number } | undefined {
  const row = store.one(
    "select id, amount from ledger_entries where document_number = ? and type = 'order_charge'",
    order,
  )
  return row && { id: Number(row.id), amount: 0 - Number(row.amount) }
}

function toAccountKey({ customer_code, currency }: AccountKey): AccountKey {
  return { customer_code, currency }
}

/** Returns the document of an order for ledger entries. */
export function toEntryDocument({ order_type, number, reference }: Sale): EntryDocument {
  return { kind: order_type === 'dropship' ? 'dropship_order' : 'order', number, reference }
}
