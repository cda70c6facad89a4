/** What all seeds of a run did together, and whether it was enough to find anything. */
import type { SeedReport } from './jobs.ts'

/** So few seeds may have nothing of a kind by chance. */
const minSeeds = 50
/** Most seeds have about ten. */
const minCrashesPerSeed = 5

export class Totals {
  seeds = 0
  crashes = 0
  /** The number of seeds that broke a promise. */
  violated = 0
  readonly #judged = { submits: 0, holds: 0, transactions: 0, copies: 0, events: 0 }

  add({ crashes, violations, counts }: Pick<SeedReport, 'crashes' | 'violations' | 'counts'>): void {
    this.seeds += 1
    this.crashes += crashes
    if (violations.length > 0) this.violated += 1
    if (!counts) return
    this.#judged.submits += counts.submits
    this.#judged.holds += counts.holds
    this.#judged.transactions += counts.transactions
    this.#judged.copies += counts.copies
    this.#judged.events += counts.events
  }

  /** Formats how the seeds went. `runs` says how each was run. */
  format(runs = ''): string {
    return `${this.seeds} seeds${runs}, ${this.crashes} crashes, ${this.violated} with violations`
  }

  /** Formats what there was to judge. */
  formatJudged(): string {
    const { submits, holds, transactions, copies, events } = this.#judged
    return `judged: ${submits} confirmed submits, ${holds} confirmed holds, ${transactions} transactions, ${copies} copies, ${events} events`
  }

  /** Returns why this run proves nothing: a world in which nothing happens breaks no promise. Undefined if it does. */
  findIdleness(): string | undefined {
    if (this.seeds < minSeeds) return undefined
    const missing = Object.entries(this.#judged).find(([, count]) => count === 0)
    if (missing) return `The run proves nothing: ${this.seeds} seeds had no ${missing[0]} to judge.`
    const perSeed = this.crashes / this.seeds
    if (perSeed >= minCrashesPerSeed) return undefined
    return `The run proves nothing: a seed had ${perSeed.toFixed(1)} crashes on average, and must have ${minCrashesPerSeed}.`
  }
}
