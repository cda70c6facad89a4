/**
 * The bookings on a customer's account, in the order in which Tryton booked them. A booking is a posted move with lines
 * on accounts of the receivable kind. Its time is the instant of posting, not its date: an entry can be dated back, and
 * a list by dates would change the balances that were returned already.
 *
 * Posted moves never change, so that what was read is kept, and only what is newer is read again. With another session,
 * all of it is: the database may be a backup that was restored.
 */
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import { day, decimal, id, instant, toInstant, toMinor } from '../values.ts'
import { compareNewestFirst, type Placed } from './account.ts'

const maxLines = 500_000
const maxKeptAccounts = 200
/** A move can become visible long after its stamp: the same overlap as that of hints. */
const overlapMs = 15 * 60_000

/** A posted move on a customer's account. Amounts are from the customer's point of view: a bill is negative. */
export interface Booking extends Placed {
  readonly move: number
  readonly amount: number
  readonly balanceAfter: number
  readonly date: string
}

const lineRow = z.object({
  id,
  debit: decimal,
  credit: decimal,
  move: id,
  'move.': z.object({
    number: z.string().nullish(),
    post_number: z.string().nullish(),
    date: day,
    write_date: instant.nullish(),
    create_date: instant,
  }),
})
const lineFields = [
  ...['debit', 'credit', 'move', 'move.number', 'move.post_number', 'move.date'],
  ...['move.write_date', 'move.create_date'],
]
type LineRow = z.output<typeof lineRow>

interface KeptLines {
  /** A restored backup has another one, and may have lost any of the lines. */
  readonly epoch: string
  readonly lines: Map<number, LineRow>
}

export class Chains {
  readonly #connector: Connector
  readonly #kept = new Map<number, KeptLines>()

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Reads all bookings of a customer, newest first, each with the balance after it. */
  async read(customer: Customer): Promise<readonly Booking[]> {
    const { rpc } = this.#connector
    const epoch = await rpc.readEpoch()
    const known = this.#kept.get(customer.id)
    const kept = known?.epoch === epoch ? known : { epoch, lines: new Map<number, LineRow>() }
    const newer = await this.#fetch(customer, kept.lines)
    // This read itself may be the one that finds the session gone.
    if ((await rpc.readEpoch()) !== epoch) return this.read(customer)
    for (const line of newer) kept.lines.set(line.id, line)
    this.#kept.delete(customer.id)
    this.#kept.set(customer.id, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKeptAccounts && oldest !== undefined) this.#kept.delete(oldest)
    return addUp([...kept.lines.values()], this.#connector.places.minorUnits)
  }

  async #fetch({ id: party }: Customer, kept: ReadonlyMap<number, LineRow>): Promise<LineRow[]> {
    const { rpc, places } = this.#connector
    let newest = 0
    for (const line of kept.values()) newest = Math.max(newest, readStamp(line))
    const domain = [
      ['party', '=', party],
      ['account.type.receivable', '=', true],
      ['move.state', '=', 'posted'],
      ['move.company', '=', places.company],
      ...(newest === 0 ? [] : [toRecent(newest - overlapMs)]),
    ]
    return rpc.searchRead('account.move.line', domain, lineRow, { fields: lineFields, limit: maxLines })
  }
}

function toRecent(since: number) {
  const stamp = toInstant(since)
  return ['OR', ['move.write_date', '>', stamp], ['move.create_date', '>', stamp]]
}

const readStamp = (line: LineRow) => Math.floor(line['move.'].write_date ?? line['move.'].create_date)

/** Adds the lines of each move up, and the moves from the oldest on. */
export function addUp(lines: readonly LineRow[], minorUnits: number): Booking[] {
  const moves = new Map<number, Omit<Booking, 'balanceAfter'>>()
  for (const line of lines) {
    const { move, 'move.': head } = line
    const amount = toMinor(line.credit, minorUnits) - toMinor(line.debit, minorUnits)
    moves.set(move, {
      move,
      at: readStamp(line),
      number: head.post_number ?? head.number ?? `#${move}`,
      date: head.date,
      amount: (moves.get(move)?.amount ?? 0) + amount,
    })
  }
  let balance = 0
  const oldestFirst = [...moves.values()].sort((one, other) => -compareNewestFirst(one, other))
  return oldestFirst
    .map((move) => {
      balance += move.amount
      return { ...move, balanceAfter: balance }
    })
    .reverse()
}
