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
 * The same, if other calls got responses that a connector may give without its ERP. Longer, because the ERP may only be
 * slow: meanwhile a worker asks it for something else.
 */
const maxUnprovenMs = 15_000
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
  /** When the newest response arrived, of the ERP or of its connector alone. */
  #respondedAt = Number.NEGATIVE_INFINITY
  /** When the newest response arrived that shows that the ERP responds. */
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

  /** Whether a call has been running for so long, without a response of the ERP, that it should be asked. */
  get isOverdue(): boolean {
    const oldest = this.#findUnanswered()
    return oldest !== undefined && this.#clock.monotonic() - oldest.at >= maxSilenceMs
  }

  /** Whole seconds since the newest response of the ERP; null before the first one. */
  get answerAgeSeconds(): number | null {
    if (this.#answeredAt === undefined) return null
    return Math.floor((this.#clock.monotonic() - this.#answeredAt) / 1000)
  }

  /**
   * Makes a call. If `isProof` returns false for its response, the connector may have given it without its ERP: such a
   * response is enough for the first verdict, and ends no outage.
   */
  async call<T>(send: () => Promise<T>, isProof: (output: T) => boolean = () => true): Promise<T> {
    const run = { at: this.#clock.monotonic() }
    this.#running.add(run)
    const timer = setTimeout(() => void this.verdict, maxSilenceMs)
    timer.unref()
    try {
      const output = await send()
      this.#onResponse(isProof(output))
      return output
    } catch (error) {
      if (isOutage(error)) this.#onFailure(error.kind)
      else this.#onResponse(!(error instanceof InputNotAccepted))
      if (error instanceof InputNotAccepted) this.#reportInput(error)
      throw error
    } finally {
      clearTimeout(timer)
      this.#running.delete(run)
    }
  }

  #onResponse(isProof: boolean) {
    const now = this.#clock.monotonic()
    this.#respondedAt = now
    if (isProof) {
      this.#failures = 0
      this.#answeredAt = now
    }
    if (isProof || this.#verdict === 'not_asked_yet') this.#change('answers', '')
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
    const oldest = this.#findUnanswered()
    if (!oldest) return false
    const boundMs = this.#respondedAt < oldest.at ? maxSilenceMs : maxUnprovenMs
    return this.#clock.monotonic() - oldest.at >= boundMs
  }

  /** Finds the oldest running call, unless the ERP has responded to another one since that call began. */
  #findUnanswered(): { readonly at: number } | undefined {
    const [oldest] = this.#running
    return oldest && (this.#answeredAt ?? Number.NEGATIVE_INFINITY) < oldest.at ? oldest : undefined
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
