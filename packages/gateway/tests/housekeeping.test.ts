/** Expired rows are deleted in steps of limited size, however many there are. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prune, toSteadyClock } from '../src/housekeeping.ts'
import { maxDeletedRows } from '../src/store/delete-in-batches.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { createWorld, openTestGateway, type TestGateway } from './harness.ts'

const expired = 20_000
const perInsert = 500

describe('housekeeping', () => {
  let house: TestGateway
  let channel_code: string

  beforeAll(async () => {
    house = await openTestGateway({ styles: 2 })
    channel_code = (await createWorld(house)).channel_code
  })
  afterAll(() => house.close())

  /** Inserts rows in batches that are small enough for both SQLite and PostgreSQL. */
  async function insertRows(count: number, insert: (from: number, to: number) => Promise<unknown>) {
    for (let at = 0; at < count; at += perInsert) await insert(at, Math.min(count, at + perInsert))
  }
  const listRange = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index)
  const countRows = async (table: 'idempotency_keys') => {
    const { db } = house.gateway.store
    const { count } = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  it('removes 20,000 expired keys over many statements, none of more rows than the bound, and keeps what is in doubt', async () => {
    const { store, clock } = house.gateway
    const expires_at = clock.now() - 2 * 24 * 60 * 60_000
    const buildRow = (index: number) => ({
      scope: `old-${index}`,
      channel_code,
      method: 'POST',
      path: '/api/v1/orders',
      idempotency_key: `key-${index}`,
      fingerprint: 'f',
      state: index === 0 ? ('in_doubt' as const) : ('completed' as const),
      http_status: 200,
      answer_sealed: 'x'.repeat(500),
      created_at: expires_at,
      expires_at,
      resource_type: null,
      resource_id: null,
    })
    await insertRows(expired + 1, (from, to) =>
      store.db.insertInto('idempotency_keys').values(listRange(from, to).map(buildRow)).execute(),
    )
    const touched: number[] = []
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        touched.push(Number(result.numAffectedRows ?? 0))
        return result
      },
    }
    await prune({ ...house.gateway, store: { ...store, db: store.db.withPlugin(counting) } })
    expect(await countRows('idempotency_keys')).toBe(1)
    expect(Math.max(...touched)).toBe(maxDeletedRows)
    expect(touched.filter((rows) => rows > 0)).toHaveLength(expired / maxDeletedRows)
  })

  it('deletes what it can if one kind of rows cannot be deleted', async () => {
    const { store, clock } = house.gateway
    const dayMs = 24 * 60 * 60_000
    const day = Math.floor(clock.now() / dayMs - 2_000) * dayMs
    const row = { day, channel_code, path: '/stock', calls: 1, last_used_at: day }
    await store.db.insertInto('legacy_use').values(row).execute()
    const failing: KyselyPlugin = {
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('sign_in_guard')) throw new Error('damaged')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const damaged = { ...house.gateway, store: { ...store, db: store.db.withPlugin(failing) } }
    await expect(prune(damaged)).rejects.toThrow('damaged')
    expect(await store.db.selectFrom('legacy_use').selectAll().where('day', '=', day).execute()).toEqual([])
  })
})

describe('housekeeping after a forward step of the wall clock', () => {
  const hour = 60 * 60_000
  const day = 24 * hour
  let house: TestGateway

  beforeAll(async () => {
    house = await openTestGateway({ styles: 2 })
  })
  afterAll(() => house.close())

  it('goes on, deletes nothing too early, and believes a clock that stays ahead for a day', async () => {
    const { channel_code } = await createWorld(house)
    const start = house.clock.now()
    await house.gateway.store.db
      .updateTable('sessions')
      .set({ expires_at: start + 30 * day })
      .execute()
    let [ahead, passed] = [0, 0]
    // A process reads fractions of milliseconds from its monotonic clock.
    const clock = {
      now: () => start + passed + ahead,
      monotonic: () => (passed === 0 ? 0.25 : passed + 0.75),
      machine: () => 0,
    }
    const gateway = { ...house.gateway, clock }
    const countSessions = async () => {
      const { count } = await house.gateway.store.db
        .selectFrom('sessions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('channel_code', '=', channel_code)
        .executeTakeFirstOrThrow()
      return Number(count)
    }
    await prune(gateway)
    passed = 1_001
    ahead = 365 * day
    await prune(gateway)
    const latest = toSteadyClock(gateway).now()
    expect(Number.isInteger(latest)).toBe(true)
    expect(latest).toBe(start + passed + hour)
    expect(await countSessions()).toBe(1)
    passed += day - 1
    await prune(gateway)
    expect(await countSessions(), 'within a day').toBe(1)
    passed += hour
    await prune(gateway)
    expect(await countSessions(), 'after a day').toBe(0)
    expect(toSteadyClock(gateway).now()).toBe(clock.now())
  })
})

describe('the write-ahead log of the embedded store', () => {
  it('shrinks to 64 MB after a burst', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tg-journal-'))
    const store = openSqlite(join(folder, 'gateway.db'))
    try {
      const { rows } = await sql<{ journal_size_limit: number }>`pragma journal_size_limit`.execute(store.db)
      expect(rows).toEqual([{ journal_size_limit: 64 * 1024 * 1024 }])
    } finally {
      await store.close()
      rmSync(folder, { recursive: true })
    }
  })
})
