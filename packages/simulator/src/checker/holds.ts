/**
 * Judges holds by what they promise: while one lasts, its order is not refused for want of stock. What is taken of a SKU
 * cannot show a hold that held nothing, if its order is refused in the end.
 */
import type { History, Operation } from '../history/history.ts'
import { describeOperation } from './describe.ts'
import type { Violation } from './violation.ts'

/** What takes or gives back the stock of an order. */
export type StockUser = Operation<'hold.place' | 'hold.release' | 'order.submit' | 'order.void'>

/** The reasons of refusals that say that the stock of an order is not there. */
const broken: ReadonlySet<string> = new Set(['insufficient_stock', 'hold_expired'])

/** Finds orders that were refused for want of stock while their hold lasted. */
export function checkHolds(history: History): Violation[] {
  const expires = findExpiry(history)
  const users = history.list('hold.place', 'hold.release', 'order.submit', 'order.void')
  return [...Map.groupBy(users, ({ input }) => input.order)].flatMap(([order, operations]) =>
    operations
      .filter(({ name, reason = '' }) => name === 'order.submit' && broken.has(reason))
      .flatMap((submit) => {
        const hold = findLastingHold(submit, operations, expires)
        if (!hold) return []
        const story = `it was refused with ${submit.reason}, and its hold lasted`
        return [
          { anomaly: 'hold' as const, key: order, story, witness: [hold, submit].map(describeOperation) },
        ]
      }),
  )
}

/** Finds the position from which on holds may end by themselves. */
export function findExpiry(history: History): number {
  // A restored database may not know a hold, which is then released.
  if (history.listSeen('database.restored').length > 0) return 0
  return history.listSeen('time.jumped')[0]?.position ?? Number.POSITIVE_INFINITY
}

/**
 * Finds the position from which on a hold that was placed for certain may end: when it expires, or when another operation
 * of its order begins.
 */
export function findEarliestEnd(hold: StockUser, operations: readonly StockUser[], expires: number): number {
  const others = operations.filter((each) => each !== hold && each.end > hold.begin)
  return Math.max(hold.begin, Math.min(expires, ...others.map(({ begin }) => begin)))
}

/** Finds the hold that a submit was to take over: one that was placed for certain, and that lasts until it is refused. */
function findLastingHold(
  submit: StockUser,
  operations: readonly StockUser[],
  expires: number,
): StockUser | undefined {
  const hold = operations.findLast(
    ({ name, type, end }) => name === 'hold.place' && type === 'ok' && end < submit.begin,
  )
  const others = operations.filter((each) => each !== submit)
  return hold && findEarliestEnd(hold, others, expires) > submit.end ? hold : undefined
}
