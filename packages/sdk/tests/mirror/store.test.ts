import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStallingProxy } from '../../../gateway/tests/stalling-proxy.ts'
import {
  computeChecksum,
  type Place,
  PostgresStore,
  SqliteStore,
  type StockRow,
} from '../../src/mirror/index.ts'
import { listStoreKinds, type TestStore } from './stores.ts'

const row = (sku: string, version: number, quantity = version): StockRow => ({
  sku,
  product_code: 'A',
  quantity_on_hand: quantity,
  quantity_available: quantity,
  price_wholesale: 19.9,
  price_retail: 49,
  currency: 'AUD',
  warehouse_code: 'AU',
  version,
  updated_at: '2026-11-22T00:00:00.000Z',
  incoming: [],
})
const at = (version: number, nextPage: number | null = null): Place => ({ version, nextPage })
/** Stores without a socket never wait, so the writer lets the reader in between its steps. */
const letOthersRun = () => new Promise((resolve) => setImmediate(resolve))
const none = { rows: [], removed: [] }

describe.each(listStoreKinds())('a store in $name', ({ create }) => {
  let opened: TestStore
  let warehouses = 0
  beforeAll(async () => {
    opened = await create()
    await opened.store.open()
    await opened.store.open()
  })
  afterAll(() => opened.drop())

  /** A warehouse with a live copy at version 10: A and B. */
  async function fill() {
    const { store } = opened
    warehouses += 1
    const code = `W${warehouses}`
    await store.beginShadow(code, 10)
    const rows = [row('B', 2), row('A', 1)]
    await store.writePage(code, { copy: 'shadow', from: at(10, 1), to: at(10), rows, removed: [] })
    expect(await store.swap(code, 10)).toBe(true)
    return { store, code }
  }
  const listSkus = async (code: string) =>
    (await opened.store.list(code)).map(({ sku, version }) => `${sku}${version}`)

  it('has nothing of a warehouse that was never filled', async () => {
    const { store } = opened
    expect(await store.readPlaces('NONE')).toEqual({})
    expect(await store.list('NONE')).toEqual([])
    expect(await store.count('NONE')).toBe(0)
    expect(await store.get('NONE', 'A')).toBeUndefined()
    expect(await store.swap('NONE', 1)).toBe(false)
  })

  it('keeps rows as they came, and moves the place with them', async () => {
    const { store, code } = await fill()
    expect(await store.readPlaces(code)).toEqual({ live: at(10) })
    expect(await store.get(code, 'A')).toEqual(row('A', 1))
    const page = { copy: 'live', from: at(10), to: at(12), rows: [row('C', 12)], removed: ['A'] } as const
    expect(await store.writePage(code, page)).toBe(true)
    expect(await listSkus(code)).toEqual(['B2', 'C12'])
    expect(await store.readPlaces(code)).toEqual({ live: at(12) })
  })

  it('keeps its rows when a caller changes what it has read', async () => {
    const { store, code } = await fill()
    const read = [await store.get(code, 'A'), ...(await store.list(code)), ...(await store.list(code))]
    for (const each of read) {
      if (each) each.quantity_available = -1
      each?.incoming.push({ quantity: 1, earliest_date: '2026-12-01', latest_date: '2026-12-02' })
    }
    expect(await store.get(code, 'A')).toEqual(row('A', 1))
    expect(await store.list(code)).toEqual([row('A', 1), row('B', 2)])
  })

  it('writes nothing for a page that does not fit the place, so that two processes never mix', async () => {
    const { store, code } = await fill()
    const stale = {
      copy: 'live',
      from: at(9),
      to: at(99),
      rows: [row('Z', 99)],
      removed: ['A', 'B'],
    } as const
    expect(await store.writePage(code, stale)).toBe(false)
    expect(await store.writePage(code, { ...stale, from: at(10, 2) })).toBe(false)
    expect(await store.writePage(code, { ...stale, copy: 'shadow' })).toBe(false)
    expect(await listSkus(code)).toEqual(['A1', 'B2'])
    expect(await store.readPlaces(code)).toEqual({ live: at(10) })
  })

  it('never replaces a row by an older one', async () => {
    const { store, code } = await fill()
    await store.writePage(code, { copy: 'live', from: at(10), to: at(11), rows: [row('B', 1)], removed: [] })
    expect(await listSkus(code)).toEqual(['A1', 'B2'])
  })

  it('shows nothing of a shadow before it is swapped, and all of it then', async () => {
    const { store, code } = await fill()
    await store.beginShadow(code, 20)
    await store.writePage(code, {
      copy: 'shadow',
      from: at(20, 1),
      to: at(20, 2),
      rows: [row('X', 20)],
      removed: [],
    })
    expect(await listSkus(code)).toEqual(['A1', 'B2'])
    expect(await store.readPlaces(code)).toEqual({ live: at(10), shadow: at(20, 2) })
    expect(await store.swap(code, 20)).toBe(false)
    await store.writePage(code, {
      copy: 'shadow',
      from: at(20, 2),
      to: at(20),
      rows: [row('Y', 20)],
      removed: [],
    })
    expect((await store.list(code, 'shadow')).map(({ sku }) => sku)).toEqual(['X', 'Y'])
    expect(await store.swap(code, 19)).toBe(false)
    expect(await store.swap(code, 20)).toBe(true)
    expect(await listSkus(code)).toEqual(['X20', 'Y20'])
    expect(await store.readPlaces(code)).toEqual({ live: at(20) })
  })

  it('begins each shadow empty', async () => {
    const { store, code } = await fill()
    await store.beginShadow(code, 20)
    await store.writePage(code, {
      copy: 'shadow',
      from: at(20, 1),
      to: at(20),
      rows: [row('X', 20)],
      removed: [],
    })
    await store.beginShadow(code, 30)
    await store.writePage(code, { copy: 'shadow', from: at(30, 1), to: at(30), ...none })
    expect(await store.swap(code, 30)).toBe(true)
    expect(await listSkus(code)).toEqual([])
  })

  it('makes no older copy live, as another process may have made a newer one live meanwhile', async () => {
    const { store, code } = await fill()
    await store.beginShadow(code, 9)
    const page = { copy: 'shadow', from: at(9, 1), to: at(9), rows: [row('OLD', 9)], removed: [] } as const
    await store.writePage(code, page)
    expect(await store.swap(code, 9)).toBe(false)
    expect(await listSkus(code)).toEqual(['A1', 'B2'])
  })

  it('reads a warehouse as it was at one moment while it is swapped again and again', async () => {
    const { store, code } = await fill()
    const swapAll = async () => {
      for (let round = 1; round <= 30; round++) {
        const version = 100 * round
        await store.beginShadow(code, version)
        await letOthersRun()
        const rows = Array.from({ length: 50 }, (_, index) => row(`S${index}`, version, round))
        for (const [page, half] of [rows.slice(0, 25), rows.slice(25)].entries()) {
          const to = at(version, page === 0 ? 2 : null)
          await store.writePage(code, {
            copy: 'shadow',
            from: at(version, page + 1),
            to,
            rows: half,
            removed: [],
          })
          await letOthersRun()
        }
        await store.swap(code, version)
      }
    }
    let isSwapping = true
    const swapping = swapAll().finally(() => {
      isSwapping = false
    })
    const seen = new Set<string>()
    while (isSwapping) {
      const rows = await store.list(code)
      seen.add(`${rows.length} rows of ${new Set(rows.map(({ version }) => version)).size} versions`)
      await letOthersRun()
    }
    await swapping
    seen.delete('2 rows of 2 versions')
    expect([...seen]).toEqual(['50 rows of 1 versions'])
  })
})

