import {
  type Capabilities,
  type ErpResult,
  ok,
  type Rejection,
  type RejectionReason,
  rejected,
  type Shortage,
} from '@trade-gateway/connector'
import type { Clock } from '../clock.ts'
import type { BookingClock } from '../ledger/booking-clock.ts'
import type { Store } from '../store.ts'

/** The context of all order operations. */
export interface OrderContext {
  readonly store: Store
  readonly clock: Clock
  /** The clock for the times of ledger entries. */
  readonly bookingClock: BookingClock
  readonly capabilities: Capabilities
  /** The time from an order's submit to its hand-over to the warehouse. Infinity disables it. */
  readonly handoverMs: number
  /** The time from an order's submit to its shipping. Infinity disables it. */
  readonly shippingMs: number
  /** A random id of this start of the ERP, which is a part of every change cursor. */
  readonly epoch: string
  /** Returns the delay after which look-ups see a committed document. */
  readonly lookupLagMs: () => number
}

/** The error that ends an operation with a refusal. It is thrown inside the transaction, which is then rolled back. */
export class Refusal extends Error {
  readonly rejection: Rejection

  constructor(reason: RejectionReason, message: string, shortages?: readonly Shortage[]) {
    super(message)
    this.rejection = { reason, message, ...(shortages ? { shortages } : {}) }
  }
}

/** Runs an operation in one transaction. A `Refusal` rolls it back and becomes the result. */
export function runInTransaction<T>(store: Store, work: () => T): ErpResult<T> {
  return catchRefusal(() => store.transaction(work))
}

/** Runs an operation that writes nothing. A `Refusal` becomes the result. */
export function catchRefusal<T>(work: () => T): ErpResult<T> {
  try {
    return ok(work())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { reason, message, shortages } = error.rejection
    return rejected(reason, message, shortages)
  }
}
