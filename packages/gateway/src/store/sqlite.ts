import { EventEmitter } from 'node:events'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDialectConfig, SqliteDriver, sql } from 'kysely'
import { jsonLog, type Log } from '../kernel/log.ts'
import { ConnectionWaits } from './connection-waits.ts'
import { FileCopier } from './file-copier.ts'
import { InProcessLocks } from './in-process-locks.ts'
import { createUnpartitioned } from './partitions.ts'
import { writeProbe } from './probe.ts'
import {
  type Bulk,
  busyExit,
  type Db,
  type Lease,
  runInOrder,
  type Store,
  StoreUnusable,
  type Topic,
} from './store.ts'
import type { Tables } from './tables.ts'
import { isBusy, isCorrupt, StorageState } from './trouble.ts'

const failureExit = 1
/** The size to which the write-ahead log shrinks at its next reset if a burst has made it larger. */
const maxJournalBytes = 64 * 1024 * 1024
const maxCachedStatements = 500
const inMemory = ':memory:'
/**
 * The number of rows per transaction. SQLite runs in this process and blocks the event loop: a hundred rows and their
 * views take about five milliseconds.
 */
const embeddedBatchRows = 100

/** The signal of locks that are never lost, because the locks of this process end only with the process. */
const never = new AbortController().signal

/** The lease of every job, because no other process can open the store. */
const soleLease: Lease = { requireHeld: async () => {} }

/**
 * Opens the embedded store: `node:sqlite` with WAL and `synchronous=FULL`, which syncs each commit to disk. An
 * exclusive lock refuses a second process, which could otherwise lose work.
 */
export function openSqlite(path: string, log: Log = jsonLog('silent')): Store {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    database.exec(`pragma foreign_keys = on; pragma journal_size_limit = ${maxJournalBytes}`)
    // Zeroes what was deleted or replaced in a page, so that no erased value remains in the file.
    database.exec('pragma secure_delete = fast')
  } catch (cause) {
    database.close()
    if (isBusy(cause))
      throw new StoreUnusable(`The database ${path} is in use by another process.`, busyExit, cause)
    if (isCorrupt(cause)) throw new StoreUnusable(describeDamage(path), failureExit, cause)
    throw cause
  }
  const state = new StorageState(log, () => writeProbe(db))
  const locks = new InProcessLocks()
  const emitter = new EventEmitter()
  const waits = new ConnectionWaits()
  const db = new Kysely<Tables>({
    dialect: new WatchedDialect({ database: adaptToKysely(database, state) }, waits),
  })
  const copier = path === inMemory ? undefined : new FileCopier(path, database, db)
  const store: Store = {
    kind: 'sqlite',
    isShared: false,
    db,
    batchRows: embeddedBatchRows,
    bulk: sqliteBulk,
    locking: { forUpdate: sql``, skipLocked: sql`` },
    partitions: createUnpartitioned(db),
    copyInto: copier && ((target) => copier.copyInto(target)),
    executeAtOnce: (statements) => db.transaction().execute((tx) => runInOrder(tx, statements)),
    // The lock on the file keeps other processes out.
    withMigrationLock: (work) => work(db),
    readClock: undefined,
    trouble: () => state.trouble,
    connectionDelayMs: () => waits.longestMs,
    withLock: (name, waitMs, work) => locks.hold(name, waitMs, () => work(never)),
    withLease: (name, work) => locks.hold(name, 0, () => work(soleLease)),
    announce: (topic) => void emitter.emit('announced', topic),
    listen: (onAnnounced) => void emitter.on('announced', (topic: Topic) => onAnnounced(topic)),
    // No statement waits for another process.
    forBackground: () => store,
    async close() {
      state.close()
      await copier?.stop()
      await db.destroy()
      await copier?.close()
    },
  }
  return store
}

/** Kysely's dialect. All transactions share the one connection, and their waits for it are watched. */
class WatchedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #waits: ConnectionWaits

  constructor(config: SqliteDialectConfig, waits: ConnectionWaits) {
    super(config)
    this.#config = config
    this.#waits = waits
  }

  override createDriver() {
    return new WatchedDriver(this.#config, this.#waits)
  }

  override createAdapter() {
    return new TransactionalAdapter()
  }
}

