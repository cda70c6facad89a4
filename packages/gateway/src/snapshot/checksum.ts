/**
 * The checksum by which a client verifies its copy. Each row that is not withdrawn contributes the first 16 bytes of
 * the SHA-256 of its published fields; the checksum is the sum of the contributions modulo 2^128. The sum does not
 * depend on the order of rows, so any client can compute it over its own copy. Each change updates the checksum, so
 * reading it costs nothing.
 */

import { hash } from 'node:crypto'
import { minorUnits } from '../kernel/money.ts'

/** The published fields that the checksum covers. */
export interface ChecksumFields {
  readonly sku: string
  readonly product_code: string
  readonly quantity_on_hand: number
  readonly quantity_available: number
  readonly price_wholesale: number
  readonly price_retail: number
  readonly currency: string
}

const separator = '\u001f'
/** The number of 32-bit words in a sum. */
export const wordsPerSum = 4
const wordModulus = 2 ** 32

/** A number modulo 2^128 as four 32-bit words, the most significant first. */
export type Sum = readonly [number, number, number, number]

export const zeroSum: Sum = [0, 0, 0, 0]

/** Computes the contribution of a published row: the first four words of its digest. */
export function hashPublishedRow(row: ChecksumFields): Sum {
  const scale = minorUnits(row.currency)
  const [wholesale, retail] = [Math.round(row.price_wholesale * scale), Math.round(row.price_retail * scale)]
  return hashStoredRow({ ...row, price_wholesale: wholesale, price_retail: retail })
}

/** Computes the contribution of a stored row, whose prices are in minor units. */
export function hashStoredRow(row: ChecksumFields): Sum {
  const text =
    row.sku +
    separator +
    row.product_code +
    separator +
    row.quantity_on_hand +
    separator +
    row.quantity_available +
    separator +
    row.price_wholesale +
    separator +
    row.price_retail +
    separator +
    row.currency
  // A text costs a quarter of a buffer. Each of its characters is a byte.
  const digest = hash('sha256', text, 'binary')
  return [readWord(digest, 0), readWord(digest, 4), readWord(digest, 8), readWord(digest, 12)]
}

function readWord(digest: string, at: number): number {
  const [first, second] = [digest.charCodeAt(at), digest.charCodeAt(at + 1)]
  const [third, fourth] = [digest.charCodeAt(at + 2), digest.charCodeAt(at + 3)]
  return ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
}

/** Returns `sum + sign × part`, modulo 2^128. */
export function addContribution(sum: Sum, part: Sum, sign: 1 | -1): Sum {
  const result: [number, number, number, number] = [0, 0, 0, 0]
  let carry = 0
  for (let word = wordsPerSum - 1; word >= 0; word--) {
    const value = (sum[word] ?? 0) + sign * (part[word] ?? 0) + carry
    result[word] = value < 0 ? value + wordModulus : value % wordModulus
    carry = value < 0 ? -1 : value >= wordModulus ? 1 : 0
  }
  return result
}

/** Formats a sum as 32 hexadecimal digits. */
export function toHex(sum: Sum): string {
  return sum.map((word) => word.toString(16).padStart(8, '0')).join('')
}
