/**
 * One database in memory that several processes use. Transactions run one after another. A commit is a point at which a
 * process can crash: before it, so that nothing happened, or after it, so that the process never learns of it.
 */

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Owner, Scheduler } from './scheduler.ts'

/** A process that uses the database. */
export interface DatabaseUser extends Owner {
  /** Decides at each commit whether the process crashes before or after it. */
  drawCommitFate(): 'before' | 'after' | undefined
  crash(): void
}

interface Prepared {
  readonly statement: StatementSync
  /** Whether it returns rows. */
  readonly isReader: boolean
  readonly isWrite: boolean
  /** Whether it takes space on the disk. */
  readonly isGrowing: boolean
}

/** What a crashed process waits for. Each time another promise, because a promise keeps all who wait for it. */
const waitForever = () => new Promise<never>(() => {})
const maxCommitMs = 4

/** The error of a full disk, as `node:sqlite` reports it. */
class DiskFull extends Error {
  readonly errcode = 13
}

export class SharedDatabase {
  #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  readonly #scheduler: Scheduler
  #holder: DatabaseUser | undefined
  readonly #waiting: { readonly user: DatabaseUser; readonly enter: () => void }[] = []
  #isGrown = false
  /** Whether the disk is full: what takes space fails at once outside transactions, and at the commit in them. */
  isFull = false
  /** Called after each commit. For planted faults. */
  afterCommit: () => void = () => {}

  /** `contents` is a database that `copy` returned. */
  constructor(scheduler: Scheduler, contents?: Uint8Array) {
    this.#scheduler = scheduler
    this.#database = openDatabase(contents)
  }

  /** Copies the whole database, between two transactions. */
  async copy(user: DatabaseUser): Promise<Uint8Array> {
    await this.#enter(user)
    const copy = this.#database.serialize()
    this.#leave()
    return copy
  }

  /** Replaces everything by an older copy. No process may use the database. */
  restore(copy: Uint8Array) {
    this.close()
    this.#database = openDatabase(copy)
  }

  /** Reads rows for the judge, past every process. */
  read(sql: string): Record<string, unknown>[] {
    return this.#prepare(sql).statement.all()
  }

  /** Changes rows past every process. For planted faults. */
  write(sql: string, ...values: SQLInputValue[]) {
    this.#prepare(sql).statement.run(...values)
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
    this.#isGrown = false
  }

  async end(user: DatabaseUser, how: 'commit' | 'rollback'): Promise<void> {
    const fate = how === 'commit' ? user.drawCommitFate() : undefined
    if (fate === 'before') return crashNow(user)
    if (how === 'commit' && this.isFull && this.#isGrown) throw new DiskFull('database or disk is full')
    this.#database.exec(how)
    if (how === 'commit') this.afterCommit()
    this.#leave()
    if (fate === 'after') return crashNow(user)
    if (how === 'commit') await this.#scheduler.sleep(user.random.integer(0, maxCommitMs))
  }

  async execute(user: DatabaseUser, query: CompiledQuery, isInside: boolean): Promise<QueryResult<never>> {
    if (!user.isAlive) return waitForever()
    if (isInside) return this.#run(query)
    await this.#enter(user)
    const prepared = this.#prepare(query.sql)
    const fate = prepared.isWrite ? user.drawCommitFate() : undefined
    if (fate === 'before') return crashNow(user)
    let result: QueryResult<never>
    try {
      if (this.isFull && prepared.isGrowing) throw new DiskFull('database or disk is full')
      result = this.#run(query)
      if (prepared.isWrite) this.afterCommit()
    } finally {
      this.#leave()
    }
    return fate === 'after' ? crashNow(user) : result
  }

  #run(query: CompiledQuery): QueryResult<never> {
    const { statement, isReader, isGrowing } = this.#prepare(query.sql)
    if (isGrowing) this.#isGrown = true
    // The gateway's queries bind only values that SQLite stores.
    const values = query.parameters as SQLInputValue[]
    if (isReader) return { rows: statement.all(...values) as never[] }
    const { changes } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }

  async #enter(user: DatabaseUser): Promise<void> {
    if (!user.isAlive) return waitForever()
    while (this.#holder) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push({ user, enter: resolve })
      await promise
      if (!user.isAlive) {
        this.#wakeNext()
        return waitForever()
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

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = {
      statement,
      isReader: statement.columns().length > 0,
      isWrite: !/^\s*(select|with|pragma)/i.test(sql),
      isGrowing: /^\s*(insert|update)/i.test(sql),
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

function openDatabase(contents?: Uint8Array): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  if (contents) database.deserialize(contents)
  database.exec('pragma foreign_keys = on')
  return database
}

function crashNow(user: DatabaseUser): Promise<never> {
  user.crash()
  return waitForever()
}
