import { describe, expect, it } from 'vitest'
import { decimal, formatInstant, fromMinor, instant, toDate, toInstant, toMinor } from './values.ts'

describe('Amounts of Tryton', () => {
  it.each([
    ['36.6000000000000', 100, 3660],
    ['1.005', 100, 101],
    ['-1.005', 100, -101],
    ['0.004', 100, 0],
    ['-0.004', 100, 0],
    ['12', 100, 1200],
    ['.5', 100, 50],
    ['1E+3', 100, 100_000],
    ['5E-3', 100, 1],
    ['99999999999.99', 100, 9_999_999_999_999],
    ['1999', 1, 1999],
  ])('become whole minor units: %s', (text, units, minor) => {
    expect(toMinor(text, units)).toBe(minor)
  })

  it('refuse what is no decimal', () => {
    expect(() => toMinor('1,5', 100)).toThrow(RangeError)
  })

  it.each([
    [3660, '36.60'],
    [-5, '-0.05'],
    [0, '0.00'],
  ])('are sent as decimals: %d', (minor, text) => {
    expect(decimal.parse(fromMinor(minor, 100))).toBe(text)
  })
})

describe('Instants of Tryton', () => {
  it('are read and written in UTC', () => {
    const ms = Date.UTC(2026, 10, 23, 8, 6, 44, 566)
    expect(instant.parse(toInstant(ms))).toBe(ms)
    expect(formatInstant(ms)).toBe('2026-11-23T08:06:44.566Z')
    expect(toDate('2026-02-03')).toEqual({ __class__: 'date', year: 2026, month: 2, day: 3 })
  })
})
