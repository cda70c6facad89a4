/**
 * The checksum of a copy of a warehouse's stock, computed as the public documentation describes it: the sum modulo
 * 2^128 of the first 16 bytes of SHA-256 over the published fields of each row, as 32 hexadecimal digits. Except for
 * the number of decimals of a currency it shares no code with the gateway, so that the comparison proves something.
 */
import { createHash } from 'node:crypto'
import { minorUnits } from '@trade-gateway/connector'

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

/** Computes the checksum over the rows of one warehouse that are not withdrawn. Their order does not matter. */
export function computeChecksum(rows: Iterable<ChecksumRow>): string {
  let sum = 0n
  for (const row of rows) {
    const digest = createHash('sha256').update(formatRow(row)).digest('hex')
    sum = (sum + BigInt(`0x${digest.slice(0, digestBytes * 2)}`)) % modulus
  }
  return sum.toString(16).padStart(digestBytes * 2, '0')
}

function formatRow(row: ChecksumRow): string {
  const scale = minorUnits(row.currency)
  const toMinorUnits = (price: number) => Math.round(price * scale)
  return [
    row.sku,
    row.product_code,
    row.quantity_on_hand,
    row.quantity_available,
    toMinorUnits(row.price_wholesale),
    toMinorUnits(row.price_retail),
    row.currency,
  ].join('\u001f')
}
