/** Whose statements, for which time, and which page of them. */
import { type ErpResult, type Input, rejected } from '@trade-gateway/connector'
import type { Connector } from '../connector.ts'
import { type Customer, findCustomer, refuseCustomer } from '../customers.ts'
import { compareBytes } from '../values.ts'

type AccountInput = Pick<Input<'balances'>, 'customer_code' | 'currency'>
type ListInput = Pick<Input<'transactions'>, 'from' | 'to' | 'after' | 'skip' | 'limit'>

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

/**
 * Cuts a page out of rows that are sorted newest first. `asOf` is the time of the page in milliseconds since 1970. A row
 * that was booked while the page was read is later, and is left to the next read: a client pages up to the time of its
 * first page, and by number it would miss a row.
 */
export function cutPage<Row extends Placed>(
  rows: readonly Row[],
  { from, to, after, skip, limit }: ListInput,
  asOf: number,
): { readonly page: readonly Row[]; readonly next: string | null } {
  const now = Math.floor(asOf) + 1
  const [first, end] = [Date.parse(from), to === null ? now : Math.min(Date.parse(to), now)]
  const position = after === null ? undefined : parsePosition(after)
  const listed = rows.filter(
    (row) => row.at >= first && row.at < end && (!position || compareNewestFirst(row, position) > 0),
  )
  const page = listed.slice(skip, skip + limit)
  const last = page.at(-1)
  return { page, next: listed.length > skip + limit && last ? formatPosition(last) : null }
}

const formatPosition = ({ at, number }: Placed) => `${at} ${number}`

/** A position that is not valid is before everything: the page is empty. */
function parsePosition(text: string): Placed {
  const [, at = '', number = ''] = /^(\d{1,16}) (.{1,64})$/.exec(text) ?? []
  return { at: at === '' ? Number.NEGATIVE_INFINITY : Number(at), number }
}
