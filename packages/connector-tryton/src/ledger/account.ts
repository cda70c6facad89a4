/** Whose statements, for which time, and which page of them. */
import { type ErpResult, type Input, rejected } from '@trade-gateway/connector'
import type { Connector } from '../connector.ts'
import { type Customer, findCustomer, refuseCustomer } from '../customers.ts'
import { compareBytes, formatInstant } from '../values.ts'

type AccountInput = Pick<Input<'balances'>, 'customer_code' | 'currency'>
type ListInput = Pick<Input<'transactions'>, 'from' | 'to' | 'after' | 'skip' | 'limit'>

/** The number of a transaction: Tryton's id of its move. Tryton's own number begins again with each fiscal year. */
export const toMoveNumber = (move: number) => `#${move}`

/** A row of any list: sorted by time, and then by its number. */
export interface Placed {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly number: string
}

/** Finds the customer. Tryton's ledger has one currency, that of the company. */
export async function requireAccount(
  connector: Connector,
  { customer_code, currency }: AccountInput,
): Promise<{ customer: Customer } | { refusal: ErpResult<never> }> {
  const customer = await findCustomer(connector, customer_code)
  if (!customer) return { refusal: refuseCustomer(customer_code) }
  if (currency === null || currency === connector.places.currency) return { customer }
  return { refusal: rejected('invalid_field', `${customer_code} has no account in ${currency}.`) }
}

export function compareNewestFirst(one: Placed, other: Placed): number {
  return other.at - one.at || compareBytes(other.number, one.number)
}

interface Page<Row> {
  readonly page: readonly Row[]
  readonly next: string | null
  readonly as_of: string
}

/**
 * Cuts a page out of rows that are sorted newest first. `readAt` is when the page was read, in milliseconds since 1970. A
 * row may be later: Tryton tells its time in seconds, and books while the page is read. The page is then as new as that
 * row, because a client pages up to the time of its first page, and by number it would miss a row.
 */
export function cutPage<Row extends Placed>(
  rows: readonly Row[],
  { from, to, after, skip, limit }: ListInput,
  readAt: number,
): Page<Row> {
  const [first, end] = [Date.parse(from), to === null ? Number.POSITIVE_INFINITY : Date.parse(to)]
  const newest = rows.find(({ at }) => at < end)?.at ?? 0
  const position = after === null ? undefined : parsePosition(after)
  const listed = rows.filter(
    (row) => row.at >= first && row.at < end && (!position || compareNewestFirst(row, position) > 0),
  )
  const page = listed.slice(skip, skip + limit)
  const last = page.at(-1)
  const next = listed.length > skip + limit && last ? formatPosition(last) : null
  return { page, next, as_of: formatInstant(Math.floor(Math.max(readAt, newest))) }
}

const formatPosition = ({ at, number }: Placed) => `${at} ${number}`

/** A position that is not valid is before everything: the page is empty. */
function parsePosition(text: string): Placed {
  const [, at = '', number = ''] = /^(\d{1,16}) (.{1,64})$/.exec(text) ?? []
  return { at: at === '' ? Number.NEGATIVE_INFINITY : Number(at), number }
}
