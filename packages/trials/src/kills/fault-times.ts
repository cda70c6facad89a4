/** Measures how long clients wait and are refused, by the kind of fault. */
import type { Attempt, Refusals, Stretch } from '../order-replay/buyer.ts'
import type { FaultName } from './faults.ts'

/** What one kind of fault did to the clients. */
export interface FaultFigures {
  times: number
  /** The longest time for which a client got nothing but refusals and errors for its retries. */
  longest_refusal_ms: number
  /** The request that was refused so long, and why. */
  longest_refusal: Pick<Refusals, 'request' | 'reasons'> | undefined
  /** The longest time for which a client waited for one response. */
  longest_wait_ms: number
  /** The request whose response took so long, and what it was. */
  longest_wait: Pick<Attempt, 'request' | 'result'> | undefined
}

/**
 * The times of the faults. A fault lasts until the next one begins. A wait that lasts longer than that counts for the
 * fault during which most of it happened.
 */
export class FaultTimes {
  readonly #begun: { readonly fault: FaultName; readonly from_ms: number }[] = []
  readonly figures = new Map<FaultName, FaultFigures>()

  begin(fault: FaultName, from_ms = performance.now()): void {
    this.#begun.push({ fault, from_ms })
    this.#getFigures(fault).times += 1
  }

  recordWait({ request, result, ...stretch }: Attempt): void {
    const figures = this.#findFigures(stretch)
    const ms = stretch.to_ms - stretch.from_ms
    if (!figures || ms <= figures.longest_wait_ms) return
    figures.longest_wait_ms = ms
    figures.longest_wait = { request, result }
  }

  recordRefusals({ request, reasons, ...stretch }: Refusals): void {
    const figures = this.#findFigures(stretch)
    const ms = stretch.to_ms - stretch.from_ms
    if (!figures || ms <= figures.longest_refusal_ms) return
    figures.longest_refusal_ms = ms
    figures.longest_refusal = { request, reasons }
  }

  /** Finds the fault that lasted for the greatest part of a stretch of time; undefined before the first fault. */
  #findFigures({ from_ms, to_ms }: Stretch): FaultFigures | undefined {
    let found: { fault: FaultName; shared_ms: number } | undefined
    let until_ms = Number.POSITIVE_INFINITY
    for (const { fault, from_ms: began_ms } of this.#begun.toReversed()) {
      const shared_ms = Math.min(to_ms, until_ms) - Math.max(from_ms, began_ms)
      if (shared_ms > (found?.shared_ms ?? 0)) found = { fault, shared_ms }
      if (began_ms <= from_ms) break
      until_ms = began_ms
    }
    return found && this.#getFigures(found.fault)
  }

  #getFigures(fault: FaultName): FaultFigures {
    const known = this.figures.get(fault)
    if (known) return known
    const figures = {
      times: 0,
      longest_refusal_ms: 0,
      longest_refusal: undefined,
      longest_wait_ms: 0,
      longest_wait: undefined,
    }
    this.figures.set(fault, figures)
    return figures
  }
}