const [postgres] = listStoreKinds().filter(({ name }) => name === 'PostgreSQL')

it.skipIf(!postgres)(
  'a shadow that another process begins in the middle of a swap empties no live copy',
  async () => {
    if (!postgres) return
    const { store: other, address, drop } = await postgres.create()
    await other.open()
    const pool = new pg.Pool({ connectionString: address })
    let isInserted = () => {}
    let goOn = () => {}
    const inserted = new Promise<void>((resolve) => {
      isInserted = resolve
    })
    const continued = new Promise<void>((resolve) => {
      goOn = resolve
    })
    /** Stops a swap after the copy was made live, and before the commit. */
    const connect = async () => {
      const client = await pool.connect()
      return {
        query: async (sql: string, values?: (string | number | null)[]) => {
          const result = await client.query(sql, values)
          if (!sql.includes("'live'") || !sql.startsWith('insert')) return result
          isInserted()
          await continued
          return result
        },
        release: (error?: Error) => client.release(error),
      }
    }
    const slow = new PostgresStore({ query: (sql, values) => pool.query(sql, values), connect })
    await slow.beginShadow('W', 10)
    const rows = [row('A', 1), row('B', 2)]
    await slow.writePage('W', { copy: 'shadow', from: at(10, 1), to: at(10), rows, removed: [] })
    const swapping = slow.swap('W', 10)
    await inserted
    const beginning = other.beginShadow('W', 11)
    await Promise.race([beginning, new Promise((resolve) => setTimeout(resolve, 300))])
    goOn()
    expect(await swapping).toBe(true)
    await beginning
    expect((await other.list('W')).map(({ sku }) => sku)).toEqual(['A', 'B'])
    expect(await other.readPlaces('W')).toEqual({ live: at(10), shadow: at(11, 1) })
    await pool.end()
    await drop()
  },
)

