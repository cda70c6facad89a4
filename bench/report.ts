import type { ContestResult } from './contest.ts'
import { compareAlternateValues, computeInterval, maxRepeatDifference, median } from './statistics.ts'
import { formatReport, judgeValue } from './table.ts'
import type { Compared, Judged, Line } from './target.ts'

/** The figures of a run, which are collected here and printed as tables at its end. */
export class Report {
  readonly #contests: ContestResult[] = []
  readonly #lines: Line[] = []
  readonly #notes: string[] = []
  #hasFailed = false

  printProgress(text: string) {
    process.stdout.write(`… ${text}\n`)
  }

  addContest(contest: ContestResult) {
    this.#contests.push(contest)
  }

  /** Judges the ratio of two contenders by CPU time or by throughput. The other ratio is printed beside it. */
  judgeRatio(contest: ContestResult, { of, over, by, detail, ...judged }: Compared) {
    // By `cost`, the ratio is `of` / `over`, and lower is better. By rate it is inverted, so that higher is better.
    const [costly, cheap] = by === 'cost' ? [of, over] : [over, of]
    const cpu = contest.computeRatios('cpuUs', costly, cheap)
    const rates = contest.computeRatios('perSecond', cheap, costly)
    const isByCpu = by !== 'throughput'
    const [first, second] = isByCpu ? [cpu, rates] : [rates, cpu]
    const beside = `by ${isByCpu ? 'throughput' : 'CPU time'} ${median(second.values).toFixed(2)}`
    this.judge({ ...judged, ...first, unit: '×', detail: detail ? `${beside}; ${detail}` : beside })
  }

  judge(judged: Judged) {
    const value = median(judged.values)
    const repeat = judged.repeat ?? compareAlternateValues(judged.values)
    const isRepeatable = repeat !== undefined && repeat <= maxRepeatDifference
    const verdict = judged.bound && !isRepeatable ? 'not judged' : judgeValue(value, judged.bound)
    const shown = repeat === undefined ? {} : { repeat }
    this.#lines.push({ ...judged, ...shown, value, interval: computeInterval(judged.values), verdict })
  }

  addNote(text: string) {
    this.#notes.push(text)
  }

  /** Notes that a subject could not be measured to its end, and why. */
  addFailure(text: string) {
    this.#hasFailed = true
    this.addNote(`not measured to its end: ${text}`)
  }

  /** Whether a subject could not be measured to its end. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Whether a figure with a target could not be judged, because its measurements differ too much. */
  get hasUnjudged(): boolean {
    return this.#lines.some(({ verdict }) => verdict === 'not judged')
  }

  formatText(): string {
    return formatReport(this.#contests, this.#lines, this.#notes)
  }

  /** Returns all figures, for the results file. */
  toJson() {
    return {
      targets: this.#lines,
      contests: this.#contests.map(({ name, contenders }) => ({ name, contenders })),
      notes: this.#notes,
    }
  }
}
