/**
 * The order in which a warehouse's rows last changed: every row once, under its newest version, ascending. Kept in
 * immutable chunks, so that a shelf and its log are one value. A row that changes again is struck out where it
 * stood and appended at the end; chunks that thin out are merged, so the log stays as long as there are rows.
 * Each chunk knows how many of its entries stand, so that what is still to come is counted without walking it.
 */
const entriesPerChunk = 1024
/** Neighbours that together have fewer standing entries than this become one. */
const mergeBelow = entriesPerChunk / 2

interface Chunk {
  readonly versions: Float64Array
  readonly skus: readonly string[]
  readonly struck: Uint8Array
  readonly standing: number
}

export interface ChangeLog {
  readonly chunks: readonly Chunk[]
}

export const emptyLog: ChangeLog = { chunks: [] }

export interface Entry {
  readonly sku: string
  readonly version: number
}

/** The log after a batch: the rows' former versions struck out, the new ones appended (ascending). */
export function logged(log: ChangeLog, former: readonly number[], entries: readonly Entry[]): ChangeLog {
  const kept = struck(log.chunks, former)
  if ((entries[0]?.version ?? 0) > (kept.at(-1)?.versions.at(-1) ?? 0)) {
    return { chunks: merged([...kept, ...chunksOf(entries)]) }
  }
  // Rows older than what stands already: only a shelf that is built from nothing out of order has them.
  const all = [...kept.flatMap(standingEntries), ...entries]
  return { chunks: chunksOf(all.sort((a, b) => a.version - b.version)) }
}

/** How many rows changed after a version. */
export function countSince(log: ChangeLog, since: number): number {
  const first = firstChunkAfter(log.chunks, since)
  let count = 0
  for (let index = first; index < log.chunks.length; index++) {
    const chunk = log.chunks[index]
    if (!chunk) continue
    count += index === first ? standingAfter(chunk, since) : chunk.standing
  }
  return count
}

/** The rows that changed after a version, oldest change first, at most `most`. */
export function entriesSince(log: ChangeLog, since: number, most: number): Entry[] {
  const entries: Entry[] = []
  const first = firstChunkAfter(log.chunks, since)
  for (let index = first; index < log.chunks.length; index++) {
    const chunk = log.chunks[index]
    if (!chunk) continue
    for (let at = index === first ? firstAfter(chunk, since) : 0; at < chunk.skus.length; at++) {
      if (entries.length === most) return entries
      if (chunk.struck[at] === 0)
        entries.push({ sku: chunk.skus[at] ?? '', version: chunk.versions[at] ?? 0 })
    }
  }
  return entries
}

function struck(chunks: readonly Chunk[], former: readonly number[]): Chunk[] {
  const byChunk = Map.groupBy(former, (version) => firstChunkAfter(chunks, version - 1))
  return chunks.flatMap((chunk, index) => {
    const versions = byChunk.get(index)
    if (!versions) return [chunk]
    const marks = chunk.struck.slice()
    for (const version of versions) marks[firstAfter(chunk, version - 1)] = 1
    const standing = chunk.standing - versions.length
    return standing === 0 ? [] : [{ ...chunk, struck: marks, standing }]
  })
}

/** Entries in order, as chunks. */
export function chunksOf(entries: readonly Entry[]): Chunk[] {
  const chunks: Chunk[] = []
  for (let from = 0; from < entries.length; from += entriesPerChunk) {
    const part = entries.slice(from, from + entriesPerChunk)
    chunks.push({
      versions: Float64Array.from(part, ({ version }) => version),
      skus: part.map(({ sku }) => sku),
      struck: new Uint8Array(part.length),
      standing: part.length,
    })
  }
  return chunks
}

function merged(chunks: readonly Chunk[]): Chunk[] {
  const result: Chunk[] = []
  for (const chunk of chunks) {
    const last = result.at(-1)
    if (last && last.standing + chunk.standing <= mergeBelow) {
      result.splice(-1, 1, ...chunksOf([...standingEntries(last), ...standingEntries(chunk)]))
    } else result.push(chunk)
  }
  return result
}

function standingEntries(chunk: Chunk): Entry[] {
  return chunk.skus.flatMap((sku, at) =>
    chunk.struck[at] === 0 ? [{ sku, version: chunk.versions[at] ?? 0 }] : [],
  )
}

function standingAfter(chunk: Chunk, since: number): number {
  let count = 0
  for (let at = firstAfter(chunk, since); at < chunk.skus.length; at++) count += 1 - (chunk.struck[at] ?? 0)
  return count
}

/** The first chunk whose newest version is above `since`. */
function firstChunkAfter(chunks: readonly Chunk[], since: number): number {
  return firstWhere(chunks.length, (index) => (chunks[index]?.versions.at(-1) ?? 0) > since)
}

function firstAfter(chunk: Chunk, since: number): number {
  return firstWhere(chunk.skus.length, (at) => (chunk.versions[at] ?? 0) > since)
}

/** The first index for which `holds`, where it holds from there on; `length` where it never does. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
