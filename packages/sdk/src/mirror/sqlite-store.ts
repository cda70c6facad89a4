import { type SqlDatabase, type SqlRow, SqlStore, type Statement, type Table } from './sql-store.ts'

type SqlValue = string | number | null

/**
 * What the store needs of a database: the `DatabaseSync` of `node:sqlite`, or one with the same methods, as
 * better-sqlite3 has.
 */
export interface SqliteLike {
  exec(sql: string): unknown
  prepare(sql: string): {
    all(...values: SqlValue[]): readonly unknown[]
    run(...values: SqlValue[]): { readonly changes: number | bigint }
  }
  close(): unknown
}

const maxWaitMs = 10_000

/**
 * Keeps the copies in SQLite: a database of yours, or the path of a file, which is opened by `node:sqlite` (Node 22.13
 * and later, or a flag before). Several processes may read the file while one follows. Requires SQLite 3.38.
 */
export class SqliteStore extends SqlStore {
  constructor(database: SqliteLike | string) {
    super(typeof database === 'string' ? new SqliteFile(database) : new SqliteAdapter(database))
  }
}

function isAmongRows(query: string): string {
  return `rowid in (${query.replace('?', 'rowid')})`
}

/** Statements of SQLite run at once, so that no other call of this process can see a transaction half done. */
class SqliteAdapter implements SqlDatabase {
  readonly jsonEach = 'json_each(?)'
  readonly isAmong = isAmongRows
  readonly #database: SqliteLike

  constructor(database: SqliteLike) {
    this.#database = database
  }

  async define(tables: readonly Table[]): Promise<void> {
    for (const { sql } of tables) this.#database.exec(sql)
  }

  async query(statement: Statement): Promise<readonly SqlRow[]> {
    const { sql, values } = repeatValues(statement)
    return asRows(this.#database.prepare(sql).all(...values))
  }

  async write([guard, ...others]: readonly Statement[]): Promise<number> {
    const database = this.#database
    database.exec('begin immediate')
    try {
      const changed = guard ? runStatement(database, guard) : 0
      if (changed > 0) for (const each of others) runStatement(database, each)
      database.exec('commit')
      return changed
    } catch (error) {
      rollBack(database)
      throw error
    }
  }

  /** The database is its owner's to close. */
  async close(): Promise<void> {}
}

/** A database that the store opens at its first use, because only some runtimes have `node:sqlite`. */
class SqliteFile implements SqlDatabase {
  readonly jsonEach = 'json_each(?)'
  readonly isAmong = isAmongRows
  readonly #path: string
  #opened: Promise<{ readonly database: SqliteLike; readonly adapter: SqliteAdapter }> | undefined

  constructor(path: string) {
    this.#path = path
  }

  async define(tables: readonly Table[]): Promise<void> {
    await (await this.#open()).adapter.define(tables)
  }

  async query(statement: Statement): Promise<readonly SqlRow[]> {
    return (await this.#open()).adapter.query(statement)
  }

  async write(statements: readonly Statement[]): Promise<number> {
    return (await this.#open()).adapter.write(statements)
  }

  async close(): Promise<void> {
    // A file that could not be opened has nothing to close.
    const opened = await this.#opened?.catch(() => undefined)
    this.#opened = undefined
    opened?.database.close()
  }

  #open() {
    this.#opened ??= openFile(this.#path).catch((error: unknown) => {
      // The next use tries again, such as after a folder was created or a disk was mounted.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }
}

async function openFile(path: string) {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path)
  try {
    database.exec(`pragma busy_timeout = ${maxWaitMs}; pragma journal_mode = wal; pragma synchronous = full`)
  } catch (error) {
    database.close()
    throw error
  }
  return { database, adapter: new SqliteAdapter(database) }
}

/** A failure such as that of a full disk ends the transaction itself. A failing `rollback` would hide it. */
function rollBack(database: SqliteLike): void {
  try {
    database.exec('rollback')
  } catch {}
}

function runStatement(database: SqliteLike, statement: Statement): number {
  const { sql, values } = repeatValues(statement)
  return Number(database.prepare(sql).run(...values).changes)
}

/** Writes `?` for each `?1`, `?2` …, which some libraries take for names, and repeats the values in this order. */
function repeatValues({ sql, values }: Statement): Statement {
  const repeated: SqlValue[] = []
  const plain = sql.replace(/\?(\d+)/g, (_, number) => {
    repeated.push(values[Number(number) - 1] ?? null)
    return '?'
  })
  return { sql: plain, values: repeated }
}

/** Every SQLite library returns rows as objects by the names of their columns. */
function asRows(rows: readonly unknown[]): readonly SqlRow[] {
  return rows as readonly SqlRow[]
}
