/** The reconciliation records of a period, read page by page through the public API. */
import { z } from 'zod'
import { Unanswered } from '../client.ts'

const rowsPerPage = 200
const mostPages = 5_000
const dayMs = 24 * 60 * 60 * 1000
/** The longest span of a list, in days. */
export const mostDays = 366

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
const seam = z.object({ currency, opening_balance: z.number(), closing_balance: z.number() })
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

const pageOf = <Row extends z.ZodType>(row: Row) => z.object({ ...envelope, data: z.array(row) })
const transactionPage = pageOf(transaction).extend({ balances: z.array(seam) })

export type Transaction = z.infer<typeof transaction>
export type Bill = z.infer<typeof bill>
export type Refund = z.infer<typeof refund>
export type FreightBill = z.infer<typeof freightBill>
export type TransactionPage = Pick<z.infer<typeof transactionPage>, 'data' | 'balances'>

/** Everything that a statement of a period is proved from. */
export interface Records {
  /** The first and the last day. */
  readonly from: string
  readonly to: string
  /** The time as of which the transactions were read. */
  readonly as_of: string
  /** Newest first, as they came. */
  readonly pages: readonly TransactionPage[]
  readonly bills: readonly Bill[]
  readonly refunds: readonly Refund[]
  readonly freight_bills: readonly FreightBill[]
  readonly balances: readonly z.infer<typeof balance>[]
}

/** Reads a path of the API: the JSON of a success, or it throws. */
export type Read = (path: string) => Promise<unknown>

/** The records of a period; without days, of the 30 that end with the present one of the ERP. Throws `Unanswered`. */
export async function recordsOf(read: Read, days: { from?: string; to?: string } = {}): Promise<Records> {
  const present = z.object({ as_of: z.string() }).parse(await read('/api/v1/transactions?page_size=1')).as_of
  const to = days.to ?? present.slice(0, 10)
  const from = days.from ?? dayBefore(to, 29)
  const span = `start_date=${from}&end_date=${to}`
  const { pages, as_of } = await transactionPages(read, span)
  return {
    from,
    to,
    as_of,
    pages,
    bills: await rowsOf(read, 'bills', span, bill),
    // A refund may have been asked for long before it was booked.
    refunds: await rowsOf(
      read,
      'refunds',
      `start_date=${dayBefore(to, mostDays - 1)}&end_date=${to}`,
      refund,
    ),
    freight_bills: await rowsOf(read, 'freight-bills', span, freightBill),
    balances: pageOf(balance).parse(await read('/api/v1/balances?page_size=200')).data,
  }
}

/** The day so many days before another one. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10)
}

async function transactionPages(read: Read, span: string) {
  const pages: TransactionPage[] = []
  let as_of = ''
  for (let page = 1; page <= mostPages; page++) {
    const answer = transactionPage.parse(await read(pathOf('transactions', span, page, as_of)))
    pages.push({ data: answer.data, balances: answer.balances })
    as_of = answer.as_of
    if (!answer.has_more) return { pages, as_of }
  }
  throw new Unanswered(`There are more than ${mostPages} pages of transactions.`)
}

async function rowsOf<Row extends z.ZodType>(
  read: Read,
  list: string,
  span: string,
  row: Row,
): Promise<z.infer<Row>[]> {
  const rows: z.infer<Row>[] = []
  let asOf = ''
  for (let page = 1; page <= mostPages; page++) {
    const { data, has_more, as_of } = pageOf(row).parse(await read(pathOf(list, span, page, asOf)))
    rows.push(...data)
    asOf = as_of
    if (!has_more) return rows
  }
  throw new Unanswered(`There are more than ${mostPages} pages of ${list}.`)
}

function pathOf(list: string, span: string, page: number, asOf: string): string {
  const pinned = asOf === '' ? '' : `&as_of=${encodeURIComponent(asOf)}`
  return `/api/v1/${list}?${span}&page_size=${rowsPerPage}&page=${page}${pinned}`
}
