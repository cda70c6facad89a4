/** The database of the release before migrates without loss, and a database says which releases may run on it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KyselyPlugin, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareContents, readContents } from '../src/backup/proof.ts'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import { buildConcurrently } from '../src/store/indexes.ts'
import { migrate } from '../src/store/migrate.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { type Db, type Store, StoreUnusable } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'
import { placeReleaseDatabase } from './release/release.ts'

const future = '0099-future'

/** Migrates in vain. Returns the sentence and the exit code with which the program ends. */
async function readRefusal(store: Store, maxTries?: number): Promise<readonly [string, number] | undefined> {
  const failure = await migrate(store, jsonLog('silent'), maxTries).catch((error: unknown) => error)
  return failure instanceof StoreUnusable ? [failure.message, failure.exitCode] : undefined
}

/** Gives a database a migration of a release to come, which allows releases from `oldest` on. */
async function pretendNewer(db: Db, oldest: string): Promise<void> {
  await sql`insert into later_migrations (name, timestamp) values (${future}, '2027-01-01T00:00:00.000Z')`.execute(
    db,
  )
  await db.updateTable('installation').set({ value: oldest }).where('key', '=', 'oldest schema').execute()
}

async function listNames(db: Db, table: string): Promise<unknown[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

describe('the embedded database of the release before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-upgrade-'))
  let store: Store
  beforeAll(() => {
    placeReleaseDatabase(folder)
    store = openSqlite(join(folder, 'gateway.db'))
  })
  afterAll(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  it('is migrated by the next start, wherever the one before was interrupted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tg-upgrade-'))
    placeReleaseDatabase(folder)
    const interrupted = openSqlite(join(folder, 'gateway.db'))
    try {
      let [statements, last] = [0, 1]
      const failAtLast = () => {
        let done = 0
        const plugin: KyselyPlugin = {
          transformQuery({ node }) {
            done += 1
            statements = done
            if (done === last) throw new Error('The disk is full.')
            return node
          },
          transformResult: async ({ result }) => result,
        }
        return migrate({
          ...interrupted,
          withMigrationLock: (work) => work(interrupted.db.withPlugin(plugin)),
        })
      }
      const readSchema = async (db: Db) =>
        (await sql`select name, sql from sqlite_master order by name`.execute(db)).rows
      for (; statements === last - 1; last++) {
        const failure = await failAtLast().catch((error: unknown) => error)
        if (failure !== undefined) expect(String(failure)).toContain('The disk is full.')
      }
      expect(last).toBeGreaterThan(20)
      const whole = openSqlite(':memory:')
      await migrate(whole)
      const [names, expected] = [await readSchema(interrupted.db), await readSchema(whole.db)]
      expect(names).toEqual(expected)
      await whole.close()
    } finally {
      await interrupted.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('keeps every row, and the table in which that release looks for unknown migrations', async () => {
    const before = await readContents(store.db)
    const known = await listNames(store.db, 'kysely_migration')
    expect(before.counts).toMatchObject({ orders: 13, dropship_orders: 3, reservations: 1, channels: 1 })
    await migrate(store)
    expect(compareContents(before, await readContents(store.db))).toEqual([])
    expect(await listNames(store.db, 'kysely_migration')).toEqual(known)
    expect(await listNames(store.db, 'later_migrations')).toContain('0017-restores')
  })
})

