/**
 * The bookings on a customer's account, in the order in which Tryton booked them. A booking is a posted move with lines
 * on accounts of the receivable kind. Its time is the instant of posting, not its date: an entry can be dated back, and
 * a list by dates would change the balances that were returned already.
 *
 * Posted moves do not change, so that what was read is kept, and only what is newer is read again. All of it is read again
 * with another session, because the database may be a backup that was restored, and if Tryton counts another number of
 * lines: when staff replace one party by another, the lines of the one become lines of the other, and keep their stamps.
 */
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import type { Domain } from '../rpc.ts'
import { day, decimal, id, instant, toInstant, toMinor } from '../values.ts'
import { compareNewestFirst, type Placed, toMoveNumber } from './account.ts'

const lineModel = 'account.move.line'
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
  'move.': z.object({ date: day, write_date: instant.nullish(), create_date: instant }),
})
const lineFields = ['debit', 'credit', 'move', 'move.date', 'move.write_date', 'move.create_date']
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
    const isWhole = kept.lines.size === 0
    const [newer, count] = await Promise.all([
      this.#fetch(customer, kept.lines),
      isWhole ? undefined : this.#count(customer),
    ])
    // This read itself may be the one that finds the session gone.
    if ((await rpc.readEpoch()) !== epoch) return this.read(customer)
    for (const line of newer) kept.lines.set(line.id, line)
    this.#kept.delete(customer.id)
    // What was posted between the two calls makes a difference too. Nothing is counted for a whole read, so it is the last.
    if (!isWhole && count !== kept.lines.size) return this.read(customer)
    this.#kept.set(customer.id, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKeptAccounts && oldest !== undefined) this.#kept.delete(oldest)
    return addUp([...kept.lines.values()], this.#connector.places.minorUnits)
  }

  async #fetch(customer: Customer, kept: ReadonlyMap<number, LineRow>): Promise<LineRow[]> {
    let newest = 0
    for (const line of kept.values()) newest = Math.max(newest, readStamp(line))
    const recent = newest === 0 ? [] : [toRecent(newest - overlapMs)]
    const domain = [...this.#selectLines(customer), ...recent]
    const settings = { fields: lineFields, limit: maxLines }
    return this.#connector.rpc.searchRead(lineModel, domain, lineRow, settings)
  }

  #count(customer: Customer): Promise<number> {
    const { rpc } = this.#connector
    return rpc.call(`model.${lineModel}.search_count`, [this.#selectLines(customer)], z.int())
  }

  #selectLines({ id: party }: Customer): Domain {
    return [
      ['party', '=', party],
      ['account.type.receivable', '=', true],
      ['move.state', '=', 'posted'],
      ['move.company', '=', this.#connector.places.company],
    ]
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
      number: toMoveNumber(move),
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
