/**
 * What an ERP tells of a customer's money: the account in each currency, what was booked on it, and the bills, refunds
 * and freight bills behind that. It is the ERP's own ledger, told and never computed by the gateway. Amounts are
 * integers in minor units of their currency; on the account they are signed, and what the customer has is positive.
 */
import { z } from 'zod'
import { reference } from './documents.ts'

/** The most rows of one page of a statement list. */
export const mostStatementRows = 200
const mostAmount = Number.MAX_SAFE_INTEGER

const word = z.string().min(1).max(64)
const signed = z.int().min(-mostAmount).max(mostAmount)
const unsigned = z.int().min(0).max(mostAmount)
const currency = z.string().regex(/^[A-Z]{3}$/)
const instant = z.iso.datetime()
const date = z.iso.date()
const grams = z.int().min(0).max(mostAmount)
const statusRaw = z.string().min(1).max(100)
/** Opaque to the gateway: where a page ends. */
const place = z.string().min(1).max(400)

/** Whose statements, and of which account; null: of all currencies. */
const account = { customer_code: word, currency: currency.nullable() }

/** What every statement list takes: a span, and where in it to go on. */
const list = {
  ...account,
  /** The first instant of the span. */
  from: instant,
  /** The first instant after it; null: everything until now, by the ERP's own clock. */
  to: instant.nullable(),
  /** `next` of an earlier page: the page begins after it. Null: at the newest row. */
  after: place.nullable(),
  /** So many rows are passed over first, for whoever asks for a page in the middle. */
  skip: z.int().min(0).max(mostAmount),
  limit: z.int().min(1).max(mostStatementRows),
}

/** What every page carries beside its rows. */
const page = {
  /** The ERP's time: whatever is booked from now on is later than this. */
  as_of: instant,
  /** What to send as `after` for the rows behind this page; null on the last one. */
  next: place.nullable(),
}

/** An account of a customer as it is now. */
export const erpBalance = z.object({
  currency,
  /** What was booked, all in all: the `balance_after` of the newest transaction. Below zero the customer owes it. */
  balance: signed,
  /** What can still be spent. */
  available: signed,
  /** What is set aside for what was promised and is not booked yet. */
  frozen: unsigned,
  credit_limit: unsigned,
  credit_used: unsigned,
  updated_at: instant,
})

export const transactionTypes = [
  'payment',
  'order_charge',
  'refund',
  'freight',
  'adjustment',
  'topup',
] as const

/** The kinds of documents that a transaction can be about. */
export const statementDocuments = ['order', 'dropship_order', 'refund', 'freight_bill', 'bill'] as const

/** Something that was booked on a customer's account. */
export const erpTransaction = z.object({
  /** The ERP's own number, unique among its transactions. */
  number: word,
  occurred_at: instant,
  type: z.enum(transactionTypes),
  amount: signed,
  currency,
  /** The balance of the account with this and everything before it. */
  balance_after: signed,
  /** What it is about: the ERP's own number, and for an order of the gateway the reference that it carries. */
  document: z
    .object({ kind: z.enum(statementDocuments), number: word, reference: reference.nullable() })
    .nullable(),
  /** The bill on which it stands; null where it is on none, or not yet. */
  bill_number: word.nullable(),
  client_order_number: z.string().max(64).nullable(),
  description: z.string().max(500),
  status_raw: statusRaw,
})

export const billStatuses = ['open', 'paid', 'void'] as const

/** What a customer owes for a period: `amount_total` is what its transactions come to, positive where it is owed. */
export const erpBill = z.object({
  number: word,
  period_start: date,
  period_end: date,
  issued_at: instant,
  due_date: date,
  currency,
  amount_total: signed,
  amount_paid: signed,
  /** `amount_total` − `amount_paid`. */
  amount_due: signed,
  status: z.enum(billStatuses),
  document_url: z.url().max(2000).nullable(),
})

/** An order as a statement names it. */
const order = z.object({
  order_type: z.enum(['wholesale', 'dropship']),
  /** The ERP's own number. */
  number: word,
  /** The gateway's, where the order is one of its. */
  reference: reference.nullable(),
})

export const refundStatuses = ['pending', 'completed', 'rejected'] as const

/** Money that goes back, or does not. */
export const erpRefund = z.object({
  number: word,
  order,
  amount: unsigned,
  currency,
  reason: z.string().max(300),
  status: z.enum(refundStatuses),
  requested_at: instant,
  completed_at: instant.nullable(),
  /** The transaction that booked it, of the same amount; null while it is pending, and for ever where it is rejected. */
  transaction_number: word.nullable(),
})

/** What the way of a shipment costs the customer. */
export const erpFreightBill = z.object({
  number: word,
  billed_at: instant,
  /** The ERP's own number of the shipment. */
  shipment_number: word.nullable(),
  order: order.nullable(),
  tracking_number: z.string().max(100).nullable(),
  carrier: z.string().max(100),
  weight_g: grams,
  chargeable_weight_g: grams,
  zone: z.string().max(64),
  /** Positive: what is owed for it. */
  amount: unsigned,
  currency,
  bill_number: word.nullable(),
  /** The transaction that booked it and nothing else, of the same amount below zero; null where there is none. */
  transaction_number: word.nullable(),
})

/** The balance before the oldest row of a page and after its newest, in each currency that was asked for. */
export const spanBalance = z.object({ currency, opening_balance: signed, closing_balance: signed })

const mostCurrencies = 200
const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).max(mostStatementRows)

/** Input and output of each statement operation. */
export const statements = {
  balances: {
    input: z.object(account),
    output: z.object({ as_of: instant, balances: z.array(erpBalance).max(mostCurrencies) }),
  },
  transactions: {
    input: z.object(list),
    output: z.object({
      ...page,
      transactions: rowsOf(erpTransaction),
      balances: z.array(spanBalance).max(mostCurrencies),
    }),
  },
  bills: {
    input: z.object({ ...list, status: z.enum(billStatuses).nullable() }),
    output: z.object({ ...page, bills: rowsOf(erpBill) }),
  },
  refunds: {
    input: z.object({ ...list, status: z.enum(refundStatuses).nullable() }),
    output: z.object({ ...page, refunds: rowsOf(erpRefund) }),
  },
  freight_bills: {
    input: z.object(list),
    output: z.object({ ...page, freight_bills: rowsOf(erpFreightBill) }),
  },
}

export type ErpBalance = z.output<typeof erpBalance>
export type ErpTransaction = z.output<typeof erpTransaction>
export type ErpBill = z.output<typeof erpBill>
export type ErpRefund = z.output<typeof erpRefund>
export type ErpFreightBill = z.output<typeof erpFreightBill>
export type SpanBalance = z.output<typeof spanBalance>
