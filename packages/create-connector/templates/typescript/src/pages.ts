/** A page of a list: its rows, and the key after which the next page starts; null on the last page. */
export interface Page<Row> {
  readonly part: Row[]
  readonly next: string | null
}

/** What the gateway asks for: at most `limit` rows whose keys are greater than `after`. */
export interface PageRequest {
  readonly after: string | null
  readonly limit: number
}

/**
 * Returns a page of rows, ascending by the bytes of their keys. If your ERP can sort by bytes and select "greater than
 * after" by itself (in PostgreSQL: COLLATE "C"), let it do so: this function reads all rows for each page.
 */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { after, limit }: PageRequest,
): Page<Row> {
  const sorted = rows.toSorted((one, other) => compareBytes(keyOf(one), keyOf(other)))
  const following = after === null ? sorted : sorted.filter((row) => compareBytes(keyOf(row), after) > 0)
  const part = following.slice(0, limit)
  const last = part.at(-1)
  return { part, next: following.length > limit && last !== undefined ? keyOf(last) : null }
}

/** Compares two texts by their UTF-8 bytes. The operators of JavaScript compare UTF-16 units, which differs. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
