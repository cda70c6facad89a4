/**
 * The checksum of a copy, as the contract defines it: the sum modulo 2^128, over the rows, of the first 16 bytes of the
 * SHA-256 of `sku`, `product_code`, `quantity_on_hand`, `quantity_available`, `price_wholesale`, `price_retail` and
 * `currency`, joined by U+001F, with prices in minor units. The order of rows does not matter.
 */

import { createHash } from 'node:crypto'
import type { StockRow } from './store.ts'

const separator = '\u001f'
const digestDigits = 32
const modulus = 1n << 128n
/** The currencies of ISO 4217 without minor units. The API has none with more than two decimals. */
const wholeCurrencies = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)

/** Computes the checksum as 32 hexadecimal digits. */
export function computeChecksum(rows: Iterable<StockRow>): string {
  let sum = 0n
  for (const row of rows) sum += hashRow(row)
  return (sum % modulus).toString(16).padStart(digestDigits, '0')
}

function hashRow(row: StockRow): bigint {
  const scale = wholeCurrencies.has(row.currency) ? 1 : 100
  const fields = [
    row.sku,
    row.product_code,
    row.quantity_on_hand,
    row.quantity_available,
    Math.round(row.price_wholesale * scale),
    Math.round(row.price_retail * scale),
    row.currency,
  ]
  const digest = createHash('sha256').update(fields.join(separator)).digest('hex')
  return BigInt(`0x${digest.slice(0, digestDigits)}`)
}
