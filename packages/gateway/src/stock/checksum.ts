import { hash } from 'node:crypto'
import { minorUnits } from '../kernel/money.ts'

/**
 * The proof that a copy is right: the sum modulo 2^128, over the rows that are not withdrawn, of the first 16 bytes
 * of the SHA-256 of their published fields. A sum does not care about order and is kept up to date with each
 * change, so it costs nothing to ask and any client can compute it over its own copy.
 */
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
/** 32-bit numbers of a sum. */
export const lanes = 4
const laneSize = 2 ** 32

/** A number modulo 2^128 as four 32-bit lanes, the most significant first. */
export type Sum = readonly [number, number, number, number]

export const zeroSum: Sum = [0, 0, 0, 0]

/** What a published row adds: four lanes of its digest. */
export function contributionOf(row: ChecksumFields): Sum {
  const scale = minorUnits(row.currency)
  const [wholesale, retail] = [Math.round(row.price_wholesale * scale), Math.round(row.price_retail * scale)]
  return digestOf({ ...row, price_wholesale: wholesale, price_retail: retail })
}

/** The same of a row as it is stored, with prices in minor units. */
export function digestOf(row: ChecksumFields): Sum {
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
  const digest = hash('sha256', text, 'buffer')
  return [digest.readUInt32BE(0), digest.readUInt32BE(4), digest.readUInt32BE(8), digest.readUInt32BE(12)]
}

/** `sum + sign × part`, modulo 2^128. */
export function added(sum: Sum, part: Sum, sign: 1 | -1): Sum {
  const result: [number, number, number, number] = [0, 0, 0, 0]
  let carry = 0
  for (let lane = lanes - 1; lane >= 0; lane--) {
    const value = (sum[lane] ?? 0) + sign * (part[lane] ?? 0) + carry
    result[lane] = value < 0 ? value + laneSize : value % laneSize
    carry = value < 0 ? -1 : value >= laneSize ? 1 : 0
  }
  return result
}

/** 32 hexadecimal digits. */
export function hexOf(sum: Sum): string {
  return sum.map((lane) => lane.toString(16).padStart(8, '0')).join('')
}
