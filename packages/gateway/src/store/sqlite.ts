import { EventEmitter } from 'node:events'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { InProcessLocks } from './in-process-locks.ts'
import { type Bulk, type Store, StoreUnusable, type Topic } from './store.ts'
import type { Tables } from './tables.ts'

const busyExit = 75
const mostCachedStatements = 500
/** The database works in this process: a hundred rows and their views take about five milliseconds. */
const embeddedBatchRows = 100

/** Locks of this process end with it. */
const never = new AbortController().signal

/**
 * The embedded store: `node:sqlite` with WAL, `synchronous=FULL` (each commit is synced to disk) and an exclusive
 * lock, so that a second process is refused instead of losing work.
 */
export function openSqlite(path: string): Store {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    database.exec('pragma foreign_keys = on')
  } catch (cause) {
    database.close()
    throw new StoreUnusable(`The database ${path} is in use by another process.`, busyExit, cause)
  }
  const locks = new InProcessLocks()
  const emitter = new EventEmitter()
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: kyselyFace(database) }) })
  return {
    kind: 'sqlite',
    db,
    batchRows: embeddedBatchRows,
    bulk,
    locking: { forUpdate: sql``, skipLocked: sql`` },
    atOnce: (statements) =>
      db.transaction().execute(async (tx) => {
        for (const statement of statements) await tx.executeQuery(statement)
      }),
    withLock: (name, waitMs, work) => locks.hold(name, waitMs, () => work(never)),
    announce: (topic) => void emitter.emit('announced', topic),
    listen: (heard) => void emitter.on('announced', (topic: Topic) => heard(topic)),
    close: () => db.destroy(),
  }
}

/** JSON arrays, taken apart by SQLite; `where true` keeps its parser from taking `on conflict` for a join. */
const bulk: Bulk = {
  texts: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  rows: (_table, columns, rows) => {
    const values = JSON.stringify(rows.map((row) => columns.map((column) => row[column] ?? null)))
    const fields = columns.map(
      (column, at) => sql`json_extract(value, ${sql.lit(`$[${at}]`)}) as ${sql.ref(column)}`,
    )
    return sql`select ${sql.join(fields)} from json_each(${values}) where true`
  },
}

/** `node:sqlite` as Kysely's SQLite dialect expects a database, its statements prepared once. */
function kyselyFace(database: DatabaseSync) {
  const cache = new Map<string, ReturnType<typeof prepared>>()

  function prepared(sql: string) {
    const statement = database.prepare(sql)
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...bound(values)),
      run: (values: readonly unknown[]) => statement.run(...bound(values)),
      iterate: (values: readonly unknown[]) => statement.iterate(...bound(values)),
    }
  }

  return {
    prepare(sql: string) {
      const known = cache.get(sql)
      if (known) return known
      if (cache.size >= mostCachedStatements) cache.clear()
      const statement = prepared(sql)
      cache.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}

/** Our queries bind only what SQLite stores: text, numbers, null and bytes. */
function bound(values: readonly unknown[]): SQLInputValue[] {
  return values as SQLInputValue[]
}
