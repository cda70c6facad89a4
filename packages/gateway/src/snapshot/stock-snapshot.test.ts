import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chunk, listPieces, measureChunks } from '../contract/call.ts'
import type { SnapshotRow } from './block.ts'
import { addContribution, hashPublishedRow, toHex, zeroSum } from './checksum.ts'
import { SnapshotBuilder } from './snapshot-builder.ts'
import {
  applyBatch,
  countChangesSince,
  countPlaces,
  emptySnapshot,
  findSku,
  listAllRows,
  listChangesSince,
  listRowsBetween,
  listSkusOfStyle,
  type StockSnapshot,
} from './stock-snapshot.ts'

const noPause = async () => {}
/** The time limit of a property that takes ten seconds, for a machine that other work slows down. */
const maxMs = 120_000

function joinText(chunks: readonly Chunk[]): string {
  const bytes = Buffer.concat([...listPieces(chunks)])
  expect(measureChunks(chunks)).toBe(bytes.length)
  return bytes.toString()
}

function parseChunks(chunks: readonly Chunk[]): unknown[] {
  return JSON.parse(`[${joinText(chunks)}]`)
}

/** A simple model of the same stock, against which the snapshot is compared. */
class Model {
  readonly rows = new Map<string, SnapshotRow>()

  apply(changes: readonly SnapshotRow[]) {
    for (const row of changes) this.rows.set(row.sku, row)
  }

