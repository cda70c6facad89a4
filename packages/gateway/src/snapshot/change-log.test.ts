import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appendEntries,
  type ChangeLog,
  countEntriesSince,
  type Entry,
  emptyLog,
  listEntriesSince as readEntriesSince,
} from './change-log.ts'

const all = Number.POSITIVE_INFINITY

/** A log, and the newest version of each of its rows. */
interface Followed {
  readonly log: ChangeLog
  readonly versions: ReadonlyMap<string, number>
}

const nothing: Followed = { log: emptyLog, versions: new Map() }

/** Appends rows under the versions after `from`. */
function change({ log, versions }: Followed, skus: readonly string[], from: number): Followed {
  const entries = skus.map((sku, index) => ({ sku, version: from + index + 1 }))
  return append({ log, versions }, entries)
}

function append({ log, versions }: Followed, entries: readonly Entry[]): Followed {
  const former = entries.flatMap(({ sku }) => versions.get(sku) ?? [])
  const next = new Map(versions)
  for (const { sku, version } of entries) next.set(sku, version)
  return { log: appendEntries(log, former, entries), versions: next }
}

function listExpected(versions: ReadonlyMap<string, number>, since: number): Entry[] {
  return [...versions]
    .map(([sku, version]) => ({ sku, version }))
    .filter(({ version }) => version > since)
    .sort((a, b) => a.version - b.version)
}

/** Lists entries without the notes of where their rows are. */
const listEntriesSince = (log: ChangeLog, since: number, most: number): Entry[] =>
  readEntriesSince(log, since, most).map(({ skus, at, version }) => ({ sku: skus.at(at), version }))

const createSkus = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `SKU-${first + index}`)

describe('a log of changes', () => {
  it('finds every row of a chunk that is exactly full', () => {
    const { log, versions } = change(nothing, createSkus(1024), 0)
    expect(log.chunks).toHaveLength(1)
    expect(listEntriesSince(log, 1000, all)).toEqual(listExpected(versions, 1000))
  })

  it('has every row once, under its newest version, in the order of the changes', () => {
    // Without a size, fast-check makes lists of ten items at most, in which hardly any row changes twice.
    const batch = fc.uniqueArray(fc.nat(1500), { maxLength: 400, size: 'max' })
    const property = fc.property(
      fc.array(batch, { maxLength: 12, size: 'max' }),
      fc.nat(3000),
      fc.nat(500),
      (batches, since, most) => {
        let followed = nothing
        let version = 0
        for (const numbers of batches) {
          followed = change(
            followed,
            numbers.map((number) => `SKU-${number}`),
            version,
          )
          version += numbers.length
        }
        const expected = listExpected(followed.versions, since)
        expect(listEntriesSince(followed.log, since, all)).toEqual(expected)
        expect(listEntriesSince(followed.log, since, most)).toEqual(expected.slice(0, most))
        expect(countEntriesSince(followed.log, since)).toBe(expected.length)
      },
    )
    fc.assert(property, { numRuns: 25 })
  })

  it('stays as it was while a longer one is made of it', () => {
    const before = change(nothing, createSkus(3000), 0)
    change(before, createSkus(2000, 500), 3000)
    expect(listEntriesSince(before.log, 0, all)).toEqual(listExpected(before.versions, 0))
    expect(countEntriesSince(before.log, 2999)).toBe(1)
  })

  it('copies nothing that a batch does not touch', () => {
    const before = change(nothing, createSkus(4096), 0)
    const after = change(before, ['SKU-4095', 'SKU-5000'], 4096)
    expect(after.log.chunks.slice(0, 3)).toEqual(before.log.chunks.slice(0, 3))
    for (const [index, chunk] of before.log.chunks.slice(0, 3).entries())
      expect(after.log.chunks[index]).toBe(chunk)
  })

  it('is not much longer than its rows, however often they change, alone or together', () => {
    let followed = change(nothing, createSkus(600), 0)
    for (let version = 600; version < 1800; version++)
      followed = change(followed, [`SKU-${version % 600}`], version)
    const length = followed.log.chunks.reduce((sum, { skus }) => sum + skus.length, 0)
    expect(length).toBeLessThanOrEqual(2 * 600)
    expect(followed.log.chunks.length).toBeLessThanOrEqual(8)
    expect(countEntriesSince(followed.log, 0)).toBe(600)
  })

  it('puts rows that come late at the place of their versions', () => {
    const newest = append(nothing, [{ sku: 'C', version: 30 }])
    const filled = append(newest, [
      { sku: 'A', version: 10 },
      { sku: 'B', version: 20 },
    ])
    expect(listEntriesSince(filled.log, 10, all)).toEqual(listExpected(filled.versions, 10))
    expect(countEntriesSince(filled.log, 10)).toBe(2)
  })

  it('does not change by a batch without rows, or by one that it already has', () => {
    const before = change(nothing, createSkus(5), 0)
    const same = listExpected(before.versions, 0)
    expect(listEntriesSince(appendEntries(before.log, [], []), 0, all)).toEqual(same)
    let again = before
    for (let time = 0; time < 3; time++) again = append(again, same.slice(-1))
    expect(listEntriesSince(again.log, 0, all)).toEqual(same)
    expect(countEntriesSince(again.log, 0)).toBe(5)
    expect(countEntriesSince(again.log, 4)).toBe(1)
    expect(listEntriesSince(emptyLog, 0, all)).toEqual([])
    expect(countEntriesSince(emptyLog, 0)).toBe(0)
  })
})
