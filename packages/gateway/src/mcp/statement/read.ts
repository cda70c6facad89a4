import { z } from 'zod'
import { type Query, rawQueryOf, type Visit } from '../visit.ts'

/** What of the account is read: everything between two days, page by page, each list as it was at one instant. */
export const kinds = ['balances', 'transactions', 'bills', 'refunds', 'freight_bills'] as const
export type Kind = (typeof kinds)[number]

const pageSize = 200
/** Pages of one list: a year of a busy account. */
const mostPages = 25

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

/** Lists newest first, as the API answers them; undefined where they were not asked for. */
export interface Read {
  readonly balances?: readonly Balance[]
  readonly transactions?: readonly Transaction[]
  /** What the transactions' pages say of themselves, the newest page first. */
  readonly pages: readonly z.output<typeof pageBalances>[]
  readonly bills?: readonly z.output<typeof bill>[]
  readonly refunds?: readonly z.output<typeof refund>[]
  readonly freight_bills?: readonly z.output<typeof freightBill>[]
  /** The instant as of which each list was read. */
  readonly asOf: Readonly<Partial<Record<Kind, string>>>
  /** Lists that have more pages than were read, and how many rows of them were. */
  readonly cutShort: Readonly<Partial<Record<Kind, number>>>
}

export async function readStatement(visit: Visit, days: Query, wanted: ReadonlySet<Kind>): Promise<Read> {
  const pages: z.output<typeof pageBalances>[] = []
  const asOf: Partial<Record<Kind, string>> = {}
  const cutShort: Partial<Record<Kind, number>> = {}
  let done = 0
  const list = async <T extends z.ZodType>(kind: Kind, path: string, item: T, window: Query) => {
    if (!wanted.has(kind)) return undefined
    const told = await everyPage(visit, path, item, window, (balances) => pages.push(balances))
    const { rows, as_of, isCut } = told
    if (as_of !== undefined) asOf[kind] = as_of
    if (isCut) cutShort[kind] = rows.length
    done += 1
    visit.progress(done, wanted.size)
    return rows
  }
  const read = {
    transactions: await list('transactions', '/api/v1/transactions', transaction, days),
    bills: await list('bills', '/api/v1/bills', bill, days),
    refunds: await list('refunds', '/api/v1/refunds', refund, days),
    freight_bills: await list('freight_bills', '/api/v1/freight-bills', freightBill, days),
    // A snapshot: it has no days. It is read last, so that it tells by itself whether anything was booked meanwhile.
    balances: await list('balances', '/api/v1/balances', balance, {}),
  }
  return { ...withoutUndefined(read), pages, asOf, cutShort }
}

/** Every row of a list as it was when its first page was read. */
async function everyPage<T extends z.ZodType>(
  visit: Visit,
  path: string,
  item: T,
  days: Query,
  onBalances: (balances: z.output<typeof pageBalances>) => void,
) {
  const schema = z.object({
    data: z.array(item),
    has_more: z.boolean(),
    as_of: z.string().optional(),
    balances: pageBalances.optional(),
  })
  const rows: z.output<T>[] = []
  let as_of: string | undefined
  for (let page = 1; page <= mostPages; page++) {
    const rawQuery = rawQueryOf({ ...days, page, page_size: pageSize, as_of })
    const { json } = await visit.want(schema, { method: 'GET', path, rawQuery })
    rows.push(...json.data)
    if (json.balances) onBalances(json.balances)
    as_of ??= json.as_of
    if (!json.has_more) return { rows, as_of, isCut: false }
  }
  return { rows, as_of, isCut: true }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The cast holds: only members that have a value are left. */
function withoutUndefined<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Present<T>
}

/** Everything that was read in one list, newest first; balances stand in front, because they are now. */
export function rowsOf({
  balances = [],
  transactions = [],
  bills = [],
  refunds = [],
  freight_bills = [],
}: Read) {
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
