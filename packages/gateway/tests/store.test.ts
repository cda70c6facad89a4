/** The guarantees of both stores. Runs on PostgreSQL if TEST_DATABASE_URL specifies a server. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomIds } from '../src/kernel/ids.ts'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import { openInstallation } from '../src/store/installation.ts'
import { migrate } from '../src/store/migrate.ts'
import { maxSessions, openPostgres } from '../src/store/postgres.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { type Db, executePipelined, type Store, StoreUnusable, type Topic } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore, readTestDatabaseUrl } from './harness.ts'

let store: Store
let drop: () => Promise<void>

beforeAll(async () => {
  ;({ store, drop } = await openTestStore())
  await migrate(store)
})
afterAll(async () => {
  await store.close()
  await drop()
})

/** Creates a gate that the test opens. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('a store', () => {
  it('is brought to this version once and again', async () => {
    await migrate(store)
    expect(await store.db.selectFrom('channels').selectAll().execute()).toEqual([])
  })

  it('keeps numbers up to 2^53 exact', async () => {
    await store.db
      .insertInto('counters')
      .values({ name: 'largest', value: Number.MAX_SAFE_INTEGER })
      .execute()
    const row = await store.db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'largest')
      .executeTakeFirst()
    expect(row?.value).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('gives a lock to one at a time, and to nobody who does not want to wait', async () => {
    const { opened, open } = createGate()
    const held = store.withLock('door', 0, () => opened.then(() => 'first'))
    expect(await store.withLock('door', 0, async () => 'second')).toBeUndefined()
    expect(await store.withLock('another door', 0, async () => 'free')).toBe('free')
    open()
    expect(await held).toBe('first')
    expect(await store.withLock('door', 0, async () => 'third')).toBe('third')
  })

  it('serves those who wait in their order, and frees the lock when the work fails', async () => {
    const order: number[] = []
    const { opened, open } = createGate()
    const first = store.withLock('queue', 0, () => opened)
    const waiting = [1, 2, 3].map((number) =>
      store.withLock('queue', 5_000, async () => void order.push(number)),
    )
    open()
    await Promise.all([first, ...waiting])
    expect(order).toEqual([1, 2, 3])
    const failing = store.withLock('queue', 0, async () => {
      throw new Error('as it happens')
    })
    await expect(failing).rejects.toThrow('as it happens')
    expect(await store.withLock('queue', 0, async () => true)).toBe(true)
  })

  it('is not freed by one who gave up waiting for it', async () => {
    const { opened, open } = createGate()
    const held = store.withLock('patience', 0, () => opened)
    expect(await store.withLock('patience', 0, async () => 'hasty')).toBeUndefined()
    expect(await store.withLock('patience', 30, async () => 'impatient')).toBeUndefined()
    expect(await store.withLock('patience', 0, async () => 'third')).toBeUndefined()
    open()
    await held
    expect(await store.withLock('patience', 1_000, async () => 'next')).toBe('next')
  })

  it('announces to those who listen, to its own process at once', async () => {
    const heard: Topic[] = []
    store.listen((topic: Topic) => heard.push(topic))
    store.announce('reference')
    expect(heard).toContain('reference')
  })

  it('writes statements that belong together all, or none', async () => {
    const insertCounter = (name: string) => store.db.insertInto('counters').values({ name, value: 1 })
    await store.executeAtOnce([insertCounter('both'), insertCounter('of them')])
    await expect(store.executeAtOnce([insertCounter('neither'), insertCounter('both')])).rejects.toThrow(
      /unique/i,
    )
    await expect(store.executeAtOnce([insertCounter('both'), insertCounter('nor this')])).rejects.toThrow(
      /unique/i,
    )
    const rows = await store.db.selectFrom('counters').select('name').execute()
    const names = rows.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['both', 'of them']))
    expect(names).not.toContain('neither')
    expect(names).not.toContain('nor this')
    // The failure left no transaction open.
    await store.executeAtOnce([insertCounter('neither')])
  })

  it('refuses a process with another SECRETS_KEY, and says where the right one is', async () => {
    const [one, another] = ['1'.repeat(64), '2'.repeat(64)]
    const { id } = await openInstallation(store, { present: one }, randomIds)
    expect(id).toMatch(/^[0-9a-z]{26}$/)
    expect((await openInstallation(store, { present: one }, randomIds)).id).toBe(id)
    const other = openInstallation(store, { present: another }, randomIds)
    await expect(other).rejects.toThrow(/SECRETS_KEY is not the key/)
    await expect(other).rejects.toMatchObject({ exitCode: 78 })
    await expect(other).rejects.toBeInstanceOf(StoreUnusable)
  })
})

describe('the embedded store', () => {
  it('commits nothing of a transaction that SQLite rolled back because the disk was full', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trade-gateway-'))
    const full = openSqlite(join(folder, 'gateway.db'))
    const { db } = full
    try {
      await sql`create table notes (id integer primary key, text text)`.execute(db)
      await sql`insert into notes values (1, 'before')`.execute(db)
      await sql`pragma max_page_count = 1`.execute(db)
      const [tooLong, small] = [
        sql`insert into notes values (2, ${'x'.repeat(20_000)})`,
        sql`update notes set text = 'after'`,
      ]
      const readText = async () => (await sql<{ text: string }>`select text from notes`.execute(db)).rows
      const pipelined = db.transaction().execute((tx) =>
        executePipelined(
          tx,
          [tooLong, small].map((statement) => ({ compile: () => statement.compile(tx) })),
        ),
      )
      await expect(pipelined).rejects.toThrow('full')
      const carriedOn = db.transaction().execute(async (tx) => {
        await tooLong.execute(tx).catch(() => {})
        await small.execute(tx).catch(() => {})
      })
      await expect(carriedOn).rejects.toThrow('full')
      expect(await readText()).toEqual([{ text: 'before' }])
      await db.transaction().execute((tx) => small.execute(tx))
      expect(await readText(), 'the next transaction is a new one').toEqual([{ text: 'after' }])
    } finally {
      await full.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('refuses a second opener', () => {
    const folder = mkdtempSync(join(tmpdir(), 'store-'))
    const first = openSqlite(join(folder, 'gateway.db'))
    expect(() => openSqlite(join(folder, 'gateway.db'))).toThrow(StoreUnusable)
    return first.close().finally(() => rmSync(folder, { recursive: true }))
  })
})

const server = readTestDatabaseUrl()

describe.skipIf(shouldSkip('the store on PostgreSQL', { postgres: true }))('PostgreSQL', () => {
  it('ends a lock with the connection of its holder, and holds it across processes until then', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => openPostgres(server ?? '', jsonLog('silent'))))
    if (!one || !other) throw new Error('two stores were opened')
    const [begun, ended, again, noticed] = [createGate(), createGate(), createGate(), createGate()]
    const held = one.withLock('shared', 0, () => {
      begun.open()
      return ended.opened
    })
    await begun.opened
    expect(await other.withLock('shared', 0, async () => true)).toBeUndefined()
    ended.open()
    await held
    expect(await other.withLock('shared', 5_000, async () => true)).toBe(true)
    const abandoned = one.withLock('shared', 5_000, (lost) => {
      again.open()
      lost.addEventListener('abort', () => noticed.open())
      return new Promise(() => {})
    })
    await again.opened
    await one.close()
    await noticed.opened
    expect(await other.withLock('shared', 5_000, async () => true)).toBe(true)
    await other.close()
    expect(abandoned).toBeInstanceOf(Promise)
  })

  it('tells other processes, of many announcements by few notifications, and itself only once', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => openPostgres(server ?? '', jsonLog('silent'))))
    if (!one || !other) throw new Error('two stores were opened')
    const own: Topic[] = []
    const foreign: Topic[] = []
    const [connected, told] = [createGate(), createGate()]
    one.listen((topic) => own.push(topic))
    other.listen((topic) => {
      foreign.push(topic)
      connected.open()
      if (topic === 'access') told.open()
    })
    await connected.opened
    foreign.length = 0
    const many = 200
    for (let at = 0; at < many; at++) one.announce('stock')
    one.announce('access')
    await told.opened
    expect(own.filter((topic) => topic === 'stock').length).toBeGreaterThanOrEqual(many)
    expect(foreign.filter((topic) => topic === 'stock').length).toBeLessThan(10)
    await Promise.all([one.close(), other.close()])
    // A new connection announces every topic once. After that, the database does not send a process its own
    // announcements.
    expect(own.filter((topic) => topic === 'access').length).toBeLessThanOrEqual(2)
  })

  it('opens as many sessions as it says, and no more', async () => {
    const { store: busy, url, drop: dropIt } = await openTestStore()
    const observer = new pg.Client({ connectionString: url ?? '' })
    await observer.connect()
    const countSessions = async () => {
      const { rows } = await observer.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      )
      return rows[0]?.count
    }
    const listening = createGate()
    busy.listen(() => listening.open())
    await listening.opened
    await busy.withLock('any', 0, async () => {})
    const sleep = (db: Db) => db.connection().execute((own) => sql`select pg_sleep(0.5)`.execute(own))
    const pools = [busy.db, busy.forBackground().db]
    await Promise.all(pools.flatMap((db) => Array.from({ length: maxSessions }, () => sleep(db))))
    // A pool keeps its connections for some seconds.
    expect(await countSessions()).toBe(maxSessions)
    await observer.end()
    await busy.close()
    await dropIt()
  })

  it('serves on after a newer gateway has changed a table that statements were prepared for', async () => {
    const { store: older, drop: dropIt } = await openTestStore()
    await migrate(older)
    const readCounter = () => older.db.selectFrom('counters').selectAll().where('name', '=', 'x').execute()
    await readCounter()
    await sql`alter table counters add column newer integer`.execute(older.db)
    expect(await readCounter()).toEqual([])
    await older.close()
    await dropIt()
  })

  it('outlives its connections, in whatever they are busy, and tells those who used them', async () => {
    const { store: cut, drop: dropIt } = await openTestStore()
    await migrate(cut)
    const endOtherSessions = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
        .execute(cut.db)
        .catch(() => {})
    const sleeping = [
      cut.db.transaction().execute((tx) => sql`select pg_sleep(20)`.execute(tx)),
      cut.executeAtOnce([{ compile: () => sql`select pg_sleep(20)`.compile(cut.db) }]),
      sql`select pg_sleep(20)`.execute(cut.db),
      cut.withLock('held', 0, () => new Promise((resolve) => setTimeout(resolve, 1_000))),
    ].map((one) =>
      one.then(
        () => 'ended',
        () => 'broke',
      ),
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    await endOtherSessions()
    expect(await Promise.all(sleeping)).toEqual(['broke', 'broke', 'broke', 'ended'])
    expect(await cut.db.selectFrom('channels').selectAll().execute()).toEqual([])
    expect(await cut.withLock('held', 5_000, async () => 'again')).toBe('again')
    await cut.close()
    await dropIt()
  })

  it('writes again as soon as a server that was read-only takes writes, on every connection', async () => {
    const said: string[] = []
    const say = (_fields: LogFields, text: string) => void said.push(text)
    const opened = await openTestStore()
    await migrate(opened.store)
    const operator = new pg.Client({ connectionString: opened.url })
    await operator.connect()
    const { rows } = await operator.query<{ name: string }>('select quote_ident(current_database()) as name')
    const database = rows[0]?.name
    await operator.query(`alter database ${database} set default_transaction_read_only = on`)
    const moved = await openPostgres(opened.url ?? '', { ...jsonLog('silent'), error: say, info: say })
    /** Runs statements at once, so that both pools have many connections. */
    const runOnMany = (statement: string) =>
      [moved, moved.forBackground()].flatMap(({ db }) =>
        Array.from({ length: 6 }, () => sql.raw(statement).execute(db)),
      )
    await Promise.all(runOnMany('select pg_sleep(0.3)'))
    await operator.query(`alter database ${database} reset default_transaction_read_only`)

    const write = 'insert into counters select gen_random_uuid(), 1 from pg_sleep(0.3)'
    // The server that only reads grants locks as well, and another process may hold the same one on the other server.
    const isLockLost = await moved.withLock('moved', 0, async (lost) => {
      await expect(sql.raw(write).execute(moved.db)).rejects.toMatchObject({ code: '25006' })
      await expect.poll(() => lost.aborted).toBe(true)
      return lost.aborted
    })
    expect(isLockLost).toBe(true)
    expect(await moved.withLock('moved', 5_000, async () => 'again')).toBe('again')
    const writeOnMany = () => Promise.all(runOnMany(write)).then(({ length }) => length)
    await expect.poll(writeOnMany, { timeout: 8_000 }).toBe(12)
    await expect.poll(() => said.at(-1)).toBe('the database accepts writes again')
    expect(said).toHaveLength(2)
    await operator.end()
    await moved.close()
    await opened.store.close()
    await opened.drop()
  })

  it('frees what was locked by one who stands still in a transaction, and takes back what it did', async () => {
    const [goesOn, stands] = [createGate(), createGate()]
    await store.db.insertInto('counters').values({ name: 'fought over', value: 1 }).execute()
    const writeCounter = (db: Db, value: number) =>
      db.updateTable('counters').set({ value }).where('name', '=', 'fought over').execute()
    const late = store.db.transaction().execute(async (tx) => {
      await writeCounter(tx, 2)
      stands.open()
      await goesOn.opened
    })
    late.catch(() => {})
    await stands.opened
    await writeCounter(store.forBackground().db, 3)
    goesOn.open()
    await expect(late).rejects.toThrow()
    const row = await store.db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'fought over')
      .execute()
    expect(row).toEqual([{ value: 3 }])
  }, 30_000)

  it('says what is wrong with an address that does not answer, without its password', async () => {
    const opened = openPostgres('postgres://someone:hunter2@127.0.0.1:1/none', jsonLog('silent'))
    await expect(opened).rejects.toThrow(/DATABASE_URL: the database does not respond/)
    await expect(opened).rejects.not.toThrow(/hunter2/)
    // Not 78, after which systemd would not try again.
    await expect(opened).rejects.toMatchObject({ exitCode: 75 })
  })
})
