import { describe, expect, it } from 'vitest'
import { Histogram, toBucket } from './histogram.ts'

/** Creates a histogram of these durations in microseconds. */
function countDurations(durations: Iterable<number>): Histogram {
  const histogram = new Histogram()
  for (const each of durations) histogram.add(each)
  return histogram
}

describe('a quantile of a histogram', () => {
  it.each([0.01, 0.5, 0.9, 0.95, 1])('%d of a million durations is within 5 %% of the exact one', (share) => {
    const durations = Array.from({ length: 1_000_000 }, (_, index) => index + 100)
    const exact = (durations[Math.ceil(durations.length * share) - 1] ?? 0) / 1000
    const read = countDurations(durations).readQuantileMs(share) ?? 0
    expect(Math.abs(read - exact) / exact).toBeLessThan(0.05)
  })

  it('is null without a duration, and finite for one without measure', () => {
    expect(countDurations([]).readQuantileMs(0.5)).toBe(null)
    const extremes = countDurations([0, -5, 1e15])
    expect(extremes.readQuantileMs(0.5)).toBeCloseTo(0.001, 3)
    expect(extremes.readQuantileMs(1)).toBeGreaterThan(1_000_000)
    expect(extremes.total).toBe(3)
  })

  it('does not depend on where its durations were counted', () => {
    const durations = [900, 15_000, 15_100, 80_000]
    const elsewhere = new Histogram()
    for (const each of durations) elsewhere.addToBucket(toBucket(each), 1)
    expect(elsewhere.readQuantileMs(0.5)).toBe(countDurations(durations).readQuantileMs(0.5))
  })
})
