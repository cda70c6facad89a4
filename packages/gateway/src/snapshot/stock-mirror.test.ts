import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Chunk, listPieces } from '../contract/call.ts'
import { migrate } from '../store/migrate.ts'
import { openSqlite } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { stockColumns } from '../store/tables.ts'
import { HighWater } from './high-water.ts'
import { StockMirror } from './stock-mirror.ts'
import { listAllRows, listChangesSince, type StockSnapshot } from './stock-snapshot.ts'

const code = 'AUSYD1'
let store: Store

beforeEach(async () => {
  store = openSqlite(':memory:')
  await migrate(store)
  const names = { warehouse_code: code, name: code, kind: 'warehouse', status: 'active', members: '[]' }
  const place = { country_code: 'AU', timezone: 'Australia/Sydney', currency: 'AUD' }
  const progress = {
    ...{ version: 0, horizon: 0, filled_at: 1, synced_at: 1, compared_at: 1 },
    ...{ cursor: null, last_differences: null, compare_requested_at: null },
  }
  await store.db
    .insertInto('warehouses')
    .values({ ...names, ...place, ...progress })
    .execute()
})
afterEach(() => store.close())

/**
 * Stores rows with the same quantity under the versions that follow `version`, the last SKU first. So the order of the
 * SKUs is not that of the versions.
 */
async function storeRows(count: number, { version, quantity }: { version: number; quantity: number }) {
  const rows = Array.from({ length: count }, (_, at) => ({
    ...{ warehouse_code: code, sku: toSku(at), product_code: `P${at % 100}`, currency: 'AUD' },
    ...{
      quantity_on_hand: quantity,
      quantity_available: quantity,
      price_wholesale: 1995,
      price_retail: 3990,
    },
    ...{ incoming: '[]', removed: 0, version: version + count - at, updated_at: 0, stock_seq: null },
  }))
  await sql`delete from stock where sku < ${toSku(count)}`.execute(store.db)
  await store.db
    .insertInto('stock')
    .columns(stockColumns)
    .expression(store.bulk.rows('stock', stockColumns, rows))
    .execute()
  await store.db
    .updateTable('warehouses')
    .set({ version: version + count })
    .execute()
}

function toSku(at: number): string {
  return `SKU-${String(at).padStart(6, '0')}`
}

function openMirror(of: Store): StockMirror {
  return new StockMirror(of, new HighWater(undefined), async () => {})
}

async function follow(mirror: StockMirror): Promise<StockSnapshot> {
  await mirror.follow()
  const snapshot = mirror.snapshot(code)
  if (!snapshot) throw new Error('The warehouse is not filled.')
  return snapshot
}

function joinText(chunks: readonly Chunk[]): string {
  return Buffer.concat([...listPieces(chunks)]).toString()
}

function parseRows(chunks: readonly Chunk[]): { sku: string; version: number }[] {
  return JSON.parse(`[${joinText(chunks)}]`)
}

describe('the mirror', () => {
  // 2,000 rows end with a full slice, so that an empty one follows.
  it.each([1, 1_234, 2_000])(
    'has every row of a warehouse of %i rows, in order, at the newest version',
    async (count) => {
      await storeRows(count, { version: 0, quantity: 1 })
      const snapshot = await follow(openMirror(store))
      expect(snapshot.version).toBe(count)
      expect(parseRows(listAllRows(snapshot)).map(({ sku }) => sku)).toEqual(
        Array.from({ length: count }, (_, at) => toSku(at)),
      )
    },
  )

  it('has every change of many slices, and is equal to a mirror that begins with them', async () => {
    await storeRows(3_000, { version: 0, quantity: 1 })
    const mirror = openMirror(store)
    await follow(mirror)
    await storeRows(2_000, { version: 3_000, quantity: 2 })
    const snapshot = await follow(mirror)
    const fresh = await follow(openMirror(store))
    expect([snapshot.version, snapshot.checksum]).toEqual([5_000, fresh.checksum])
    expect(joinText(listAllRows(snapshot))).toBe(joinText(listAllRows(fresh)))
    const changes = parseRows(listChangesSince(snapshot, 3_000, 5_000).rows).map(({ version }) => version)
    expect(changes).toEqual(Array.from({ length: 2_000 }, (_, at) => 3_001 + at))
  })

  it('goes on while the newest version cannot be noted', async () => {
    await storeRows(10, { version: 0, quantity: 1 })
    const folder = mkdtempSync(join(tmpdir(), 'stock-mirror-'))
    const file = join(folder, 'high-water-1.json')
    try {
      const mirror = new StockMirror(store, new HighWater(file), async () => {})
      // A folder cannot be written like a file.
      mkdirSync(file)
      await follow(mirror)
      await storeRows(10, { version: 10, quantity: 2 })
      expect((await follow(mirror)).version).toBe(20)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('keeps its snapshot if a slice cannot be read, and has everything after the next turn', async () => {
    await storeRows(2_000, { version: 0, quantity: 1 })
    let slices = 0
    let isBroken = false
    const mirror = openMirror({
      ...store,
      get db() {
        return store.db.withPlugin({
          transformQuery: ({ node }) => {
            if (isBroken && JSON.stringify(node).includes('"stock"') && ++slices === 2)
              throw new Error('The database is away.')
            return node
          },
          transformResult: async ({ result }) => result,
        })
      },
    })
    await follow(mirror)
    await storeRows(1_500, { version: 2_000, quantity: 2 })
    isBroken = true
    await expect(mirror.follow()).rejects.toThrow('The database is away.')
    expect(mirror.snapshot(code)?.version).toBe(2_000)
    const snapshot = await follow(mirror)
    expect(snapshot.version).toBe(3_500)
    expect(snapshot.checksum).toEqual((await follow(openMirror(store))).checksum)
  })
})
