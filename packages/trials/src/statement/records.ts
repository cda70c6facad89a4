/** Reads the reconciliation records of a period, page by page, through the public API. */
import { z } from 'zod'
import { NoUsableResponse } from '../client.ts'

const rowsPerPage = 200
const maxPages = 5_000
const dayMs = 24 * 60 * 60 * 1000
/** The longest period that one list request may cover, in days. */
export const maxDays = 366

const currency = z.string().regex(/^[A-Z]{3}$/)
const envelope = { has_more: z.boolean(), page: z.int(), as_of: z.string() }

const transaction = z.object({
  transaction_id: z.string(),
  occurred_at: z.string(),
  type: z.string(),
  amount: z.number(),
  currency,
  balance_after: z.number(),
  reference_type: z.string().nullable(),
  reference_id: z.string().nullable(),
  bill_id: z.string().nullable(),
})
const pageBalances = z.object({ currency, opening_balance: z.number(), closing_balance: z.number() })
const bill = z.object({
  bill_id: z.string(),
  period_start: z.string(),
  period_end: z.string(),
  issued_at: z.string(),
  currency,
  amount_total: z.number(),
  amount_paid: z.number(),
  amount_due: z.number(),
  status: z.enum(['open', 'paid', 'void']),
})
const refund = z.object({
  refund_id: z.string(),
  amount: z.number(),
  currency,
  status: z.enum(['pending', 'completed', 'rejected']),
  completed_at: z.string().nullable(),
  transaction_id: z.string().nullable(),
})
const freightBill = z.object({
  freight_bill_id: z.string(),
  billed_at: z.string(),
  order_id: z.string().nullable(),
  dropship_order_id: z.string().nullable(),
  amount: z.number(),
  currency,
  transaction_id: z.string().nullable(),
})
const balance = z.object({ currency, balance: z.number(), updated_at: z.string() })

const createPageSchema = <Row extends z.ZodType>(row: Row) => z.object({ ...envelope, data: z.array(row) })
const transactionPage = createPageSchema(transaction).extend({ balances: z.array(pageBalances) })

export type Transaction = z.infer<typeof transaction>
export type Bill = z.infer<typeof bill>
export type Refund = z.infer<typeof refund>
export type FreightBill = z.infer<typeof freightBill>
export type TransactionPage = Pick<z.infer<typeof transactionPage>, 'data' | 'balances'>

/** All records that the proof of a period requires. */
export interface Records {
  /** The first and the last day. */
  readonly from: string
  readonly to: string
  /** The time of the read: transactions that were booked later are not among the records. */
  readonly as_of: string
  /** Newest first, in the order of the responses. */
  readonly pages: readonly TransactionPage[]
  readonly bills: readonly Bill[]
  readonly refunds: readonly Refund[]
  readonly freight_bills: readonly FreightBill[]
  readonly balances: readonly z.infer<typeof balance>[]
}

/** A function that reads a path of the API. It returns the JSON of a successful response, or throws. */
export type Read = (path: string) => Promise<unknown>

/**
 * Reads the records of a period; by default of the 30 days that end with the ERP's current day. Throws
 * `NoUsableResponse`.
 */
export async function readRecords(read: Read, days: { from?: string; to?: string } = {}): Promise<Records> {
  const present = z.object({ as_of: z.string() }).parse(await read('/api/v1/transactions?page_size=1')).as_of
  const to = days.to ?? present.slice(0, 10)
  const from = days.from ?? subtractDays(to, 29)
  const span = `start_date=${from}&end_date=${to}`
  const { pages, as_of } = await readTransactionPages(read, span)
  return {
    from,
    to,
    as_of,
    pages,
    bills: await readRows(read, { list: 'bills', span }, bill),
    // A refund may have been requested long before it was booked.
    refunds: await readRows(
      read,
      { list: 'refunds', span: `start_date=${subtractDays(to, maxDays - 1)}&end_date=${to}` },
      refund,
    ),
    freight_bills: await readRows(read, { list: 'freight-bills', span }, freightBill),
    balances: createPageSchema(balance).parse(await read('/api/v1/balances?page_size=200')).data,
  }
}

/** Subtracts days from a day. */
export function subtractDays(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10)
}

async function readTransactionPages(read: Read, span: string) {
  const pages: TransactionPage[] = []
  let as_of = ''
  for (let page = 1; page <= maxPages; page++) {
    const answer = transactionPage.parse(await read(formatPath({ list: 'transactions', span }, page, as_of)))
    pages.push({ data: answer.data, balances: answer.balances })
    as_of = answer.as_of
    if (!answer.has_more) return { pages, as_of }
  }
  throw new NoUsableResponse(`There are more than ${maxPages} pages of transactions.`)
}

interface Listing {
  readonly list: string
  /** The query parameters of the period. */
  readonly span: string
}

async function readRows<Row extends z.ZodType>(
  read: Read,
  { list, span }: Listing,
  row: Row,
): Promise<z.infer<Row>[]> {
  const rows: z.infer<Row>[] = []
  let asOf = ''
  for (let page = 1; page <= maxPages; page++) {
    const { data, has_more, as_of } = createPageSchema(row).parse(
      await read(formatPath({ list, span }, page, asOf)),
    )
    rows.push(...data)
    asOf = as_of
    if (!has_more) return rows
  }
  throw new NoUsableResponse(`There are more than ${maxPages} pages of ${list}.`)
}

function formatPath({ list, span }: Listing, page: number, asOf: string): string {
  const pinned = asOf === '' ? '' : `&as_of=${encodeURIComponent(asOf)}`
  return `/api/v1/${list}?${span}&page_size=${rowsPerPage}&page=${page}${pinned}`
}
