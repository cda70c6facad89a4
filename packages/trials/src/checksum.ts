/**
 * The checksum of a copy of a warehouse's stock, computed as any client can from the public description alone: the
 * sum modulo 2^128 of the first 16 bytes of SHA-256 over the published fields of each row, as 32 hexadecimal
 * digits. It shares no code with the gateway, or it would prove nothing.
 */
import { createHash } from 'node:crypto'

/** The fields of a row that the checksum covers; prices as published, in major units. */
export interface ChecksumRow {
  readonly sku: string
  readonly product_code: string
  readonly quantity_on_hand: number
  readonly quantity_available: number
  readonly price_wholesale: number
  readonly price_retail: number
  readonly currency: string
}

const modulus = 1n << 128n
const digestBytes = 16

/** The currencies of the contract whose smallest unit is the unit itself. */
const withoutMinorUnits: ReadonlySet<string> = new Set(['KRW', 'JPY'])

/** The checksum over the rows of one warehouse that are not withdrawn; their order does not matter. */
export function checksumOf(rows: Iterable<ChecksumRow>): string {
  let sum = 0n
  for (const row of rows) {
    const digest = createHash('sha256').update(lineOf(row)).digest('hex')
    sum = (sum + BigInt(`0x${digest.slice(0, digestBytes * 2)}`)) % modulus
  }
  return sum.toString(16).padStart(digestBytes * 2, '0')
}

function lineOf(row: ChecksumRow): string {
  const scale = withoutMinorUnits.has(row.currency) ? 1 : 100
  const minor = (price: number) => Math.round(price * scale)
  return [
    row.sku,
    row.product_code,
    row.quantity_on_hand,
    row.quantity_available,
    minor(row.price_wholesale),
    minor(row.price_retail),
    row.currency,
  ].join('\u001f')
}
