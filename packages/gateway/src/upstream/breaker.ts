/**
 * A circuit breaker. It opens if at least half of at least twenty calls in ten seconds got no response. After two
 * seconds it lets one trial call through, whose outcome closes or reopens the circuit. A refusal counts as a response.
 * So does a read whose input the connector does not accept: no caller may stop the calls of the others. Neither that nor
 * a response that a connector may give without its ERP (`evidence.ts`) decides a trial: it would close the circuit to an
 * ERP that is away. Both count among the calls of a closed circuit, because a single row that the ERP cannot report
 * makes many reads fail, and must not stop the others.
 */

import { InputNotAccepted, type OperationId, UnknownOutcome } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'

/** The number of seconds over which calls are counted. */
const slots = 10
const slotMs = 1_000
const minCalls = 20
const openShare = 0.5
const openMs = 2_000

/** The number of calls and failures in one second. Counting by the second costs the same for any number of calls. */
interface Slot {
  readonly second: number
  calls: number
  failures: number
}

/** Whether a call failed because the ERP or its connector is in trouble. */
export function isOutage(error: unknown): error is UnknownOutcome {
  return error instanceof UnknownOutcome && !(error instanceof InputNotAccepted)
}

export class Breaker {
  readonly #clock: Clock
  #slots: Slot[] = []
  #openedAt: number | undefined
  #isTrying = false
  /** When the circuit last opened or closed, in epoch milliseconds; at first the start of the process. */
  #changedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#changedAt = clock.now()
  }

  get state(): 'closed' | 'open' | 'half_open' {
    if (this.#openedAt === undefined) return 'closed'
    return this.#clock.monotonic() - this.#openedAt < openMs ? 'open' : 'half_open'
  }

  /** Since when the circuit has been in its state, in epoch milliseconds. */
  get since(): number {
    return this.state === 'half_open' ? this.#changedAt + openMs : this.#changedAt
  }

  /**
   * Sends a call. Throws `UnknownOutcome` with `sent: false` if the circuit is open. `isProof` says whether a response
   * shows that the ERP responds.
   */
  async run<T>(
    id: OperationId,
    send: () => Promise<T>,
    isProof: (output: T) => boolean = () => true,
  ): Promise<T> {
    const { state } = this
    if (state === 'open' || (state === 'half_open' && this.#isTrying)) {
      throw new UnknownOutcome('unreachable', `${id} was not sent: the ERP has not responded recently.`, {
        sent: false,
      })
    }
    this.#isTrying = state === 'half_open'
    try {
      const output = await send()
      this.#recordResult(state, isProof(output) ? 'answered' : 'unproven')
      return output
    } catch (error) {
      if (isOutage(error)) this.#recordResult(state, 'failed')
      else this.#recordResult(state, error instanceof InputNotAccepted ? 'unproven' : 'answered')
      throw error
    }
  }

  #recordResult(state: 'closed' | 'half_open', result: 'answered' | 'failed' | 'unproven') {
    const now = this.#clock.monotonic()
    const failed = result === 'failed'
    if (state === 'half_open') {
      this.#isTrying = false
      // The next call is the trial then.
      if (result === 'unproven') return
      this.#openedAt = failed ? now : undefined
      this.#changedAt = this.#clock.now()
      this.#slots = []
      return
    }
    const second = Math.floor(now / slotMs)
    let newest = this.#slots.at(-1)
    if (newest?.second !== second) {
      newest = { second, calls: 0, failures: 0 }
      this.#slots = [...this.#slots.filter((slot) => second - slot.second < slots), newest]
    }
    newest.calls += 1
    if (failed) newest.failures += 1
    const sum = (of: (slot: Slot) => number) => this.#slots.reduce((total, slot) => total + of(slot), 0)
    const calls = sum((slot) => slot.calls)
    if (calls >= minCalls && sum((slot) => slot.failures) >= calls * openShare) {
      if (this.#openedAt === undefined) this.#changedAt = this.#clock.now()
      this.#openedAt = now
    }
  }
}
