import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { toMinorBound } from './amounts.ts'

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
