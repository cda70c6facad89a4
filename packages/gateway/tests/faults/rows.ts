import {
  added,
  type ChecksumFields,
  contributionOf,
  hexOf,
  type Sum,
  zeroSum,
} from '../../src/stock/checksum.ts'

/** A row as a client reads it from a pull or from the feed. */
export interface ClientRow extends ChecksumFields {
  readonly warehouse_code: string
  readonly version: number
  readonly removed?: true
}

/** The rows of an answer that was put together from chunks, without its envelope. */
export function rowsIn(chunks: readonly Uint8Array[]): ClientRow[] {
  const rows: ClientRow[] = JSON.parse(`[${Buffer.concat(chunks)}]`)
  return rows
}

/** The checksum that any client can compute over its copy. */
export function checksumOf(rows: Iterable<ClientRow>): string {
  let sum: Sum = zeroSum
  for (const row of rows) sum = added(sum, contributionOf(row), 1)
  return hexOf(sum)
}