describe('a database of a newer release', () => {
  let store: Store
  let drop: () => Promise<void>
  beforeAll(async () => {
    const opened = await openTestStore()
    store = opened.store
    drop = opened.drop
    await migrate(store)
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  it('is used as it is if it allows this release, and refused with a sentence if not', async () => {
    await pretendNewer(store.db, '0017-restores')
    await expect(migrate(store)).resolves.toBeUndefined()
    expect(await listNames(store.db, 'later_migrations')).toContain(future)
    await store.db
      .updateTable('installation')
      .set({ value: future })
      .where('key', '=', 'oldest schema')
      .execute()
    await expect(migrate(store)).rejects.toThrow(
      `The database has the schema ${future} of a newer release, and allows releases from ${future} on.`,
    )
    await sql`delete from later_migrations where name = ${future}`.execute(store.db)
    await store.db
      .updateTable('installation')
      .set({ value: '0016-leases' })
      .where('key', '=', 'oldest schema')
      .execute()
    await expect(migrate(store)).resolves.toBeUndefined()
  })

  it('is refused while a restore into it has not ended', async () => {
    await store.db.schema.createTable('unfinished_restore').addColumn('began_at', 'bigint').execute()
    await expect(migrate(store)).rejects.toThrow('A restore of this database has not ended')
    await store.db.schema.dropTable('unfinished_restore').execute()
    await expect(migrate(store)).resolves.toBeUndefined()
  })

  it('is refused where it has a migration that this release never had', async () => {
    const other = '0013-of-another-release'
    await sql`insert into kysely_migration (name, timestamp) values (${other}, '2027-01-01T00:00:00.000Z')`.execute(
      store.db,
    )
    expect(await readRefusal(store)).toEqual([
      expect.stringMatching(new RegExp(`A newer gateway may have used it: .*${other}`)),
      78,
    ])
    await sql`delete from kysely_migration where name = ${other}`.execute(store.db)
    await expect(migrate(store)).resolves.toBeUndefined()
  })
})

describe('a database that is no gateway’s', () => {
  it('is refused in its own words, and not called newer', async () => {
    const { store, drop } = await openTestStore()
    await store.db.schema.createTable('orders').addColumn('number', 'integer').execute()
    const [message, exitCode] = (await readRefusal(store)) ?? []
    expect(message).toMatch(/"?orders"? already exists/)
    expect(message).not.toContain('newer')
    expect(exitCode).toBe(1)
    await store.close()
    await drop()
  })
})

describe.skipIf(shouldSkip('migrations beside other processes', { postgres: true }))('a table in use', () => {
  it('stops a migration for a moment only, which is then tried again', async () => {
    const { store, url, drop } = await openTestStore(jsonLog('silent'))
    await migrate(store)
    expect(await store.withMigrationLock(readLockTimeout, () => {})).toBe('400ms')
    await store.db.deleteFrom('installation').where('key', '=', 'oldest schema').execute()
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    await reader.query('begin')
    await reader.query('lock table later_migrations in access exclusive mode')
    const lines: string[] = []
    const log: Log = { ...jsonLog('silent'), info: (_fields, message) => void lines.push(message) }
    const migrated = migrate(store, log)
    await waitUntil(() => lines.some((line) => line.includes('tried again')), 10_000)
    await reader.query('rollback')
    await expect(migrated).resolves.toBeUndefined()
    const oldest = store.db.selectFrom('installation').select('value').where('key', '=', 'oldest schema')
    expect(await oldest.execute()).toHaveLength(1)
    await reader.end()
    await store.close()
    await drop()
  })

  it('that stays in use ends the start with exit code 75, and the next start migrates', async () => {
    const { store, url, drop } = await openTestStore(jsonLog('silent'))
    await migrate(store)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    await reader.query('begin')
    await reader.query('lock table later_migrations in access exclusive mode')
    expect(await readRefusal(store, 2)).toEqual([expect.stringContaining('due to lock timeout'), 75])
    await reader.query('rollback')
    await expect(migrate(store)).resolves.toBeUndefined()
    await reader.end()
    await store.close()
    await drop()
  })
})

describe.skipIf(shouldSkip('indexes of large tables', { postgres: true }))('an index of a migration', () => {
  let store: Store
  let writer: pg.Client
  let drop: () => Promise<void>
  beforeAll(async () => {
    const opened = await openTestStore()
    store = opened.store
    drop = opened.drop
    writer = new pg.Client({ connectionString: opened.url ?? '' })
    await writer.connect()
    await migrate(store)
  })
  afterAll(async () => {
    await writer.end()
    await store.close()
    await drop()
  })

  /** Starts a migration that lacks one of its indexes, and waits until an open transaction keeps it from building it. */
  async function migrateBesideWriter(log?: Log): Promise<{ outcome: Promise<unknown>; builder: number }> {
    await sql`delete from later_migrations where name >= '0020-open-lists'`.execute(store.db)
    await sql`alter table dropship_orders drop column if exists settled_at`.execute(store.db)
    await sql`drop index orders_open`.execute(store.db)
    await writer.query('begin')
    await writer.query('lock table orders in row exclusive mode')
    const outcome = migrate(store, log).catch((error: unknown) => error)
    let builder: number | undefined
    await waitUntil(async () => {
      // Longer than a migration may wait for a table.
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like 'create index%' and query_start < clock_timestamp() - interval '600 ms'`.execute(
        store.db,
      )
      builder = rows[0]?.pid
      return builder !== undefined
    }, 10_000)
    return { outcome, builder: builder ?? 0 }
  }

  it('is built while others write, and waits for their transactions', async () => {
    const lines: string[] = []
    const log: Log = { ...jsonLog('silent'), info: (_fields, message) => void lines.push(message) }
    const { outcome } = await migrateBesideWriter(log)
    // What every write does first. It is refused if it would have to wait.
    await store.db
      .transaction()
      .execute((tx) => sql`lock table orders in row exclusive mode nowait`.execute(tx))
    await writer.query('commit')
    expect(await outcome).toBeUndefined()
    expect(lines).toEqual(['the indexes of a migration are built while requests go on'])
    expect(await isValid(store.db, 'orders_open')).toBe(true)
    expect(await listNames(store.db, 'later_migrations')).toContain('0020-open-lists')
  })

  it('is built again by the next start where its process ended halfway', async () => {
    const { outcome, builder } = await migrateBesideWriter()
    await sql`select pg_terminate_backend(${builder})`.execute(store.db)
    expect(await outcome).toBeInstanceOf(Error)
    await writer.query('rollback')
    expect(await isValid(store.db, 'orders_open')).toBe(false)
    expect(await listNames(store.db, 'later_migrations')).not.toContain('0020-open-lists')
    await migrate(store)
    expect(await isValid(store.db, 'orders_open')).toBe(true)
    expect(await listNames(store.db, 'later_migrations')).toContain('0020-open-lists')
  })

  it('keeps the turn of its process, as PostgreSQL goes on building it after a kill', async () => {
    const readHolders = async (db: Db) =>
      (
        await sql`
          select 1 from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()`.execute(
          db,
        )
      ).rows
    expect(await store.withMigrationLock(readHolders, () => {})).toHaveLength(1)
  })

  it('leaves the limit of the statements after it as it was', async () => {
    const limit = await store.withMigrationLock(
      async (db) => {
        await buildConcurrently(db, { orders_open: 'orders (order_id)' })
        return readLockTimeout(db)
      },
      () => {},
    )
    expect(limit).toBe('400ms')
  })
})

async function isValid(db: Db, index: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ indisvalid: boolean }>`
    select indisvalid from pg_index where indexrelid = to_regclass(${index})`.execute(db)
  return rows[0]?.indisvalid
}

async function readLockTimeout(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(db)
  return rows[0]?.lock_timeout
}
