import {
  type Answer,
  type Capabilities,
  ok,
  type Rejection,
  type RejectionReason,
  rejected,
  type Shortage,
} from '@trade-gateway/connector'
import type { Clock } from '../clock.ts'
import type { Stamps } from '../ledger/stamps.ts'
import type { Store } from '../store.ts'

/** What every order operation works with. */
export interface Desk {
  readonly store: Store
  readonly clock: Clock
  /** The times of the ledger. */
  readonly stamps: Stamps
  readonly capabilities: Capabilities
  /** How long after its submit an order is handed over to the warehouse; Infinity: never by itself. */
  readonly handoverMs: number
  /** How long after its submit an order leaves the warehouse; Infinity: never by itself. */
  readonly shippingMs: number
  /** The epoch of this opening, in every cursor. */
  readonly epoch: string
  /** How long a look-up does not see a document after its commit. */
  readonly lookupLagMs: () => number
}

/** Ends an operation inside its transaction, so that nothing of it stays. */
export class Refusal extends Error {
  readonly rejection: Rejection

  constructor(reason: RejectionReason, message: string, shortages?: readonly Shortage[]) {
    super(message)
    this.rejection = { reason, message, ...(shortages ? { shortages } : {}) }
  }
}

/** Runs an operation in one transaction; a `Refusal` rolls it back and is its answer. */
export function inOneStep<T>(store: Store, work: () => T): Answer<T> {
  return refusing(() => store.transaction(work))
}

/** Runs an operation that writes nothing; a `Refusal` is its answer. */
export function refusing<T>(work: () => T): Answer<T> {
  try {
    return ok(work())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { reason, message, shortages } = error.rejection
    return rejected(reason, message, shortages)
  }
}
