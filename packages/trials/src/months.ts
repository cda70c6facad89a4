/** `YYYY-MM` of a date that begins so. */
export function monthOf(date: string): string {
  return date.slice(0, 'YYYY-MM'.length)
}

/** How many lines each month has, and from when to when. */
export class Months {
  readonly #lines = new Map<string, number>()
  #first: string | undefined
  #last: string | undefined

  /** Counts a line by its date, `YYYY-MM-DD…`. */
  add(date: string): void {
    this.#lines.set(monthOf(date), this.linesIn(monthOf(date)) + 1)
    if (this.#first === undefined || date < this.#first) this.#first = date
    if (this.#last === undefined || date > this.#last) this.#last = date
  }

  linesIn(month: string): number {
    return this.#lines.get(month) ?? 0
  }

  /** All months that have lines, in order. */
  get all(): string[] {
    return [...this.#lines.keys()].sort()
  }

  /** The first month of which the lines reach from its first day to its last. */
  get firstWhole(): string | undefined {
    const [first = '', last = ''] = [this.#first, this.#last]
    return this.all.find((month) => first < `${month}-02` && last >= lastDay(month))
  }
}

function lastDay(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
