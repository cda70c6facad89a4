import { describe, expect, it } from 'vitest'
import { multiply, roundUnitPrice } from './price.ts'

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

describe('A unit price', () => {
  it.each([
    ['36.6000000000000', '36.6000'],
    ['0.33333333333333', '0.3333'],
    ['0.66666666666667', '0.6667'],
    ['1.00005', '1.0000'],
    ['1.00015000', '1.0002'],
    ['1.00005000001', '1.0001'],
    ['-1.00005', '-1.0000'],
    ['5', '5.0000'],
  ])('is rounded to four decimals, half to even, like Tryton’s: %s', (price, rounded) => {
    expect(roundUnitPrice(price)).toBe(rounded)
  })
})
