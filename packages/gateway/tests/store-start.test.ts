/** What a start with an unusable database reports, and how processes that start together take turns. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import { lockDataDir } from '../src/start/lock.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { type Store, StoreUnusable } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'

describe('a file that is no database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-damaged-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const createDamagedFile = (name: string) => {
    const path = join(folder, name)
    writeFileSync(path, 'This was a database once. '.repeat(1_000))
    return path
  }

  it('is called damaged, not in use by another process', () => {
    const path = createDamagedFile('gateway.db')
    expect(() => openSqlite(path)).toThrow(`The database ${path} is damaged`)
  })

  it('is called damaged where it is the lock file, which holds no data', () => {
    const path = createDamagedFile('lock.db')
    expect(() => lockDataDir(folder, 0)).toThrow(`${path} is damaged. It holds no data`)
  })

  it('is in use where another process has it', () => {
    const path = join(folder, 'used.db')
    const first = openSqlite(path)
    expect(() => openSqlite(path)).toThrow('in use by another process')
    return first.close()
  })
})

describe.skipIf(shouldSkip('migrations on PostgreSQL', { postgres: true }))('PostgreSQL', () => {
  let store: Store
  let url: string
  let drop: () => Promise<void>

  beforeAll(async () => {
    const opened = await openTestStore()
    store = opened.store
    url = opened.url ?? ''
    drop = opened.drop
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  it('limits a statement of a request to less than 2 s, one of background work to 30 s, and none of a migration', async () => {
    const readTimeout = async (db: Store['db']) =>
      (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows[0]
        ?.statement_timeout
    expect(await readTimeout(store.db)).toBe('1800ms')
    expect(await readTimeout(store.forBackground().db)).toBe('30s')
    expect(await store.withMigrationLock(readTimeout, () => {})).toBe('0')
  })

  it('lets a second process wait for the first, and say so once', async () => {
    const other = await openPostgres(url, jsonLog('silent'))
    const lines: string[] = []
    const log: Log = {
      debug() {},
      info: (_fields, message) => void lines.push(message),
      warn() {},
      error() {},
    }
    const { promise: migrated, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const first = store.withMigrationLock(
      () => {
        begin()
        return migrated
      },
      () => {},
    )
    await begun
    let isOver = false
    const second = migrate(other, log).then(() => {
      isOver = true
    })
    await waitUntil(() => lines.length > 0, 5_000)
    expect(isOver).toBe(false)
    goOn()
    await Promise.all([first, second])
    expect(lines).toEqual([expect.stringContaining('this process waits')])
    await other.close()
  })

  it('survives that the server ends the idle connections of a migration', async () => {
    const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    const migration = store.withMigrationLock(
      async (db) => {
        await sql`select 1`.execute(db)
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        await client.query(`select pg_terminate_backend(pid) ${others}`)
        await waitUntil(async () => (await client.query(`select pid ${others}`)).rows.length === 0, 5_000)
        await client.end()
        return 'survived'
      },
      () => {},
    )
    await expect(migration).resolves.toBe('survived')
  })

  it('without TLS is refused where the URL asks for it', async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query('show ssl')
    await client.end()
    expect(rows).toEqual([{ ssl: 'off' }])
    const strict = new URL(url)
    strict.searchParams.set('sslmode', 'verify-full')
    await expect(openPostgres(strict.href, jsonLog('silent'))).rejects.toThrow(/does not support SSL/)
  })
  it('names the right that the role lacks, and migrates once the role has it', async () => {
    const role = `tg_test_${randomBytes(6).toString('hex')}`
    const own = await openTestStore()
    const run = (statement: string) => sql.raw(statement).execute(own.store.db)
    await run(`create role ${role} login password '${role}'`)
    // As in each database since PostgreSQL 15.
    await run('revoke create on schema public from public')
    const address = new URL(own.url ?? '')
    address.username = role
    address.password = role
    const limited = await openPostgres(address.href, jsonLog('silent'))
    const failure = await migrate(limited).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StoreUnusable)
    expect(failure).toMatchObject({
      message: expect.stringMatching(/USAGE and CREATE on the schema .*permission denied for schema public/),
      exitCode: 78,
    })
    await run(`grant create on schema public to ${role}`)
    await expect(migrate(limited)).resolves.toBeUndefined()
    await limited.close()
    await run(`drop owned by ${role} cascade`)
    await run(`drop role ${role}`)
    await own.store.close()
    await own.drop()
  })
})
