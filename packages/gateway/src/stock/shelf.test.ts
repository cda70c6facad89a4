import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonOf, type ShelfRow } from './block.ts'
import { ShelfBuilder } from './bulk.ts'
import { added, contributionOf, hexOf, zeroSum } from './checksum.ts'
import {
  allRows,
  changedSince,
  changesSince,
  emptyShelf,
  find,
  placesIn,
  rowsBetween,
  type Shelf,
  stocked,
} from './shelf.ts'

const noPause = async () => {}

function text(chunks: readonly Uint8Array[]): unknown[] {
  return JSON.parse(`[${Buffer.concat(chunks).toString()}]`)
}

/** The same stock, kept the obvious way. */
class Model {
  readonly rows = new Map<string, ShelfRow>()

  apply(changes: readonly ShelfRow[]) {
    for (const row of changes) this.rows.set(row.sku, row)
  }

  places(): ShelfRow[] {
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

function rowOf({ number, style, removed, quantity }: Draft, version: number): ShelfRow {
  const sku = `SKU-${String(number).padStart(5, '0')}-ü`
  const fields = { sku, product_code: `S${style}`, quantity_on_hand: quantity, quantity_available: quantity }
  const prices = { price_wholesale: 12.5, price_retail: 20, currency: 'AUD' }
  const digest = contributionOf({ ...fields, ...prices })
  const json = JSON.stringify({ ...fields, ...prices, version })
  return { sku, product_code: `S${style}`, removed, version, json, digest }
}

/** Rows under rising versions, in an order of their own. */
async function stockedWith(batches: readonly (readonly Draft[])[]): Promise<{ shelf: Shelf; model: Model }> {
  const model = new Model()
  let shelf = emptyShelf
  let version = 0
  for (const drafts of batches) {
    const changes = drafts.map((draft) => {
      version += 1
      return rowOf(draft, version)
    })
    model.apply(changes)
    shelf = await stocked(shelf, changes, version, noPause)
  }
  return { shelf, model }
}

const thousand = (quantity: number): Draft[] =>
  Array.from({ length: 2560 }, (_, number) => ({ number, style: 1, removed: false, quantity }))

describe('a shelf', () => {
  it('equals the obvious model after any batches: whole, by place, by SKU and by style', async () => {
    const property = fc.asyncProperty(
      fc.array(batch, { maxLength: 6 }),
      fc.nat(2100),
      fc.integer({ min: 1, max: 600 }),
      async (batches, from, size) => {
        const { shelf, model } = await stockedWith(batches)
        expect(text(allRows(shelf))).toEqual(model.live())
        expect(shelf.liveRows).toBe(model.live().length)
        expect(placesIn(shelf)).toBe(model.rows.size)
        const page = model.places().slice(from, from + size)
        const expected = page.flatMap((row) => (row.removed ? [] : [JSON.parse(row.json)]))
        expect(text(rowsBetween(shelf, Math.min(from, placesIn(shelf)), from + size))).toEqual(expected)
        for (const row of model.rows.values()) {
          const at = find(shelf, row.sku)
          expect(at?.removed).toBe(row.removed)
          expect(at && jsonOf(at.block, at.row).toString()).toBe(row.json)
          expect(shelf.skusOfStyle.get(row.product_code)).toContain(row.sku)
        }
        expect(find(shelf, 'SKU-00000')).toBeUndefined()
        const inStyles = [...shelf.skusOfStyle.values()].reduce((sum, skus) => sum + skus.length, 0)
        expect(inStyles).toBe(model.rows.size)
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('tells the changes since any version: each row once, newest state, ascending, and how many are to come', async () => {
    const property = fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 8 }),
      fc.nat(3000),
      fc.integer({ min: 1, max: 900 }),
      async (batches, since, most) => {
        const { shelf, model } = await stockedWith(batches)
        const expected = [...model.rows.values()]
          .filter(({ version }) => version > since)
          .sort((a, b) => a.version - b.version)
        expect(changedSince(shelf, since)).toBe(expected.length)
        const { rows, count, reached } = changesSince(shelf, since, most)
        const marked = expected.slice(0, most).map(({ json, removed }) => ({
          ...JSON.parse(json),
          ...(removed ? { removed: true } : {}),
        }))
        expect(text(rows)).toEqual(marked)
        expect(count).toBe(marked.length)
        expect(reached).toBe(expected.slice(0, most).at(-1)?.version)
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('keeps a checksum that equals the sum over its live rows, whatever happened before', async () => {
    const property = fc.asyncProperty(fc.array(batch, { maxLength: 6 }), async (batches) => {
      const { shelf, model } = await stockedWith(batches)
      const sum = [...model.rows.values()]
        .filter(({ removed }) => !removed)
        .reduce((total, { json }) => added(total, contributionOf(JSON.parse(json)), 1), zeroSum)
      expect(hexOf(shelf.checksum)).toBe(hexOf(sum))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('keeps its log as long as its rows, however often they change', async () => {
    const { shelf } = await stockedWith(Array.from({ length: 30 }, (_, round) => thousand(round)))
    const entries = shelf.log.chunks.reduce((sum, { skus }) => sum + skus.length, 0)
    expect(entries).toBeLessThanOrEqual(2 * 2560)
    expect(changedSince(shelf, 0)).toBe(2560)
  })

  it('keeps answering its own version while a newer one is made', async () => {
    const { shelf: before } = await stockedWith([thousand(1)])
    const bytes = Buffer.concat(allRows(before))
    const withdrawn = thousand(0).map((draft, index) => rowOf({ ...draft, removed: true }, 2561 + index))
    const after = await stocked(before, withdrawn, 5120, noPause)
    expect(Buffer.concat(allRows(before)).equals(bytes)).toBe(true)
    expect(before.version).toBe(2560)
    expect(changedSince(before, 0)).toBe(2560)
    expect(allRows(after)).toEqual([])
  })

  it('shares every block that a change does not touch', async () => {
    const { shelf: before } = await stockedWith([thousand(1)])
    const change = rowOf({ number: 5, style: 1, removed: false, quantity: 9 }, 2561)
    const after = await stocked(before, [change], 2561, noPause)
    const shared = after.blocks.filter((block) => before.blocks.includes(block))
    expect(shared).toHaveLength(before.blocks.length - 1)
  })
})

describe('a shelf built from nothing', () => {
  it('equals the same rows put in by batches, in whatever order they come', async () => {
    const rows = fc.tuple(batch, fc.boolean())
    const property = fc.asyncProperty(rows, async ([drafts, shuffled]) => {
      const all = drafts.map((draft, index) => rowOf(draft, index + 1))
      const inOrder = all.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
      const builder = new ShelfBuilder()
      for (const row of shuffled ? all : inOrder) builder.add(row)
      const built = await builder.finish(all.length, noPause)
      const put = await stocked(emptyShelf, all, all.length, noPause)
      expect(text(allRows(built))).toEqual(text(allRows(put)))
      expect(text(changesSince(built, 3, 500).rows)).toEqual(text(changesSince(put, 3, 500).rows))
      expect(hexOf(built.checksum)).toBe(hexOf(put.checksum))
      expect(built.skusOfStyle).toEqual(put.skusOfStyle)
      expect(built.liveRows).toBe(put.liveRows)
      expect(placesIn(built)).toBe(placesIn(put))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('goes on from rows that it already has: what changed while it was read comes again', async () => {
    const builder = new ShelfBuilder()
    for (const [index, draft] of thousand(1).entries()) builder.add(rowOf(draft, index + 1))
    const built = await builder.finish(1000, noPause)
    const again = thousand(1)
      .slice(1000)
      .map((draft, index) => rowOf(draft, 1001 + index))
    const after = await stocked(built, again, 2560, noPause)
    expect(changedSince(after, 0)).toBe(2560)
    const { rows } = changesSince(after, 900, 3000)
    expect(text(rows).map((row) => Object(row).version)).toEqual(
      Array.from({ length: 1660 }, (_, index) => 901 + index),
    )
  })
})

describe('the checksum', () => {
  it('is the sum modulo 2^128 of the first 16 bytes of SHA-256 over the published fields', () => {
    const row = {
      sku: 'A-1',
      product_code: 'A',
      quantity_on_hand: 5,
      quantity_available: 3,
      price_wholesale: 12.5,
      price_retail: 20,
      currency: 'AUD',
    }
    const text = ['A-1', 'A', '5', '3', '1250', '2000', 'AUD'].join('\u001f')
    const first = createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32)
    expect(hexOf(added(zeroSum, contributionOf(row), 1))).toBe(first)
    const largest = [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff] as const
    expect(hexOf(added(largest, [0, 0, 0, 1], 1))).toBe('0'.repeat(32))
    expect(hexOf(added(zeroSum, [0, 0, 0, 1], -1))).toBe('f'.repeat(32))
    const sum = BigInt(`0x${first}`) * 3n
    const thrice = [1, 2, 3].reduce((total) => added(total, contributionOf(row), 1), zeroSum)
    expect(hexOf(thrice)).toBe((sum % 2n ** 128n).toString(16).padStart(32, '0'))
  })
})