/**
 * Says of SQLite what Kysely does not: that it rolls changes of tables back, too. A migration is then one transaction, and
 * the start after one that was interrupted begins it anew.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

class WatchedDriver extends SqliteDriver {
  readonly #waits: ConnectionWaits

  constructor(config: SqliteDialectConfig, waits: ConnectionWaits) {
    super(config)
    this.#waits = waits
  }

  override acquireConnection() {
    return this.#waits.add(super.acquireConnection())
  }
}

function describeDamage(path: string): string {
  return `The database ${path} is damaged, or is not an SQLite database. Keep a copy of it, restore a backup and start with --restored.`
}

/**
 * Opens a copy that no process uses, to read it only. Nothing is written beside it. The caller destroys it after use.
 */
export function openSqliteCopy(path: string): Db {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true })
  const state = new StorageState(jsonLog('silent'), async () => {})
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: adaptToKysely(database, state) }) })
}

/**
 * Passes rows as a JSON array that SQLite unpacks. `where true` prevents SQLite from parsing `on conflict` as a join
 * condition.
 */
export const sqliteBulk: Bulk = {
  texts: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  rows: (_table, columns, rows) => {
    const values = JSON.stringify(rows.map((row) => columns.map((column) => row[column] ?? null)))
    const fields = columns.map(
      (column, at) => sql`json_extract(value, ${sql.lit(`$[${at}]`)}) as ${sql.ref(column)}`,
    )
    return sql`select ${sql.join(fields)} from json_each(${values}) where true`
  },
}

/** Adapts `node:sqlite` to Kysely's SQLite dialect; each statement is prepared once. */
function adaptToKysely(database: DatabaseSync, state: StorageState) {
  const cache = new Map<string, ReturnType<typeof prepareStatement>>()
  /**
   * Why SQLite has already rolled back the present transaction: on a full disk, for example. Its later statements would
   * each commit by themselves, so they fail too, as on PostgreSQL.
   */
  let rollbackCause: { readonly error: unknown } | undefined

  function execute<T>(act: () => T): T {
    if (rollbackCause) throw rollbackCause.error
    const wasTransaction = database.isTransaction
    try {
      return act()
    } catch (error) {
      if (wasTransaction && !database.isTransaction) rollbackCause = { error }
      state.note(error)
      throw error
    }
  }

  function prepareStatement(sql: string) {
    const statement = database.prepare(sql)
    const names = statement.columns().map(({ name }) => name)
    // Node makes objects whose members are slow to read, which takes longer than making others from arrays.
    statement.setReturnArrays(true)
    return {
      reader: names.length > 0,
      all: (values: readonly unknown[]) =>
        execute(() => statement.all(...toBoundValues(values)).map((row) => toObject(names, row))),
      run: (values: readonly unknown[]) => {
        if (sql === 'rollback') {
          rollbackCause = undefined
          // A failing `rollback` would hide why SQLite has already rolled back.
          if (!database.isTransaction) return nothingDone
        }
        return execute(() => statement.run(...toBoundValues(values)))
      },
      *iterate(values: readonly unknown[]) {
        for (const row of statement.iterate(...toBoundValues(values))) yield toObject(names, row)
      },
    }
  }

  return {
    prepare(sql: string) {
      const known = cache.get(sql)
      if (known) return known
      if (cache.size >= maxCachedStatements) cache.clear()
      const statement = prepareStatement(sql)
      cache.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}

function toObject(names: readonly string[], values: unknown): Record<string, unknown> {
  if (!Array.isArray(values)) throw new TypeError('A row of SQLite is no array.')
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = values[at]
  return row
}

const nothingDone = { changes: 0, lastInsertRowid: 0 }

/** The gateway's queries bind only values that SQLite stores: text, numbers, null and bytes. */
function toBoundValues(values: readonly unknown[]): SQLInputValue[] {
  return values as SQLInputValue[]
}
