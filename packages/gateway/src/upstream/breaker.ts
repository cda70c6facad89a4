import { type OperationId, UnknownOutcome } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'

/**
 * A circuit breaker: where at least half of at least twenty calls in ten seconds had no answer, no call is sent for a
 * while; then one is let through to try, and its answer decides. A refusal is an answer.
 */
const windowMs = 10_000
const leastCalls = 20
const openShare = 0.5
const openMs = 2_000

interface Call {
  readonly at: number
  readonly failed: boolean
}

export class Breaker {
  readonly #clock: Clock
  #calls: Call[] = []
  #openedAt: number | undefined
  #isTrying = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get state(): 'closed' | 'open' | 'half_open' {
    if (this.#openedAt === undefined) return 'closed'
    return this.#clock.monotonic() - this.#openedAt < openMs ? 'open' : 'half_open'
  }

  /** Sends a call, unless the circuit is open. Throws `UnknownOutcome`, not sent, where it is. */
  async through<T>(id: OperationId, send: () => Promise<T>): Promise<T> {
    const { state } = this
    if (state === 'open' || (state === 'half_open' && this.#isTrying)) {
      throw new UnknownOutcome('unreachable', `${id} was not sent: the ERP did not answer lately.`, {
        sent: false,
      })
    }
    this.#isTrying = state === 'half_open'
    try {
      const answer = await send()
      this.#note(state, false)
      return answer
    } catch (error) {
      this.#note(state, error instanceof UnknownOutcome)
      throw error
    }
  }

  #note(state: 'closed' | 'half_open', failed: boolean) {
    const now = this.#clock.monotonic()
    if (state === 'half_open') {
      this.#isTrying = false
      this.#openedAt = failed ? now : undefined
      this.#calls = []
      return
    }
    this.#calls = [...this.#calls.filter(({ at }) => now - at < windowMs), { at: now, failed }]
    const failures = this.#calls.filter((call) => call.failed).length
    if (this.#calls.length >= leastCalls && failures >= this.#calls.length * openShare) this.#openedAt = now
  }
}
