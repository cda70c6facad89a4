/**
 * Guards the gateway against an ERP in trouble: a time limit for every call, limits on calls in flight and on waiting
 * calls, and a circuit breaker. Retries of reads are limited by a budget, so that they never make an outage worse; a
 * write is never sent twice. A call that was not let through fails with `sent: false`, so its outcome is known.
 */

import {
  type AnyCall,
  type CallOptions,
  callOperation,
  createErp,
  type Erp,
  type ErpResult,
  type OperationId,
  operations,
  UnknownOutcome,
} from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'
import { Deadline } from '../kernel/deadline.ts'
import { Slots } from '../kernel/slots.ts'
import { formatTraceParent, type TraceContext } from '../kernel/trace-context.ts'
import type { Tracing } from '../kernel/tracing.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { renewPatience } from '../store/patience.ts'
import { Breaker, isOutage } from './breaker.ts'
import { isProof } from './evidence.ts'
import type { OperationFigures } from './operation-figures.ts'
import type { ErpWatch } from './watch.ts'

/** The time limit of a read. No reader waits longer. */
export const readDeadlineMs = 30_000
/** The time limit of a call. */
const deadlineMs = { read: readDeadlineMs, write: 40_000 } as const
const maxInFlight = 32
const maxWaiting = 256
/**
 * The longest time that a write waits to be sent; a write that would wait longer is never sent. Settlement relies on
 * this limit.
 */
export const maxWaitToSendMs = 2_000
const maxRetries = 2
/** How much each call adds to the budget of retries. A retry costs 1. */
const earnedPerCall = 0.1
const maxBudget = 10

/** The observers that are informed of each call. */
export interface Observers {
  readonly watch?: ErpWatch
  readonly tracing?: Tracing
  readonly metrics?: Metrics
  readonly figures?: OperationFigures
}

export interface GuardedErp {
  readonly erp: Erp
  /** The state of the circuit breaker. */
  readonly state: () => 'closed' | 'open' | 'half_open'
  /** Since when the circuit breaker has been in this state, in epoch milliseconds. */
  readonly since: () => number
}

export function guardErp(erp: Erp, clock: Clock, observers: Observers = {}): GuardedErp {
  const { watch } = observers
  const breaker = new Breaker(clock)
  const slots = new Slots(maxInFlight, maxWaiting)
  let budget = maxBudget

  const callOnce: AnyCall = async (id, input, options) => {
    // A failure that a caller requests (`X-Sandbox-Fault`) must not affect other calls, so this call bypasses the limit
    // and the circuit breaker.
    if (options?.fault !== undefined) return callOperation(erp, id, input, options)
    const { kind } = operations[id]
    const wait = Deadline.after(kind === 'write' ? maxWaitToSendMs : deadlineMs[kind], options?.signal)
    const send = () => callOperation(erp, id, input, options)
    // A suspended machine counts no time for `wait`, and goes on as if none had passed.
    const calledAt = clock.machine()
    const isLate = () => kind === 'write' && clock.machine() - calledAt > maxWaitToSendMs
    try {
      const proves = (result: Awaited<ReturnType<typeof send>>) => isProof(id, input, result)
      const done = await slots.run(wait.signal, async () =>
        isLate() ? undefined : breaker.run(id, watch ? () => watch.call(send, proves) : send, proves),
      )
      if (done?.result) return done.result
    } finally {
      wait.end()
    }
    const why = 'too many calls wait for the ERP, and its turn did not come in time'
    throw new UnknownOutcome('timeout', `${id} was not sent: ${why}.`, { sent: false })
  }

  const retrying: AnyCall = async (id, input, options = {}) => {
    budget = Math.min(maxBudget, budget + earnedPerCall)
    const deadline = Deadline.after(deadlineMs[operations[id].kind], options.signal)
    const bounded = { ...options, signal: deadline.signal }
    try {
      for (let retries = 0; ; retries++) {
        try {
          return await callOnce(id, input, bounded)
        } catch (error) {
          if (!mayRetry(id, error, bounded) || retries >= maxRetries || budget < 1) throw error
          budget -= 1
        }
      }
    } finally {
      deadline.end()
    }
  }
  const call: AnyCall = (id, input, options) =>
    trace({ ...observers, clock }, id, (context) =>
      retrying(id, input, context ? { ...options, traceparent: formatTraceParent(context) } : options),
    )
  return { erp: createErp(call), state: () => breaker.state, since: () => breaker.since }
}

interface Tracer extends Observers {
  readonly clock: Clock
}

/** Records the duration and the result of a call, retries included, for the request that made it and for operators. */
async function trace<T extends ErpResult<unknown>>(
  { tracing, metrics, figures, clock }: Tracer,
  operation: string,
  work: (context: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const parent = tracing?.trace
  // The calls of a worker have no cause in a trace, and would be traces of one span each.
  const span = parent && tracing?.spans.start({ name: `erp ${operation}`, kind: 'client', parent })
  const began = clock.monotonic()
  let result = 'failed'
  let refusal: { readonly rejection_reason?: string } = {}
  try {
    const answer = await work(span?.context ?? parent)
    renewPatience()
    result = 'rejected' in answer ? 'rejected' : 'ok'
    if ('rejected' in answer) refusal = { rejection_reason: answer.rejected.reason }
    return answer
  } catch (error) {
    if (error instanceof UnknownOutcome) result = error.sent ? error.kind : 'not_sent'
    throw error
  } finally {
    const ms = clock.monotonic() - began
    const made = { operation, duration_us: Math.round(ms * 1000), result, ...refusal }
    tracing?.note(made)
    figures?.note(made)
    metrics?.endUpstreamCall(operation, result, ms / 1000)
    span?.end({ attributes: { operation, result }, error: isAnswer(result) ? undefined : result })
  }
}

/** Whether the ERP responded, be it with a refusal. */
function isAnswer(result: string): boolean {
  return result === 'ok' || result === 'rejected'
}

/**
 * Whether a call may be retried. Only a read that was sent may be, and only if it failed neither by a timeout, because
 * it would be slow again, nor by a malformed response, nor by its input. A password is never tried twice.
 */
function mayRetry(id: OperationId, error: unknown, { signal }: CallOptions): boolean {
  if (operations[id].kind === 'write' || id === 'sign_in' || signal?.aborted) return false
  return isOutage(error) && error.sent && error.kind !== 'timeout' && error.kind !== 'malformed'
}