it.skipIf(!postgres)('a store in PostgreSQL can be read where nothing may be written', async () => {
  if (!postgres) return
  const { store, address, drop } = await postgres.create()
  await store.open()
  const readOnly = '-c default_transaction_read_only=on'
  const pool = new pg.Pool({ connectionString: address, options: readOnly })
  const reader = new PostgresStore(pool)
  await reader.open()
  expect(await reader.list('NONE')).toEqual([])
  await pool.end()
  await drop()
})

it.skipIf(!postgres)(
  'a connection to PostgreSQL that breaks in the middle of a write fails the write, and not the process',
  async () => {
    if (!postgres) return
    const { address, drop } = await postgres.create()
    const proxy = await openStallingProxy(new URL(address))
    const pool = new pg.Pool({ connectionString: proxy.url })
    pool.on('error', () => {})
    const store = new PostgresStore(pool)
    await store.open()
    await store.beginShadow('W', 10)
    const uncaught: unknown[] = []
    const note = (error: unknown) => uncaught.push(error)
    process.on('uncaughtException', note)
    const page = { copy: 'shadow', from: at(10, 1), to: at(10), rows: [row('A', 1)], removed: [] } as const
    const { held } = proxy.holdReplyTo('insert into trade_gateway_stock')
    const writing = store.writePage('W', page)
    await held
    proxy.cut()
    await expect(writing).rejects.toThrow()
    expect(await store.writePage('W', page)).toBe(true)
    process.off('uncaughtException', note)
    expect(uncaught).toEqual([])
    await pool.end()
    await proxy.close()
    await drop()
  },
)

it('a failure by which SQLite itself has rolled back, such as a full disk, is the one that is thrown', async () => {
  const database = new DatabaseSync(':memory:')
  const store = new SqliteStore(database)
  await store.open()
  database.exec(`create trigger full_disk before insert on trade_gateway_copies
    begin select raise(rollback, 'database or disk is full'); end`)
  await expect(store.beginShadow('W', 10)).rejects.toThrow('database or disk is full')
  database.exec('drop trigger full_disk')
  await store.beginShadow('W', 10)
  expect(await store.readPlaces('W')).toEqual({ shadow: at(10, 1) })
  database.close()
})

it('a file of SQLite that could not be opened is opened at the next use, and can be closed before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'))
  const store = new SqliteStore(join(folder, 'later', 'stock.db'))
  await expect(store.open()).rejects.toThrow('unable to open')
  await store.close()
  await expect(store.open()).rejects.toThrow('unable to open')
  mkdirSync(join(folder, 'later'))
  await store.open()
  expect(await store.list('NONE')).toEqual([])
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('the checksum of a copy', () => {
  it('does not depend on the order, and changes with each field that it covers', () => {
    const rows = [row('A', 1), row('B', 2)]
    expect(computeChecksum(rows.toReversed())).toBe(computeChecksum(rows))
    expect(computeChecksum([])).toBe('0'.repeat(32))
    const changes = [
      { quantity_on_hand: 5 },
      { quantity_available: 5 },
      { price_wholesale: 5 },
      { price_retail: 5 },
    ]
    const others = [...changes, { currency: 'CNY' }, { product_code: 'B' }, { sku: 'C' }]
    const sums = others.map((change) => computeChecksum([{ ...row('A', 1), ...change }, row('B', 2)]))
    expect(new Set([...sums, computeChecksum(rows)]).size).toBe(others.length + 1)
  })
})
