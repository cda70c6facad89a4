/**
 * The maximum difference between two series of the same measurement, as a share. Above it, the figure is not judged.
 */
export const maxRepeatDifference = 0.1

/**
 * The minimum number of values for comparing the even with the odd ones. With fewer values, one of the two groups has
 * at most one, and the comparison means little.
 */
const minRepeatValues = 4

/** Computes the median; for an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** Computes the value below which a `share` of the values lies. `share` is from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Computes the share by which the larger of two figures exceeds the smaller one. */
export function computeDifference(one: number, other: number): number {
  return Math.max(one, other) / Math.min(one, other) - 1
}

/** Computes the difference between the medians of two series of the same measurement, as a share. */
export function compareSeries(first: readonly number[], second: readonly number[]): number {
  return computeDifference(median(first), median(second))
}

/**
 * Computes the difference between the even and the odd values of one series, as a share; undefined for too few values.
 */
export function compareAlternateValues(values: readonly number[]): number | undefined {
  if (values.length < minRepeatValues) return undefined
  return compareSeries(
    values.filter((_, at) => at % 2 === 0),
    values.filter((_, at) => at % 2 === 1),
  )
}

/**
 * Computes the 95 % confidence interval of the median, for any distribution of the values (sign test). With fewer than
 * six values no such interval exists, and the result spans all values.
 */
export function computeInterval(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  let outside = 0
  let tail = 0.5 ** sorted.length
  for (let chosen = tail; 2 * tail <= 0.05; tail += chosen) {
    outside += 1
    chosen = (chosen * (sorted.length - outside + 1)) / outside
  }
  const at = Math.max(0, outside - 1)
  return [sorted[at] ?? Number.NaN, sorted[sorted.length - 1 - at] ?? Number.NaN]
}

/** The number of parts into which a long series is cut. Each part gives one value of the figure. */
const seriesParts = 9

/** Cuts a series into `seriesParts` parts of equal length; the last ones may be shorter or empty. */
export function splitSeries(values: readonly number[]): number[][] {
  const length = Math.ceil(values.length / seriesParts)
  return Array.from({ length: seriesParts }, (_, at) => values.slice(at * length, (at + 1) * length))
}
