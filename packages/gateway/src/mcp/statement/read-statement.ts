/** Reads the lists of a statement between two days, page by page. All pages of a list show it as of one instant. */

import { z } from 'zod'
import { type ActionContext, encodeQuery, type Query } from '../action-context.ts'

/** The lists of a statement. */
export const statementKinds = ['balances', 'transactions', 'bills', 'refunds', 'freight_bills'] as const
export type StatementKind = (typeof statementKinds)[number]

const pageSize = 200
/** The largest number of pages of one list that are read, enough for a year of a busy account. */
const maxPages = 25

const balance = z.looseObject({ currency: z.string(), balance: z.number(), updated_at: z.string() })
const transaction = z.looseObject({
  transaction_id: z.string(),
  occurred_at: z.string(),
  type: z.string(),
  amount: z.number(),
  currency: z.string(),
  balance_after: z.number(),
})
const bill = z.looseObject({
  bill_id: z.string(),
  issued_at: z.string(),
  currency: z.string(),
  amount_total: z.number(),
  amount_paid: z.number(),
  amount_due: z.number(),
  status: z.string(),
})
const refund = z.looseObject({
  refund_id: z.string(),
  requested_at: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.string(),
  transaction_id: z.string().nullable(),
})
const freightBill = z.looseObject({
  freight_bill_id: z.string(),
  billed_at: z.string(),
  amount: z.number(),
  currency: z.string(),
})
const pageBalances = z.array(
  z.object({ currency: z.string(), opening_balance: z.number(), closing_balance: z.number() }),
)

export type Balance = z.output<typeof balance>
export type Transaction = z.output<typeof transaction>

/** The requested lists, newest row first as in the API; a list that was not requested is undefined. */
export interface StatementData {
  readonly balances?: readonly Balance[]
  readonly transactions?: readonly Transaction[]
  /** The opening and closing balances of each page of transactions, newest page first. */
  readonly pages: readonly z.output<typeof pageBalances>[]
  readonly bills?: readonly z.output<typeof bill>[]
  readonly refunds?: readonly z.output<typeof refund>[]
  readonly freight_bills?: readonly z.output<typeof freightBill>[]
  /** The instant as of which each list was read (RFC 3339). */
  readonly asOf: Readonly<Partial<Record<StatementKind, string>>>
  /** The number of rows that were read of each list that has more than `maxPages` pages. */
  readonly cutShort: Readonly<Partial<Record<StatementKind, number>>>
}

export async function readStatement(
  context: ActionContext,
  days: Query,
  wanted: ReadonlySet<StatementKind>,
): Promise<StatementData> {
  const pages: z.output<typeof pageBalances>[] = []
  const asOf: Partial<Record<StatementKind, string>> = {}
  const cutShort: Partial<Record<StatementKind, number>> = {}
  let done = 0
  const readList = async <T extends z.ZodType>(kind: StatementKind, path: string, item: T, window: Query) => {
    if (!wanted.has(kind)) return undefined
    const read = await readAllPages(context, path, item, window, (balances) => pages.push(balances))
    const { rows, as_of, isCut } = read
    if (as_of !== undefined) asOf[kind] = as_of
    if (isCut) cutShort[kind] = rows.length
    done += 1
    context.reportProgress(done, wanted.size)
    return rows
  }
  const read = {
    transactions: await readList('transactions', '/api/v1/transactions', transaction, days),
    bills: await readList('bills', '/api/v1/bills', bill, days),
    refunds: await readList('refunds', '/api/v1/refunds', refund, days),
    freight_bills: await readList('freight_bills', '/api/v1/freight-bills', freightBill, days),
    // Balances are current and have no date range. They are read last, so that bookings made in the meantime can be
    // detected.
    balances: await readList('balances', '/api/v1/balances', balance, {}),
  }
  return { ...omitUndefined(read), pages, asOf, cutShort }
}

/** Reads all rows of a list as they were at the instant of its first page. */
export async function readAllPages<T extends z.ZodType>(
  context: ActionContext,
  path: string,
  item: T,
  days: Query,
  onBalances: (balances: z.output<typeof pageBalances>) => void,
) {
  const schema = z.object({
    data: z.array(item),
    has_more: z.boolean(),
    as_of: z.string().optional(),
    next_cursor: z.string().nullable(),
    balances: pageBalances.optional(),
  })
  const rows: z.output<T>[] = []
  let as_of: string | undefined
  let cursor: string | undefined
  for (let page = 1; page <= maxPages; page++) {
    const rawQuery = encodeQuery({ ...days, page_size: pageSize, cursor })
    const { json } = await context.fetchJson(schema, { method: 'GET', path, rawQuery })
    rows.push(...json.data)
    if (json.balances) onBalances(json.balances)
    as_of ??= json.as_of
    cursor = json.next_cursor ?? undefined
    if (cursor === undefined) return { rows, as_of, isCut: false }
  }
  return { rows, as_of, isCut: true }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes undefined members. The cast holds because only members with a value remain. */
function omitUndefined<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Present<T>
}

/** Merges the lists into one, newest first. Balances come first, because they are current. */
export function mergeRows({
  balances = [],
  transactions = [],
  bills = [],
  refunds = [],
  freight_bills = [],
}: StatementData) {
  const dated = [
    ...transactions.map((row) => ({ at: row.occurred_at, row: { kind: 'transactions' as const, ...row } })),
    ...bills.map((row) => ({ at: row.issued_at, row: { kind: 'bills' as const, ...row } })),
    ...refunds.map((row) => ({ at: row.requested_at, row: { kind: 'refunds' as const, ...row } })),
    ...freight_bills.map((row) => ({ at: row.billed_at, row: { kind: 'freight_bills' as const, ...row } })),
  ]
  const newestFirst = dated.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  return [
    ...balances.map((row) => ({ kind: 'balances' as const, ...row })),
    ...newestFirst.map(({ row }) => row),
  ]
}
