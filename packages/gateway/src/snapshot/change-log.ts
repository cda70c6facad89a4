/**
 * The order in which a warehouse's rows last changed: every row once, under its newest version, ascending. Chunks are
 * replaced and never changed in place, so that a snapshot keeps the log that belongs to it.
 *
 * If a row changes again, its former entry is marked as superseded and a new one is appended. Sparse chunks are merged,
 * so the log is never much longer than the number of rows. Each chunk knows the number of its live entries, so that
 * counting the rows after a version need not walk whole chunks.
 */

import { PackedTexts } from './packed-texts.ts'

const entriesPerChunk = 1024
/** Neighbouring chunks with at most this many live entries together are merged. */
const maxMergedEntries = entriesPerChunk / 2

interface Chunk {
  readonly versions: Float64Array
  readonly skus: PackedTexts
  readonly superseded: Uint8Array
  readonly live: number
  /** Where each row was last found. Only this is changed in place: when the chunk is read, which most never are. */
  finds: Uint32Array | undefined
}

export interface ChangeLog {
  readonly chunks: readonly Chunk[]
}

export const emptyLog: ChangeLog = { chunks: [] }

export interface Entry {
  readonly sku: string
  readonly version: number
}

/** An entry that is read, with a note of where its row was last found. */
export interface ReadEntry {
  readonly version: number
  /** The SKUs of its chunk. Most entries are read without theirs, because the note is enough. */
  readonly skus: PackedTexts
  /** The notes of its chunk. Snapshots share them, so that a note may be of an earlier place of the row. */
  readonly finds: Uint32Array
  /** The index of this entry's SKU and note. */
  readonly at: number
}

/**
 * Returns the log after a batch: marks the rows' former versions as superseded and appends the new entries (ascending).
 */
export function appendEntries(
  log: ChangeLog,
  former: readonly number[],
  entries: readonly Entry[],
): ChangeLog {
  const kept = markSuperseded(log.chunks, former)
  if ((entries[0]?.version ?? 0) > (kept.at(-1)?.versions.at(-1) ?? 0)) {
    return { chunks: mergeChunks([...kept, ...toChunks(entries)]) }
  }
  // Entries older than the log's newest occur only when a snapshot is built from the start, because its rows are not in
  // the order of their versions.
  const all = [...kept.flatMap(listLiveEntries), ...entries]
  return { chunks: toChunks(all.sort((a, b) => a.version - b.version)) }
}

/** Counts the rows that changed after a version. */
export function countEntriesSince(log: ChangeLog, since: number): number {
  const first = findChunkAfter(log.chunks, since)
  let count = 0
  for (let index = first; index < log.chunks.length; index++) {
    const chunk = log.chunks[index]
    if (!chunk) continue
    count += index === first ? countLiveAfter(chunk, since) : chunk.live
  }
  return count
}

/** Lists the rows that changed after a version, oldest change first, at most `maxEntries`. */
export function listEntriesSince(log: ChangeLog, since: number, maxEntries: number): ReadEntry[] {
  const entries: ReadEntry[] = []
  const first = findChunkAfter(log.chunks, since)
  for (let index = first; index < log.chunks.length; index++) {
    const chunk = log.chunks[index]
    if (!chunk) continue
    chunk.finds ??= new Uint32Array(chunk.skus.length)
    const { finds, skus } = chunk
    for (let at = index === first ? findFirstAfter(chunk, since) : 0; at < chunk.skus.length; at++) {
      if (entries.length === maxEntries) return entries
      if (chunk.superseded[at] === 0) entries.push({ version: chunk.versions[at] ?? 0, skus, finds, at })
    }
  }
  return entries
}

function markSuperseded(chunks: readonly Chunk[], former: readonly number[]): Chunk[] {
  const versions = Float64Array.from(former).sort()
  let next = 0
  return chunks.flatMap((chunk) => {
    const first = next
    const newest = chunk.versions.at(-1) ?? 0
    while (next < versions.length && (versions[next] ?? 0) <= newest) next += 1
    if (first === next) return [chunk]
    const live = chunk.live - (next - first)
    return live === 0 ? [] : [{ ...chunk, superseded: addMarks(chunk, versions.subarray(first, next)), live }]
  })
}

/** Returns a chunk's marks with those of the entries that have these versions, ascending. */
function addMarks(chunk: Chunk, versions: Float64Array): Uint8Array {
  const marks = chunk.superseded.slice()
  let at = 0
  for (const version of versions) {
    while ((chunk.versions[at] ?? version) < version) at += 1
    marks[at] = 1
  }
  return marks
}

/** Splits entries, given by their versions in order and a function that reads their SKUs, into chunks. */
export function* splitIntoChunks(
  versions: Float64Array,
  readSku: (entry: number) => string,
): Generator<Chunk, void> {
  for (let from = 0; from < versions.length; from += entriesPerChunk) {
    const part = versions.slice(from, from + entriesPerChunk)
    const skus: string[] = []
    for (let at = 0; at < part.length; at++) skus.push(readSku(from + at))
    yield {
      versions: part,
      skus: PackedTexts.of(skus),
      superseded: new Uint8Array(part.length),
      live: part.length,
      finds: undefined,
    }
  }
}

function toChunks(entries: readonly Entry[]): Chunk[] {
  const versions = Float64Array.from(entries, ({ version }) => version)
  return [...splitIntoChunks(versions, (entry) => entries[entry]?.sku ?? '')]
}

function mergeChunks(chunks: readonly Chunk[]): Chunk[] {
  const result: Chunk[] = []
  for (const chunk of chunks) {
    const last = result.at(-1)
    if (last && last.live + chunk.live <= maxMergedEntries) {
      result.splice(-1, 1, ...toChunks([...listLiveEntries(last), ...listLiveEntries(chunk)]))
    } else result.push(chunk)
  }
  return result
}

function listLiveEntries(chunk: Chunk): Entry[] {
  return [...chunk.skus].flatMap((sku, at) =>
    chunk.superseded[at] === 0 ? [{ sku, version: chunk.versions[at] ?? 0 }] : [],
  )
}

function countLiveAfter(chunk: Chunk, since: number): number {
  let count = 0
  for (let at = findFirstAfter(chunk, since); at < chunk.skus.length; at++)
    count += 1 - (chunk.superseded[at] ?? 0)
  return count
}

/** Finds the first chunk whose newest version is above `since`. */
function findChunkAfter(chunks: readonly Chunk[], since: number): number {
  return findFirstIndex(chunks.length, (index) => (chunks[index]?.versions.at(-1) ?? 0) > since)
}

function findFirstAfter(chunk: Chunk, since: number): number {
  return findFirstIndex(chunk.skus.length, (at) => (chunk.versions[at] ?? 0) > since)
}

/**
 * Finds by binary search the first index for which `holds` is true; returns `length` if there is none. `holds` must
 * also be true for every higher index.
 */
export function findFirstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
