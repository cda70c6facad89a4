/**
 * The proof that a follower's copy is right, from three sides that know nothing of each other: a fresh full pull,
 * row by row; the gateway's checksum against one that was computed over the copy; and the ERP's acknowledgements,
 * added up on the opening stock.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Follower, StockRow } from './follower.ts'

/** So many differences are shown as examples. */
const mostExamples = 5

/** What was compared, and what was not equal. */
export interface Verdict {
  /** Rows of the copy that were compared with the pull's. */
  readonly rows: number
  readonly version: number
  readonly checksum: string
  readonly differences: number
  /** The first few differences, each a sentence. */
  readonly examples: readonly string[]
}

/**
 * Compares a follower that has caught up with a fresh pull, with the checksums, and with what every SKU must have.
 * `expected` holds the quantity on hand of each SKU of the warehouse by the ERP's own acknowledgements.
 */
export async function proved(
  follower: Follower,
  fresh: Follower,
  expected: ReadonlyMap<string, number>,
): Promise<Verdict> {
  const asked = await follower.askedProof()
  await fresh.pull()
  const checksum = follower.checksum()
  const {
    version,
    row_count,
    checksum: told,
  } = follower.proof ?? { version: -1, row_count: -1, checksum: '' }
  const differences = [
    ...differenceOf('the version of the feed and of the pull', follower.cursor, fresh.cursor),
    ...differenceOf('the version of the feed and of the checksum', version, asked.version),
    ...differenceOf('the row count that the feed told', row_count, follower.rows.size),
    ...differenceOf('the checksum that the feed told', told, checksum),
    ...differenceOf('the checksum that the endpoint told', asked.checksum, checksum),
    ...differentRows(follower.rows, fresh.rows),
    ...differentQuantities(follower.rows, expected),
  ]
  return {
    rows: follower.rows.size,
    version: follower.cursor,
    checksum,
    differences: differences.length,
    examples: differences.slice(0, mostExamples),
  }
}

/** The SKUs whose quantity on hand is not what the ERP acknowledged, each as a sentence. */
export function differentQuantities(
  rows: ReadonlyMap<string, StockRow>,
  expected: ReadonlyMap<string, number>,
): string[] {
  const skus = new Set([...expected.keys(), ...rows.keys()])
  return [...skus].flatMap((sku) =>
    differenceOf(
      `${sku}: the quantity on hand in the copy and in the ERP`,
      rows.get(sku)?.quantity_on_hand,
      expected.get(sku),
    ),
  )
}

function differentRows(copy: ReadonlyMap<string, StockRow>, fresh: ReadonlyMap<string, StockRow>): string[] {
  const skus = new Set([...copy.keys(), ...fresh.keys()])
  return [...skus].flatMap((sku) =>
    differenceOf(`${sku}: the row in the copy and in a fresh pull`, copy.get(sku), fresh.get(sku)),
  )
}

function differenceOf(what: string, one: unknown, other: unknown): string[] {
  if (isDeepStrictEqual(one, other)) return []
  return [`${what}: ${JSON.stringify(one) ?? 'none'} and ${JSON.stringify(other) ?? 'none'}`]
}
