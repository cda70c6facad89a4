/**
 * Proves that a copy is correct, whoever keeps it, from three independent sources: a new full pull, compared row by row;
 * the gateway's checksum, compared with the copy's; and the ERP's acknowledged movements added to the opening stock.
 * It shares no code with the SDK's mirror: rows are read by `follower.ts`, and the checksum is that of `checksum.ts`.
 */
import { isDeepStrictEqual } from 'node:util'
import { type ChecksumRow, computeChecksum } from './checksum.ts'
import type { Follower, Proof } from './follower.ts'

/** A copy of the stock of one warehouse. */
export interface StockCopy {
  readonly rows: ReadonlyMap<string, ChecksumRow>
  readonly cursor: number
  /** What the last page of the feed said that the copy must have; undefined if more changes were pending. */
  readonly proof: Proof | undefined
}

/** The maximum number of differences that are shown. */
const maxExamples = 5

/** The result of the comparison. */
export interface Verdict {
  /** The number of rows that were compared with the pull. */
  readonly rows: number
  readonly version: number
  readonly checksum: string
  readonly differences: number
  /** The first few differences, each as a sentence. */
  readonly examples: readonly string[]
}

/**
 * Compares a copy at the end of the feed with a new pull by `fresh`, with the checksums, and with the expected
 * quantities. `expected` holds the quantity on hand of each SKU according to the ERP's acknowledgements.
 */
export async function proveCopy(
  copy: StockCopy,
  fresh: Follower,
  expected: ReadonlyMap<string, number>,
): Promise<Verdict> {
  const endpointProof = await fresh.fetchProof()
  await fresh.pull()
  const checksum = computeChecksum(copy.rows.values())
  const {
    version,
    row_count,
    checksum: feedChecksum,
  } = copy.proof ?? { version: -1, row_count: -1, checksum: '' }
  const differences = [
    ...compareValues('the version of the feed and of the pull', copy.cursor, fresh.cursor),
    ...compareValues('the version of the feed and of the checksum', version, endpointProof.version),
    ...compareValues('the row count of the feed', row_count, copy.rows.size),
    ...compareValues('the checksum of the feed', feedChecksum, checksum),
    ...compareValues('the checksum of the endpoint', endpointProof.checksum, checksum),
    ...findDifferentRows(copy.rows, fresh.rows),
    ...findDifferentQuantities(copy.rows, expected),
  ]
  return {
    rows: copy.rows.size,
    version: copy.cursor,
    checksum,
    differences: differences.length,
    examples: differences.slice(0, maxExamples),
  }
}

/** Returns a sentence for each SKU whose quantity on hand is not the acknowledged one. */
export function findDifferentQuantities(
  rows: ReadonlyMap<string, ChecksumRow>,
  expected: ReadonlyMap<string, number>,
): string[] {
  const skus = new Set([...expected.keys(), ...rows.keys()])
  return [...skus].flatMap((sku) =>
    compareValues(
      `${sku}: the quantity on hand in the copy and in the ERP`,
      rows.get(sku)?.quantity_on_hand,
      expected.get(sku),
    ),
  )
}

function findDifferentRows(
  copy: ReadonlyMap<string, ChecksumRow>,
  fresh: ReadonlyMap<string, ChecksumRow>,
): string[] {
  const skus = new Set([...copy.keys(), ...fresh.keys()])
  return [...skus].flatMap((sku) =>
    compareValues(`${sku}: the row in the copy and in a fresh pull`, copy.get(sku), fresh.get(sku)),
  )
}

function compareValues(what: string, one: unknown, other: unknown): string[] {
  if (isDeepStrictEqual(one, other)) return []
  return [`${what}: ${JSON.stringify(one) ?? 'none'} and ${JSON.stringify(other) ?? 'none'}`]
}