  places(): SnapshotRow[] {
    return [...this.rows.values()].sort((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  live(): unknown[] {
    return this.places().flatMap((row) => (row.removed ? [] : [JSON.parse(row.json)]))
  }
}

const batch = fc.uniqueArray(
  fc.record({ number: fc.nat(2000), style: fc.nat(40), removed: fc.boolean(), quantity: fc.nat(99) }),
  { selector: ({ number }) => number, maxLength: 700 },
)

interface Draft {
  readonly number: number
  readonly style: number
  readonly removed: boolean
  readonly quantity: number
}

function createRow({ number, style, removed, quantity }: Draft, version: number): SnapshotRow {
  const sku = `SKU-${String(number).padStart(5, '0')}-ü`
  const fields = { sku, product_code: `S${style}`, quantity_on_hand: quantity, quantity_available: quantity }
  const prices = { price_wholesale: 12.5, price_retail: 20, currency: 'AUD' }
  const digest = hashPublishedRow({ ...fields, ...prices })
  const json = JSON.stringify({ ...fields, ...prices, version })
  return { sku, product_code: `S${style}`, removed, version, json, digest }
}

/** Creates rows with ascending versions, in random order. */
async function fillSnapshot(
  batches: readonly (readonly Draft[])[],
): Promise<{ snapshot: StockSnapshot; model: Model }> {
  const model = new Model()
  let snapshot = emptySnapshot
  let version = 0
  for (const drafts of batches) {
    const changes = drafts.map((draft) => {
      version += 1
      return createRow(draft, version)
    })
    model.apply(changes)
    snapshot = await applyBatch(snapshot, { changes, version }, noPause)
  }
  return { snapshot, model }
}

type Way = 'row' | 'page' | 'feed' | 'whole'

/** Expects rows (in the order of their SKUs) in a snapshot, read in one way. */
function expectRows(snapshot: StockSnapshot, rows: readonly SnapshotRow[], way: Way) {
  const live = rows.flatMap(({ removed, json }) => (removed ? [] : [json]))
  const expectText = (chunks: readonly Chunk[], jsons: readonly string[], what: string) =>
    // A comparison of the texts would print all of them.
    expect(joinText(chunks) === jsons.join(','), `${what} is as expected`).toBe(true)
  if (way === 'whole') expectText(listAllRows(snapshot), live, 'the whole stock')
  if (way === 'page') {
    for (let from = 0; from < rows.length; from += 300) {
      const page = rows.slice(from, from + 300).flatMap(({ removed, json }) => (removed ? [] : [json]))
      expectText(listRowsBetween(snapshot, from, from + 300), page, `the page from ${from}`)
    }
  }
  if (way === 'feed') {
    const changes = rows.toSorted((a, b) => a.version - b.version)
    const sent = changes.map(({ json, removed }) => (removed ? `${json.slice(0, -1)},"removed":true}` : json))
    expectText(listChangesSince(snapshot, 0, rows.length).rows, sent, 'the feed')
  }
  if (way === 'row') {
    const read = rows.map(({ sku }) => {
      const { block, row, removed } = findSku(snapshot, sku) ?? expect.fail(`${sku} is missing`)
      const version = block.readVersion(row)
      return { style: block.readStyle(row), version, removed, json: block.readJson(row).toString() }
    })
    const expected = rows.map(({ product_code, version, removed, json }) => ({
      ...{ style: product_code, version, removed, json },
    }))
    expect(read).toEqual(expected)
  }
}

const createManyDrafts = (quantity: number): Draft[] =>
  Array.from({ length: 2560 }, (_, number) => ({ number, style: 1, removed: false, quantity }))

describe('a snapshot', () => {
  it('equals the obvious model after any batches: whole, by place, by SKU and by style', async () => {
    const property = fc.asyncProperty(
      fc.array(batch, { maxLength: 6 }),
      fc.nat(2100),
      fc.integer({ min: 1, max: 600 }),
      async (batches, from, size) => {
        const { snapshot, model } = await fillSnapshot(batches)
        expect(parseChunks(listAllRows(snapshot))).toEqual(model.live())
        expect(snapshot.liveRows).toBe(model.live().length)
        expect(countPlaces(snapshot)).toBe(model.rows.size)
        const page = model.places().slice(from, from + size)
        const expected = page.flatMap((row) => (row.removed ? [] : [JSON.parse(row.json)]))
        expect(
          parseChunks(listRowsBetween(snapshot, Math.min(from, countPlaces(snapshot)), from + size)),
        ).toEqual(expected)
        for (const row of model.rows.values()) {
          const at = findSku(snapshot, row.sku)
          expect(at?.removed).toBe(row.removed)
          expect(at?.block.readJson(at.row).toString()).toBe(row.json)
          expect(listSkusOfStyle(snapshot, row.product_code)).toContain(row.sku)
        }
        expect(findSku(snapshot, 'SKU-00000')).toBeUndefined()
        const inStyles = [...snapshot.skusOfStyle.keys()].flatMap((style) => listSkusOfStyle(snapshot, style))
        expect(inStyles).toHaveLength(model.rows.size)
        const styles = [...model.rows.values()].map(({ product_code }) => product_code)
        expect(new Set(snapshot.skusOfStyle.keys())).toEqual(new Set(styles))
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('has no style whose SKUs have all moved to another', async () => {
    const draft = { number: 1, removed: false, quantity: 5 }
    const { snapshot } = await fillSnapshot([[{ ...draft, style: 1 }], [{ ...draft, style: 2 }]])
    expect([...snapshot.skusOfStyle.keys()]).toEqual(['S2'])
  })

  it('tells the changes since any version: each row once, newest state, ascending, and how many are to come', async () => {
    const property = fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 8 }),
      fc.nat(3000),
      fc.integer({ min: 1, max: 900 }),
      async (batches, since, most) => {
        const { snapshot, model } = await fillSnapshot(batches)
        const expected = [...model.rows.values()]
          .filter(({ version }) => version > since)
          .sort((a, b) => a.version - b.version)
        expect(countChangesSince(snapshot, since)).toBe(expected.length)
        const { rows, count, reached } = listChangesSince(snapshot, since, most)
        const marked = expected.slice(0, most).map(({ json, removed }) => ({
          ...JSON.parse(json),
          ...(removed ? { removed: true } : {}),
        }))
        expect(parseChunks(rows)).toEqual(marked)
        expect(count).toBe(marked.length)
        expect(reached).toBe(expected.slice(0, most).at(-1)?.version)
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('tells the same changes after rows moved to other blocks, and to readers of the version before', async () => {
    const spaced = createManyDrafts(1).map((draft) => ({ ...draft, number: draft.number * 2 }))
    const { snapshot: before, model } = await fillSnapshot([spaced])
    const first = parseChunks(listChangesSince(before, 0, 3000).rows)
    expect(first).toHaveLength(2560)
    const added = Array.from({ length: 300 }, (_, at) => {
      const draft = { number: at * 2 + 1, style: 1, removed: at % 2 === 0, quantity: 5 }
      return createRow(draft, 2561 + at)
    })
    model.apply(added)
    const after = await applyBatch(before, { changes: added, version: 2860 }, noPause)
    const told = parseChunks(listChangesSince(after, 0, 3000).rows)
    expect(told).toEqual(
      [...model.rows.values()]
        .sort((a, b) => a.version - b.version)
        .map(({ json, removed }) => ({ ...JSON.parse(json), ...(removed ? { removed: true } : {}) })),
    )
    expect(parseChunks(listChangesSince(before, 0, 3000).rows)).toEqual(first)
    expect(parseChunks(listChangesSince(after, 0, 3000).rows)).toEqual(told)
  })

  it('keeps a checksum that equals the sum over its live rows, whatever happened before', async () => {
    const property = fc.asyncProperty(fc.array(batch, { maxLength: 6 }), async (batches) => {
      const { snapshot, model } = await fillSnapshot(batches)
      const sum = [...model.rows.values()]
        .filter(({ removed }) => !removed)
        .reduce((total, { json }) => addContribution(total, hashPublishedRow(JSON.parse(json)), 1), zeroSum)
      expect(toHex(snapshot.checksum)).toBe(toHex(sum))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('keeps its log as long as its rows, however often they change', async () => {
    const { snapshot } = await fillSnapshot(Array.from({ length: 30 }, (_, round) => createManyDrafts(round)))
    const entries = snapshot.log.chunks.reduce((sum, { skus }) => sum + skus.length, 0)
    expect(entries).toBeLessThanOrEqual(2 * 2560)
    expect(countChangesSince(snapshot, 0)).toBe(2560)
  })

  it('keeps answering its own version while a newer one is made', async () => {
    const { snapshot: before } = await fillSnapshot([createManyDrafts(1)])
    const text = joinText(listAllRows(before))
    const withdrawn = createManyDrafts(0).map((draft, index) =>
      createRow({ ...draft, removed: true }, 2561 + index),
    )
    const after = await applyBatch(before, { changes: withdrawn, version: 5120 }, noPause)
    expect(joinText(listAllRows(before)) === text).toBe(true)
    expect(before.version).toBe(2560)
    expect(countChangesSince(before, 0)).toBe(2560)
    expect(listAllRows(after)).toEqual([])
  })

  it('reads the same from every version, in whatever order, while few rows of a block change', {
    timeout: maxMs,
  }, async () => {
    const few = fc.uniqueArray(
      fc.record({
        number: fc.oneof(fc.nat(40), fc.nat(2600)),
        style: fc.nat(3),
        removed: fc.boolean(),
        quantity: fc.nat(99),
      }),
      { selector: ({ number }) => number, minLength: 1, maxLength: 30 },
    )
    const ways = fc.shuffledSubarray(['row', 'page', 'feed', 'whole'] as const, { minLength: 4 })
    const property = fc.asyncProperty(fc.array(few, { maxLength: 6 }), ways, async (batches, order) => {
      const { snapshot: first, model } = await fillSnapshot([createManyDrafts(1)])
      const kept = [{ snapshot: first, rows: model.places() }]
      let snapshot = first
      for (const drafts of batches) {
        const changes = drafts.map((draft, at) => createRow(draft, snapshot.version + at + 1))
        model.apply(changes)
        snapshot = await applyBatch(
          snapshot,
          { changes, version: snapshot.version + changes.length },
          noPause,
        )
        kept.push({ snapshot, rows: model.places() })
      }
      for (const way of order) for (const { snapshot: each, rows } of kept) expectRows(each, rows, way)
    })
    await fc.assert(property, { numRuns: 30 })
  })

  it('writes a block anew once it has many changed rows', async () => {
    const { snapshot: before } = await fillSnapshot([createManyDrafts(1)])
    const change = async (snapshot: StockSnapshot, numbers: readonly number[]) => {
      const drafts = numbers.map((number) => ({ number, style: 1, removed: false, quantity: 7 }))
      const rows = drafts.map((draft, at) => createRow(draft, snapshot.version + at + 1))
      return applyBatch(snapshot, { changes: rows, version: snapshot.version + rows.length }, noPause)
    }
    const few = await change(before, [1, 2, 3, 4, 5])
    expect(few.blocks[0]?.isChanged).toBe(true)
    // A body that is compressed recognizes the chunk by this.
    expect(few.blocks[0]?.live).toBe(few.blocks[0]?.live)
    const most = await change(few, [1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    expect(most.blocks[0]?.isChanged).toBe(true)
    const many = await change(most, [17])
    expect(many.blocks.some(({ isChanged }) => isChanged)).toBe(false)
    expect(parseChunks(listAllRows(many)).map((row) => Object(row).quantity_available)).toEqual(
      Array.from({ length: 2560 }, (_, number) => (number >= 1 && number <= 17 ? 7 : 1)),
    )
  })

  it('shares every block that a change does not touch', async () => {
    const { snapshot: before } = await fillSnapshot([createManyDrafts(1)])
    const change = createRow({ number: 5, style: 1, removed: false, quantity: 9 }, 2561)
    const after = await applyBatch(before, { changes: [change], version: 2561 }, noPause)
    const shared = after.blocks.filter((block) => before.blocks.includes(block))
    expect(shared).toHaveLength(before.blocks.length - 1)
  })
})

describe('a snapshot built from nothing', () => {
  it('equals the same rows put in by batches, in whatever order they come', async () => {
    const rows = fc.tuple(batch, fc.boolean())
    const property = fc.asyncProperty(rows, async ([drafts, shuffled]) => {
      const all = drafts.map((draft, index) => createRow(draft, index + 1))
      const inOrder = all.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
      const builder = new SnapshotBuilder()
      for (const row of shuffled ? all : inOrder) builder.add(row)
      const built = await builder.finish(all.length, noPause)
      const put = await applyBatch(emptySnapshot, { changes: all, version: all.length }, noPause)
      expect(parseChunks(listAllRows(built))).toEqual(parseChunks(listAllRows(put)))
      expect(parseChunks(listChangesSince(built, 3, 500).rows)).toEqual(
        parseChunks(listChangesSince(put, 3, 500).rows),
      )
      expect(toHex(built.checksum)).toBe(toHex(put.checksum))
      expect(built.skusOfStyle).toEqual(put.skusOfStyle)
      expect(built.liveRows).toBe(put.liveRows)
      expect(countPlaces(built)).toBe(countPlaces(put))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('goes on from rows that it already has: what changed while it was read comes again', async () => {
    const builder = new SnapshotBuilder()
    for (const [index, draft] of createManyDrafts(1).entries()) builder.add(createRow(draft, index + 1))
    const built = await builder.finish(1000, noPause)
    const again = createManyDrafts(1)
      .slice(1000)
      .map((draft, index) => createRow(draft, 1001 + index))
    const after = await applyBatch(built, { changes: again, version: 2560 }, noPause)
    expect(countChangesSince(after, 0)).toBe(2560)
    const { rows } = listChangesSince(after, 900, 3000)
    expect(parseChunks(rows).map((row) => Object(row).version)).toEqual(
      Array.from({ length: 1660 }, (_, index) => 901 + index),
    )
  })
})
