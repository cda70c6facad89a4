import {
  type AnyCall,
  type CallOptions,
  callAny,
  type Erp,
  erpFrom,
  type OperationId,
  operations,
  UnknownOutcome,
} from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'
import { Deadline } from '../kernel/deadline.ts'
import { Breaker } from './breaker.ts'

/**
 * What stands between the gateway and an ERP in trouble: a deadline on every call, a bound on calls in flight and on
 * those that wait, a circuit breaker, and a few retries of reads out of a budget, so that retries never multiply an
 * outage. A write is never sent twice. What was not let through is told as never sent, so that it is a definite answer.
 */
const deadlineMs = { read: 30_000, write: 40_000 } as const
const mostInFlight = 32
const mostWaiting = 256
/** A write that does not leave within this time does not leave at all: settlement counts on it. */
export const mostWaitToSendMs = 2_000
const mostRetries = 2
/** A retry costs one; each call earns a tenth of one. */
const earnedPerCall = 0.1
const mostBudget = 10

export interface Guarded {
  readonly erp: Erp
  /** Whether calls are let through at present. */
  readonly state: () => 'closed' | 'open' | 'half_open'
}

export function guarded(erp: Erp, clock: Clock): Guarded {
  const breaker = new Breaker(clock)
  const gate = new Gate(mostInFlight, mostWaiting)
  let budget = mostBudget

  const once: AnyCall = async (id, input, options) => {
    // A fault that a caller asked for is that caller's alone: it takes no place and opens no circuit.
    if (options?.fault !== undefined) return callAny(erp, id, input, options)
    await gate.enter(id, options?.signal, operations[id].kind === 'write' ? mostWaitToSendMs : undefined)
    try {
      return await breaker.through(id, () => callAny(erp, id, input, options))
    } finally {
      gate.leave()
    }
  }

  const call: AnyCall = async (id, input, options = {}) => {
    budget = Math.min(mostBudget, budget + earnedPerCall)
    const deadline = Deadline.after(deadlineMs[operations[id].kind], options.signal)
    const bounded = { ...options, signal: deadline.signal }
    try {
      for (let retries = 0; ; retries++) {
        try {
          return await once(id, input, bounded)
        } catch (error) {
          if (!isRetried(id, error, bounded) || retries >= mostRetries || budget < 1) throw error
          budget -= 1
        }
      }
    } finally {
      deadline.end()
    }
  }
  return { erp: erpFrom(call), state: () => breaker.state }
}

/** Reads that failed at once; one that was slow would only be slow again, and a password is not tried twice. */
function isRetried(id: OperationId, error: unknown, { signal }: CallOptions): boolean {
  if (operations[id].kind === 'write' || id === 'sign_in' || signal?.aborted) return false
  return (
    error instanceof UnknownOutcome && error.sent && error.kind !== 'timeout' && error.kind !== 'malformed'
  )
}

/** At most so many at once; the others wait in their order, until their deadline. */
class Gate {
  readonly #most: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #inFlight = 0

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  async enter(id: OperationId, signal: AbortSignal | undefined, mostMs: number | undefined): Promise<void> {
    if (this.#inFlight < this.#most) {
      this.#inFlight += 1
      return
    }
    if (this.#waiting.length >= this.#mostWaiting) throw notSent(id, 'too many calls wait for the ERP')
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const enter = () => resolve(true)
    const give = () => resolve(false)
    this.#waiting.push(enter)
    signal?.addEventListener('abort', give, { once: true })
    const timer = mostMs === undefined ? undefined : setTimeout(give, mostMs)
    const isIn = await promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', give)
    if (isIn) return
    const at = this.#waiting.indexOf(enter)
    if (at >= 0) this.#waiting.splice(at, 1)
    throw notSent(id, 'it waited too long for its turn')
  }

  /** The place goes to the one who waits longest. */
  leave() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#inFlight -= 1
  }
}

export function notSent(id: OperationId, why: string): UnknownOutcome {
  return new UnknownOutcome('unreachable', `${id} was not sent: ${why}.`, { sent: false })
}
