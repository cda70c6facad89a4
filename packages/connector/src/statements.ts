/**
 * The shapes of a customer's statements: the account in each currency, its transactions, bills, refunds and freight
 * bills. They come from the ERP's ledger; the gateway computes none of them. Amounts are integers in minor units of
 * their currency. Account amounts are signed: positive means in the customer's favour.
 */
import { z } from 'zod'
import { reference } from './documents.ts'
import { currency } from './money.ts'

/** The maximum number of rows in one page of a statement list. */
export const maxStatementRows = 200
const maxAmount = Number.MAX_SAFE_INTEGER

const word = z.string().min(1).max(64)
const signed = z.int().min(-maxAmount).max(maxAmount)
const unsigned = z.int().min(0).max(maxAmount)
const instant = z.iso.datetime()
const date = z.iso.date()
const grams = z.int().min(0).max(maxAmount)
const statusRaw = z.string().min(1).max(100)
/** The position in a list at which a page ends. The gateway does not interpret it. */
const place = z.string().min(1).max(400)

/** The customer and the currency of the account; null means all currencies. */
const account = { customer_code: word, currency: currency.nullable() }

/** The input of every statement list: the account, a period and a position in the list. */
const list = {
  ...account,
  /** The first instant of the period. */
  from: instant,
  /** The first instant after the period; null means until now by the ERP's clock. */
  to: instant.nullable(),
  /** `next` of an earlier page; the page starts after it. Null starts at the newest row. */
  after: place.nullable(),
  /** The number of rows to skip first, for clients that request a page in the middle of the list. */
  skip: z.int().min(0).max(maxAmount),
  limit: z.int().min(1).max(maxStatementRows),
}

/** The fields that every page has besides its rows. */
const page = {
  /** The ERP's time when it read the page. Anything booked afterwards has a later time. */
  as_of: instant,
  /** The value to send as `after` for the next page; null on the last page. */
  next: place.nullable(),
}

/** The current state of a customer's account. */
export const erpBalance = z.object({
  currency,
  /**
   * The sum of all booked amounts, which is `balance_after` of the newest transaction. Negative if the customer owes
   * it.
   */
  balance: signed,
  /** The amount that the customer can still spend. */
  available: signed,
  /** The amount that is reserved for orders that are not booked yet. */
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

/** The kinds of documents that a transaction can refer to. */
export const statementDocuments = ['order', 'dropship_order', 'refund', 'freight_bill', 'bill'] as const

/** A transaction on a customer's account. */
export const erpTransaction = z.object({
  /** The ERP's own number, unique among its transactions for ever. The gateway derives the id of its response from it. */
  number: word,
  occurred_at: instant,
  type: z.enum(transactionTypes),
  amount: signed,
  currency,
  /** The balance of the account after this transaction. */
  balance_after: signed,
  /** The document that the transaction is about: the ERP's own number, and the gateway's reference for its orders. */
  document: z
    .object({ kind: z.enum(statementDocuments), number: word, reference: reference.nullable() })
    .nullable(),
  /** The bill that contains the transaction; null if there is none, or none yet. */
  bill_number: word.nullable(),
  client_order_number: z.string().max(64).nullable(),
  description: z.string().max(500),
  status_raw: statusRaw,
})

export const billStatuses = ['open', 'paid', 'void'] as const

/** A bill for a period. `amount_total` is the negated sum of its transactions: positive if the customer owes it. */
export const erpBill = z.object({
  /** Unique among the ERP's bills for ever, as that of a transaction. */
  number: word,
  /** The number that is printed on the bill, if it is another one: that of most ERPs begins again with each year. */
  printed_number: word.nullable().optional(),
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

/** The order that a refund or freight bill refers to. */
const order = z.object({
  order_type: z.enum(['wholesale', 'dropship']),
  /** The ERP's own number. */
  number: word,
  /** The gateway's reference; null for orders of other channels. */
  reference: reference.nullable(),
})

export const refundStatuses = ['pending', 'completed', 'rejected'] as const

/** A refund, whether it is pending, completed or rejected. */
export const erpRefund = z.object({
  number: word,
  order,
  amount: unsigned,
  currency,
  reason: z.string().max(300),
  status: z.enum(refundStatuses),
  requested_at: instant,
  completed_at: instant.nullable(),
  /**
   * The transaction that booked the refund, of the same amount; null while it is pending, and always null if rejected.
   */
  transaction_number: word.nullable(),
})

/** The freight cost of a shipment, as charged to the customer. */
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
  /** The amount that the customer owes for the freight; positive. */
  amount: unsigned,
  currency,
  bill_number: word.nullable(),
  /** The transaction that booked only this bill, of the negated amount; null if there is none. */
  transaction_number: word.nullable(),
})

/** The balance before the oldest row of a page and after its newest row, for each requested currency. */
export const spanBalance = z.object({ currency, opening_balance: signed, closing_balance: signed })

const maxCurrencies = 200
const declareRows = <Row extends z.ZodType>(row: Row) => z.array(row).max(maxStatementRows)

/** Input and output of each statement operation. */
export const statements = {
  balances: {
    input: z.object(account),
    output: z.object({ as_of: instant, balances: z.array(erpBalance).max(maxCurrencies) }),
  },
  transactions: {
    input: z.object(list),
    output: z.object({
      ...page,
      transactions: declareRows(erpTransaction),
      balances: z.array(spanBalance).max(maxCurrencies),
    }),
  },
  bills: {
    input: z.object({ ...list, status: z.enum(billStatuses).nullable() }),
    output: z.object({ ...page, bills: declareRows(erpBill) }),
  },
  refunds: {
    input: z.object({ ...list, status: z.enum(refundStatuses).nullable() }),
    output: z.object({ ...page, refunds: declareRows(erpRefund) }),
  },
  freight_bills: {
    input: z.object(list),
    output: z.object({ ...page, freight_bills: declareRows(erpFreightBill) }),
  },
}

export type ErpBalance = z.output<typeof erpBalance>
export type ErpTransaction = z.output<typeof erpTransaction>
export type ErpBill = z.output<typeof erpBill>
export type ErpRefund = z.output<typeof erpRefund>
export type ErpFreightBill = z.output<typeof erpFreightBill>
export type SpanBalance = z.output<typeof spanBalance>
