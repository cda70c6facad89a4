import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { amountField, toMinorBound } from './amounts.ts'

const currencies: Readonly<Record<string, string>> = { AUSYD1: 'AUD', AUSYD2: 'AUD', KRSEL1: 'KRW' }
const warehouse = (code: string) => ({ currency: currencies[code] })
// A limit uses no other part of a gateway.
const gateway = { mirror: { stock: { warehouse } } } as unknown as Gateway

describe('The limit of a total', () => {
  it.each([
    [['AUSYD1'], 5_000_000],
    [['KRSEL1'], 50_000],
    [['AUSYD1', 'AUSYD2'], 5_000_000],
    [['AUSYD1', 'KRSEL1'], 50_000],
    [['KRSEL1', 'AUSYD1'], 50_000],
    [[], 5_000_000],
  ])(
    'of 50,000 in %j is %d minor units: never more than was said, wherever it is allocated',
    (codes, most) => {
      expect(toMinorBound(gateway, 50_000 * 100, codes)).toBe(most)
    },
  )
})

describe('An amount in a request', () => {
  it.each([
    1e-9,
    0.001,
    1.005,
    10.000_000_001,
    60_000_000.000_05,
    999_999.991,
    999_999_999_999.999,
    1e12 + 0.01,
  ])('is not %d, which has more than 2 decimals or is too large', (amount) => {
    expect(amountField.safeParse(amount).success).toBe(false)
  })

  it.each([0.1 + 0.2, 0.7 + 0.1, 1.1 * 1.1 * 100, 10_000.1 - 9_999.95, 1.1 - 1 - 0.1])(
    'may be %d, a sum in floating point',
    (amount) => {
      expect(amountField.safeParse(amount).success).toBe(true)
    },
  )

  it('has up to 2 decimals, however large it is', () => {
    const largest = 1e14
    const ends = Array.from({ length: 10_000 }, (_, at) => [at, largest - at])
    const between = Array.from({ length: 10_000 }, (_, at) => Math.round((at / 10_000) ** 4 * largest))
    const refused = [...ends.flat(), ...between].filter((cents) => {
      const written = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
      return !amountField.safeParse(Number(written)).success
    })
    expect(refused).toEqual([])
  })
})
