/** Returns the month, `YYYY-MM`, of a date that starts with it. */
export function getMonth(date: string): string {
  return date.slice(0, 'YYYY-MM'.length)
}

/**
 * A tally of lines by month. Counts the lines of each month and remembers the earliest and latest date of all lines.
 */
export class Months {
  readonly #lines = new Map<string, number>()
  #first: string | undefined
  #last: string | undefined

  /** Counts a line by its date, `YYYY-MM-DD…`. */
  add(date: string): void {
    this.#lines.set(getMonth(date), this.countLines(getMonth(date)) + 1)
    if (this.#first === undefined || date < this.#first) this.#first = date
    if (this.#last === undefined || date > this.#last) this.#last = date
  }

  countLines(month: string): number {
    return this.#lines.get(month) ?? 0
  }

  /** All months with lines, in order. */
  get all(): string[] {
    return [...this.#lines.keys()].sort()
  }

  /** The first month whose lines reach from its first to its last day. */
  get firstWhole(): string | undefined {
    const [first = '', last = ''] = [this.#first, this.#last]
    return this.all.find((month) => first < `${month}-02` && last >= findLastDay(month))
  }
}

function findLastDay(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
