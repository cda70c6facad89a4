/**
 * Writes the outcomes of attempts in batches: late enough to write many at once, early enough that a crash repeats few
 * deliveries.
 */

import type { Gateway } from '../gateway.ts'
import { type Outcome, writeOutcomes } from './queue.ts'

/** The number of unwritten outcomes above which no further deliveries are read. */
const maxUnwritten = 5_000
const outcomesPerWrite = 500
const writeAfterMs = 20
const rewriteAfterMs = 1_000

export class OutcomeWriter {
  readonly #gateway: Gateway
  readonly #onWritten: (batch: readonly Outcome[]) => void
  #outcomes: Outcome[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** `onWritten` gets the outcomes of each commit. */
  constructor(gateway: Gateway, onWritten: (batch: readonly Outcome[]) => void) {
    this.#gateway = gateway
    this.#onWritten = onWritten
  }

  /** Whether so many outcomes wait for the database that no further deliveries should be read. */
  get isFull(): boolean {
    return this.#outcomes.length > maxUnwritten
  }

  /** Takes an outcome, which is written within `writeAfterMs`. */
  add(outcome: Outcome): void {
    this.#outcomes.push(outcome)
    if (this.#outcomes.length >= outcomesPerWrite) void this.flush().catch(() => {})
    else this.#schedule(writeAfterMs)
  }

  /** Writes every outcome so far; concurrent calls share one write. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeBatches().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  /** Tries once more to write what is left, and writes nothing afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush().catch(() => {})
    clearTimeout(this.#timer)
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.flush().catch((error: unknown) => {
        this.#gateway.log.warn(
          { error },
          'the outcomes of deliveries could not be written yet; the dispatcher retries',
        )
        if (!this.#isClosed) this.#schedule(rewriteAfterMs)
      })
    }, ms)
  }

  async #writeBatches(): Promise<void> {
    while (this.#outcomes.length > 0) {
      const batch = this.#outcomes.slice(0, outcomesPerWrite)
      await writeOutcomes(this.#gateway, batch)
      this.#outcomes = this.#outcomes.slice(batch.length)
      this.#onWritten(batch)
    }
  }
}
