/**
 * One database in memory that several processes use. Transactions run one after another. A commit is a point at which a
 * process can crash: before it, so that nothing happened, or after it, so that the process never learns of it.
 */

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Owner, Scheduler } from './scheduler.ts'

/** A process that uses the database. */
export interface DatabaseUser extends Owner {
  /** Decides at each commit whether the process crashes before or after it. */
  drawCommitFate(): 'before' | 'after' | undefined
  crash(): void
}

const never = new Promise<never>(() => {})
const maxCommitMs = 4

/** The error of a full disk, as `node:sqlite` reports it. */
class DiskFull extends Error {
  readonly errcode = 13
}

export class SharedDatabase {
  readonly #database = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()
  readonly #scheduler: Scheduler
  #holder: DatabaseUser | undefined
  readonly #waiting: { readonly user: DatabaseUser; readonly enter: () => void }[] = []
  isFull = false

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
    this.#database.exec('pragma foreign_keys = on')
  }

  /** The dialect of Kysely with which a process uses the database. */
  createDialect(user: DatabaseUser) {
    return {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SharedDriver(this, user),
      createIntrospector: (db: ConstructorParameters<typeof SqliteIntrospector>[0]) =>
        new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    }
  }

  /** Reads rows for the judge, past every process. */
  read(sql: string): Record<string, unknown>[] {
    return this.#prepare(sql).all()
  }

  close() {
    this.#statements.clear()
    this.#database.close()
  }

  /** Rolls back what a crashed process had begun. */
  abandon(user: DatabaseUser) {
    if (this.#holder !== user) return
    if (this.#database.isTransaction) this.#database.exec('rollback')
    this.#leave()
  }

  async begin(user: DatabaseUser): Promise<void> {
    await this.#enter(user)
    this.#database.exec('begin immediate')
  }

  async end(user: DatabaseUser, how: 'commit' | 'rollback'): Promise<void> {
    const fate = how === 'commit' ? user.drawCommitFate() : undefined
    if (fate === 'before') return crashNow(user)
    this.#database.exec(how)
    this.#leave()
    if (fate === 'after') return crashNow(user)
    if (how === 'commit') await this.#scheduler.sleep(user.random.integer(0, maxCommitMs))
  }

  async execute(user: DatabaseUser, query: CompiledQuery, isInside: boolean): Promise<QueryResult<never>> {
    if (!user.isAlive) return never
    if (isInside) return this.#run(query)
    await this.#enter(user)
    const isWrite = !/^\s*select/i.test(query.sql)
    const fate = isWrite ? user.drawCommitFate() : undefined
    if (fate === 'before') return crashNow(user)
    try {
      return this.#run(query)
    } finally {
      this.#leave()
      if (fate === 'after') user.crash()
    }
  }

  #run(query: CompiledQuery): QueryResult<never> {
    const statement = this.#prepare(query.sql)
    // The gateway's queries bind only values that SQLite stores.
    const values = query.parameters as SQLInputValue[]
    const isReader = statement.columns().length > 0
    if (this.isFull && !/^\s*(select|delete)/i.test(query.sql)) throw new DiskFull('database or disk is full')
    if (isReader) return { rows: statement.all(...values) as never[] }
    const { changes } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }

  async #enter(user: DatabaseUser): Promise<void> {
    if (!user.isAlive) return never
    while (this.#holder) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push({ user, enter: resolve })
      await promise
      if (!user.isAlive) {
        this.#wakeNext()
        return never
      }
    }
    this.#holder = user
  }

  #leave() {
    this.#holder = undefined
    this.#wakeNext()
  }

  #wakeNext() {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.user.isAlive) continue
      next.enter()
      return
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function crashNow(user: DatabaseUser): Promise<never> {
  user.crash()
  return never
}

class SharedConnection implements DatabaseConnection {
  readonly #database: SharedDatabase
  readonly #user: DatabaseUser
  isInside = false

  constructor(database: SharedDatabase, user: DatabaseUser) {
    this.#database = database
    this.#user = user
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#database.execute(this.#user, query, this.isInside)
  }

  // biome-ignore lint/correctness/useYield: SQLite's driver has no streams either.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('The simulated database streams nothing.')
  }

  async begin() {
    await this.#database.begin(this.#user)
    this.isInside = true
  }

  async end(how: 'commit' | 'rollback') {
    if (!this.#user.isAlive) return never
    this.isInside = false
    return this.#database.end(this.#user, how)
  }
}

class SharedDriver implements Driver {
  readonly #create: () => SharedConnection

  constructor(database: SharedDatabase, user: DatabaseUser) {
    this.#create = () => new SharedConnection(database, user)
  }

  async init() {}

  async acquireConnection() {
    return this.#create()
  }

  beginTransaction(connection: SharedConnection) {
    return connection.begin()
  }

  commitTransaction(connection: SharedConnection) {
    return connection.end('commit')
  }

  rollbackTransaction(connection: SharedConnection) {
    return connection.end('rollback')
  }

  async releaseConnection() {}

  async destroy() {}
}
