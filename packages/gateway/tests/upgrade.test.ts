/** The database of the release before migrates without loss, and a database says which releases may run on it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareContents, readContents } from '../src/backup/proof.ts'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import { migrate } from '../src/store/migrate.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import type { Db, Store } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'
import { placeReleaseDatabase } from './release/release.ts'

const future = '0099-future'

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
})

async function readLockTimeout(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(db)
  return rows[0]?.lock_timeout
}
