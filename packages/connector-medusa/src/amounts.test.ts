import { describe, expect, it } from 'vitest'
import { toMinor, toUnits } from './amounts.ts'

describe('amounts', () => {
  it.each([
    [10.95, 'AUD', 1095],
    [1.005, 'AUD', 101],
    [0.285, 'AUD', 29],
    [8.165, 'AUD', 817],
    [1000, 'KRW', 1000],
    [123_456_789.01, 'AUD', 12_345_678_901],
  ])('of %d %s are %i in minor units', (amount, currency, minor) => {
    expect(toMinor(amount, currency)).toBe(minor)
  })

  it('come back unchanged', () => {
    for (const minor of [0, 1, 29, 1095, 999_999_999])
      expect(toMinor(toUnits(minor, 'AUD'), 'AUD')).toBe(minor)
  })
})
