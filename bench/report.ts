import type { Contest } from './contest.ts'
import { median, mostReferenceSpread, spread } from './statistics.ts'
import { printed, type Verdict, verdictOf } from './table.ts'

/** A target: at least or at most so much. A target without a bound is told and not judged. */
export interface Bound {
  readonly is: 'at least' | 'at most'
  readonly must: number
  readonly stretch?: number
}

/** One figure that a target speaks of, from paired rounds or repeated runs. */
export interface Judged {
  readonly subject: string
  readonly target: string
  readonly unit: '×' | 'ms' | 's' | 'MB'
  readonly values: readonly number[]
  readonly bound?: Bound
  /** The absolute figures behind a ratio, or what the figure was made of. */
  readonly detail?: string
}

export interface Compared extends Omit<Judged, 'unit' | 'values' | 'detail'> {
  /** Names of contenders. For a ratio of times, the one whose time counts is `over`. */
  readonly of: string
  readonly over: string
}

export interface Line extends Judged {
  readonly value: number
  readonly spread: number
  readonly verdict: Verdict
}

/** What a run found; printed as it comes and again as tables at the end. */
export class Report {
  readonly #contests: Contest[] = []
  readonly #lines: Line[] = []
  readonly #notes: string[] = []

  /** Says what is going on. */
  progress(text: string) {
    process.stdout.write(`… ${text}\n`)
  }

  add(contest: Contest) {
    this.#contests.push(contest)
  }

  /** Judges the ratio of two contenders' rates, and tells beside it what their CPU times say. */
  compare(contest: Contest, { of, over, ...judged }: Compared) {
    const values = contest.ratios(of, over)
    // CPU time for a request hardly depends on the load's generator or on who else wants the core.
    const byCpu = median(contest.cpuRatios(over, of))
    this.judge({ ...judged, unit: '×', values, detail: `by CPU time ${byCpu.toFixed(2)}` })
  }

  judge(judged: Judged) {
    const value = median(judged.values)
    const lastly = { value, spread: spread(judged.values), verdict: verdictOf(value, judged.bound) }
    this.#lines.push({ ...judged, ...lastly })
  }

  note(text: string) {
    this.#notes.push(text)
  }

  /** References that were not steady, each a sentence. */
  unsteady(): string[] {
    return this.#contests.flatMap(({ name, contenders }) =>
      contenders
        .filter((each) => each.isReference && each.spread > mostReferenceSpread)
        .map((each) => `${name}: ${each.name} varied by ${(each.spread * 100).toFixed(0)} %`),
    )
  }

  /** The tables. */
  text(): string {
    return printed(this.#contests, this.#lines, this.#notes)
  }

  /** Everything that was measured, for a file. */
  json() {
    return {
      targets: this.#lines,
      contests: this.#contests.map(({ name, contenders }) => ({ name, contenders })),
      notes: this.#notes,
    }
  }
}
