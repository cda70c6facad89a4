import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addContribution, hashPublishedRow, hashStoredRow, type Sum, toHex, zeroSum } from './checksum.ts'

const row = {
  sku: 'A-1',
  product_code: 'A',
  quantity_on_hand: 5,
  quantity_available: 3,
  price_wholesale: 12.5,
  price_retail: 20,
  currency: 'AUD',
}
const modulus = 2n ** 128n

/** Computes the first 16 bytes of SHA-256 over fields, as a client does. */
function hashFields(fields: readonly (string | number)[]): string {
  return createHash('sha256').update(fields.join('\u001f'), 'utf8').digest('hex').slice(0, 32)
}

function toNumber(sum: Sum): bigint {
  return sum.reduce((total, word) => total * 2n ** 32n + BigInt(word), 0n)
}

describe('the checksum', () => {
  it('is the sum modulo 2^128 of the first 16 bytes of SHA-256 over the published fields', () => {
    const first = hashFields(['A-1', 'A', 5, 3, 1250, 2000, 'AUD'])
    expect(toHex(addContribution(zeroSum, hashPublishedRow(row), 1))).toBe(first)
    const largest = [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff] as const
    expect(toHex(addContribution(largest, [0, 0, 0, 1], 1))).toBe('0'.repeat(32))
    expect(toHex(addContribution(zeroSum, [0, 0, 0, 1], -1))).toBe('f'.repeat(32))
    const sum = BigInt(`0x${first}`) * 3n
    const thrice = [1, 2, 3].reduce((total) => addContribution(total, hashPublishedRow(row), 1), zeroSum)
    expect(toHex(thrice)).toBe((sum % modulus).toString(16).padStart(32, '0'))
  })

  it('is the same for published prices and for the stored ones in minor units', () => {
    const inCents = { ...row, price_wholesale: 29, price_retail: 1999 }
    // 0.29 × 100 is 28.999999999999996, and 19.99 × 100 is 1998.9999999999998.
    expect(hashPublishedRow({ ...row, price_wholesale: 0.29, price_retail: 19.99 })).toEqual(
      hashStoredRow(inCents),
    )
    const inYen = { ...row, price_wholesale: 1980, price_retail: 2500, currency: 'JPY' }
    expect(hashPublishedRow(inYen)).toEqual(hashStoredRow(inYen))
    expect(toHex(hashStoredRow(inYen))).toBe(hashFields(['A-1', 'A', 5, 3, 1980, 2500, 'JPY']))
  })

  it('differs if characters move from one field to its neighbour', () => {
    const moved = { ...row, sku: 'A-', product_code: '1A' }
    expect(hashStoredRow(moved)).not.toEqual(hashStoredRow(row))
    const digits = { ...row, quantity_on_hand: 53, quantity_available: 0 }
    expect(hashStoredRow({ ...digits, quantity_on_hand: 5, quantity_available: 30 })).not.toEqual(
      hashStoredRow(digits),
    )
  })
})

describe('a sum', () => {
  const word = fc.oneof(fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff), fc.nat())
  const sums = fc.tuple(word, word, word, word)

  it('adds and subtracts contributions modulo 2^128', () => {
    const property = fc.property(sums, sums, (sum, part) => {
      const [a, b] = [toNumber(sum), toNumber(part)]
      expect(toNumber(addContribution(sum, part, 1))).toBe((a + b) % modulus)
      expect(toNumber(addContribution(sum, part, -1))).toBe((a - b + modulus) % modulus)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('is written as 32 hexadecimal digits, also where words begin with zeros', () => {
    expect(toHex(zeroSum)).toBe('0'.repeat(32))
    expect(toHex([1, 0xabc, 0xffffffff, 0])).toBe('0000000100000abcffffffff00000000')
  })
})
