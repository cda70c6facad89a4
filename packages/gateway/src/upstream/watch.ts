/**
 * Reports whether the ERP responds, for people: one log line for each change, and a verdict for `/statusz`. The circuit
 * breaker cannot report it, because it needs many finished calls: with an ERP that hangs, no call fails for half a
 * minute.
 */

import { InputNotAccepted, type UnknownOutcome } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { isOutage } from './breaker.ts'

/** Whether the ERP responds. */
export type Verdict = 'answers' | 'does_not_answer' | 'not_asked_yet'

/**
 * The time after which a running call shows that the ERP hangs, if no other call got a response since that call began.
 */
const maxSilenceMs = 5_000
/**
 * The number of consecutive failures that count as an outage. One broken connection among successful calls is no
 * outage.
 */
const minFailures = 3

const failureTexts: Readonly<Record<UnknownOutcome['kind'], string>> = {
  timeout: 'does not respond in time',
  unreachable: 'does not respond (no connection)',
  failed: 'responds with errors; check UPSTREAM_TOKEN, and the log of its connector',
  malformed: 'responds with what is not valid',
}

export class ErpWatch {
  readonly #clock: Clock
  readonly #log: Log
  readonly #name: string
  /** The running calls, oldest first. */
  readonly #running = new Set<{ readonly at: number }>()
  #verdict: Verdict = 'not_asked_yet'
  #answeredAt: number | undefined
  #failures = 0
  /** The messages of the operations of which input was not accepted, which are already reported. */
  readonly #reportedInputs = new Set<string>()

  constructor(clock: Clock, log: Log, name: string) {
    this.#clock = clock
    this.#log = log
    this.#name = name
  }

  get verdict(): Verdict {
    if (this.#isSilent()) this.#change('does_not_answer', 'does not respond to calls')
    return this.#verdict
  }

  /** Whole seconds since the newest response; null before the first one. */
  get answerAgeSeconds(): number | null {
    if (this.#answeredAt === undefined) return null
    return Math.floor((this.#clock.monotonic() - this.#answeredAt) / 1000)
  }

  async call<T>(send: () => Promise<T>): Promise<T> {
    const run = { at: this.#clock.monotonic() }
    this.#running.add(run)
    const timer = setTimeout(() => void this.verdict, maxSilenceMs)
    timer.unref()
    try {
      const output = await send()
      this.#onResponse()
      return output
    } catch (error) {
      if (isOutage(error)) this.#onFailure(error.kind)
      else this.#onResponse()
      if (error instanceof InputNotAccepted) this.#reportInput(error)
      throw error
    } finally {
      clearTimeout(timer)
      this.#running.delete(run)
    }
  }

  #onResponse() {
    this.#failures = 0
    this.#answeredAt = this.#clock.monotonic()
    this.#change('answers', '')
  }

  #onFailure(kind: UnknownOutcome['kind']) {
    this.#failures += 1
    const isFirst = this.#verdict === 'not_asked_yet'
    if (isFirst || this.#failures >= minFailures) this.#change('does_not_answer', failureTexts[kind])
  }

  /** Reports an operation once, because every further call of it may add a line. */
  #reportInput({ message }: InputNotAccepted) {
    if (this.#reportedInputs.has(message)) return
    this.#reportedInputs.add(message)
    this.#log.error(
      { code: 'input_not_accepted' },
      `${this.#name} responds, but not to what the gateway sent: ${message} See the log of its connector`,
    )
  }

  #isSilent(): boolean {
    const [oldest] = this.#running
    if (!oldest || this.#clock.monotonic() - oldest.at < maxSilenceMs) return false
    return this.#answeredAt === undefined || this.#answeredAt < oldest.at
  }

  #change(verdict: Verdict, reason: string) {
    const before = this.#verdict
    if (verdict === before) return
    this.#verdict = verdict
    if (verdict === 'does_not_answer') {
      const meanwhile =
        'stock is served from the last known state, orders are refused, and the gateway keeps trying'
      this.#log.warn({ code: verdict }, `${this.#name} ${reason}: ${meanwhile}`)
    } else if (before === 'does_not_answer') {
      this.#log.info({ code: verdict }, `${this.#name} responds again`)
    }
  }
}
