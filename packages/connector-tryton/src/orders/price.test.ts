import { describe, expect, it } from 'vitest'
import { multiply } from './price.ts'

describe('The amount of a line', () => {
  it.each([
    ['36.6000', 5, 18_300],
    ['0.0050', 1, 0],
    ['0.0150', 1, 2],
    ['0.0250', 1, 2],
    ['0.0251', 1, 3],
    ['9999999.9999', 999_999_999, 999_999_998_990_000_000],
  ])('is rounded half to even, like Tryton’s: %s × %d', (price, quantity, amount) => {
    expect(multiply(price, quantity, 100)).toBe(amount)
  })
})
