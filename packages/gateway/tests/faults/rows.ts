import {
  addContribution,
  type ChecksumFields,
  hashPublishedRow,
  type Sum,
  toHex,
  zeroSum,
} from '../../src/snapshot/checksum.ts'

/** A stock row as a client reads it, from the whole stock of a warehouse or from the change feed. */
export interface ClientRow extends ChecksumFields {
  readonly warehouse_code: string
  readonly version: number
  readonly removed?: true
}

/** Parses the rows of a response that comes in chunks, without its envelope. */
export function parseRows(chunks: readonly Uint8Array[]): ClientRow[] {
  const rows: ClientRow[] = JSON.parse(`[${Buffer.concat(chunks)}]`)
  return rows
}

/** Computes the checksum of a copy as any client can. */
export function computeChecksum(rows: Iterable<ClientRow>): string {
  let sum: Sum = zeroSum
  for (const row of rows) sum = addContribution(sum, hashPublishedRow(row), 1)
  return toHex(sum)
}
