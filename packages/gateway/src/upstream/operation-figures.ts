import type { Clock } from '../kernel/clock.ts'
import { Histogram } from '../kernel/histogram.ts'
import type { UpstreamCall } from '../kernel/tracing.ts'

/** What this process measured of one operation since its start. Retries of a read count as one call. */
export interface OperationFigure {
  readonly operation: string
  readonly calls: number
  /** The number of calls without a response of the ERP. A refusal is a response. */
  readonly failures: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** The newest failure: its time in epoch milliseconds, and why there was no response. */
  readonly last_error: { readonly at: number; readonly result: string } | null
}

interface Measured {
  failures: number
  lastError: { at: number; result: string } | null
  readonly durations: Histogram
}

/** Counts the calls to the ERP by operation. Its size is bounded, because the connector has a fixed list of them. */
export class OperationFigures {
  readonly #clock: Clock
  readonly #measured = new Map<string, Measured>()
  /** The start of the measurement in epoch milliseconds. */
  readonly since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.since = clock.now()
  }

  /** Counts one finished call. */
  note({ operation, duration_us, result }: UpstreamCall) {
    const known = this.#measured.get(operation) ?? {
      failures: 0,
      lastError: null,
      durations: new Histogram(),
    }
    this.#measured.set(operation, known)
    known.durations.add(duration_us)
    if (result === 'ok' || result === 'rejected') return
    known.failures += 1
    known.lastError = { at: this.#clock.now(), result }
  }

  /** Lists the operations that were called, in the order of their names. */
  list(): OperationFigure[] {
    return [...this.#measured]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([operation, { failures, lastError, durations }]) => ({
        operation,
        calls: durations.total,
        failures,
        p50_ms: durations.readQuantileMs(0.5),
        p95_ms: durations.readQuantileMs(0.95),
        last_error: lastError,
      }))
  }
}
