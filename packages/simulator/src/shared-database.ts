/**
 * One database in memory that several processes use. Transactions run one after another. A commit is a point at which a
 * process can crash: before it, so that nothing happened, or after it, so that the process never learns of it. The
 * connection of a process can break too: then it learns that it has no answer, and goes on.
 */

import type { SQLInputValue } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { ConnectionLost, createUnanswered, DiskFull } from './database-errors.ts'
import { MemoryDatabase } from './memory-database.ts'
import { type Owner, outside, type Scheduler } from './scheduler.ts'

/** What becomes of a commit whose answer is lost: nothing, or it takes effect at once or a little later. */
export const lostAnswers = ['undone', 'done', 'late'] as const
export type LostAnswer = (typeof lostAnswers)[number]

/** A process that uses the database. */
export interface DatabaseUser extends Owner {
  /** Decides at each commit whether the process crashes before or after it. */
  drawCommitFate(): 'before' | 'after' | undefined
  /** Decides at each commit whether its connection breaks, and what becomes of the commit. */
  drawLostAnswer(): LostAnswer | undefined
  /** Decides at each other statement whether its connection breaks. */
  drawLostStatement(): boolean
  crash(): void
}

/** A transaction, or a single statement. */
export interface Transaction {
  /** Undefined for a commit that takes effect although its process has got no answer. */
  readonly user: DatabaseUser | undefined
  /** What it has written so far. */
  readonly writes: CompiledQuery[]
}

/** What a crashed process waits for. Each time another promise, because a promise keeps all who wait for it. */
const waitForever = () => new Promise<never>(() => {})
const maxCommitMs = 4
const maxLateMs = 400

export class SharedDatabase {
  #database: MemoryDatabase
  readonly #scheduler: Scheduler
  /** The transaction that runs. */
  #current: Transaction | undefined
  readonly #waiting: { readonly user: DatabaseUser; readonly enter: () => void }[] = []
  #isGrown = false
  /** Whether the disk is full: what takes space fails at once outside transactions, and at the commit in them. */
  isFull = false
  /** How far its clock is ahead of the world's, in milliseconds. */
  aheadMs = 0
  readonly #listeners: (() => void)[] = []

  /** `contents` is a database that `copy` returned. */
  constructor(scheduler: Scheduler, contents?: Uint8Array) {
    this.#scheduler = scheduler
    this.#database = new MemoryDatabase(contents)
  }

  /** The time by its clock, in epoch milliseconds. */
  get time(): number {
    return this.#scheduler.worldTime + this.aheadMs
  }

  /** Calls `listener` after each commit. */
  onCommit(listener: () => void) {
    this.#listeners.push(listener)
  }

  /** Copies the whole database, between two transactions. */
  async copy(user: DatabaseUser): Promise<Uint8Array> {
    const transaction = await this.#enter(user)
    if (this.#current !== transaction) return waitForever()
    const copy = this.#database.copy()
    this.#leave()
    return copy
  }

  /** Replaces everything by an older copy. No process may use the database. */
  restore(copy: Uint8Array) {
    if (this.#current) this.#leave()
    this.close()
    this.#database = new MemoryDatabase(copy)
  }

  /** Reads rows for the judge, past every process. */
  read(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).statement.all(...values)
  }

  /** Changes rows past every process. For planted faults. */
  write(sql: string, ...values: SQLInputValue[]) {
    this.#database.prepare(sql).statement.run(...values)
  }

  close() {
    this.#database.close()
  }

  /** Rolls back what a crashed process had begun. */
  abandon(user: DatabaseUser) {
    if (this.#current?.user !== user) return
    if (this.#database.isInTransaction) this.#database.exec('rollback')
    this.#leave()
  }

  async begin(user: DatabaseUser): Promise<Transaction> {
    const transaction = await this.#enter(user)
    if (this.#current !== transaction) return waitForever()
    this.#database.exec('begin immediate')
    this.#isGrown = false
    return transaction
  }

  /** Ends a transaction. One whose connection has broken is over already: it cannot be committed. */
  async end(user: DatabaseUser, transaction: Transaction, how: 'commit' | 'rollback'): Promise<void> {
    const isOver = this.#current !== transaction
    if (isOver && how === 'rollback') return
    if (isOver) throw new ConnectionLost('The connection broke before the commit.')
    if (how === 'commit' && this.isFull && this.#isGrown) throw new DiskFull()
    const fate = how === 'commit' ? user.drawCommitFate() : undefined
    if (fate === 'before') return crashNow(user)
    const lost = how === 'commit' ? user.drawLostAnswer() : undefined
    if (lost === undefined) this.#endTransaction(how)
    else this.#endUnanswered(user, transaction, lost)
    if (fate === 'after') return crashNow(user)
    if (lost !== undefined) throw createUnanswered()
    if (how === 'commit') await this.#scheduler.sleep(user.random.integer(0, maxCommitMs))
  }

  async execute(
    user: DatabaseUser,
    query: CompiledQuery,
    transaction: Transaction | undefined,
  ): Promise<QueryResult<never>> {
    if (!user.isAlive) return waitForever()
    if (transaction) return this.#executeInside(user, query, transaction)
    return this.#database.prepare(query.sql).isWrite ? this.#write(user, query) : this.#read(user, query)
  }

  /** Reads outside of transactions. A commit that is late is not waited for, and not seen yet. */
  async #read(user: DatabaseUser, query: CompiledQuery): Promise<QueryResult<never>> {
    const isLate = this.#current !== undefined && this.#current.user === undefined
    const turn = isLate ? this.#current : await this.#enter(user)
    if (this.#current !== turn) return waitForever()
    try {
      if (user.drawLostStatement()) throw new ConnectionLost('The connection broke before a read.')
      return this.#database.run(query)
    } finally {
      if (!isLate) this.#leave()
    }
  }

  /** Writes with one statement, which is a transaction of its own. */
  async #write(user: DatabaseUser, query: CompiledQuery): Promise<QueryResult<never>> {
    const transaction = await this.#enter(user)
    if (this.#current !== transaction) return waitForever()
    if (this.isFull && this.#database.prepare(query.sql).isGrowing) {
      this.#leave()
      throw new DiskFull()
    }
    const fate = user.drawCommitFate()
    if (fate === 'before') return crashNow(user)
    const lost = user.drawLostAnswer()
    this.#database.exec('begin immediate')
    let result: QueryResult<never>
    try {
      result = this.#database.run(query)
    } catch (error) {
      this.#endTransaction('rollback')
      throw error
    }
    transaction.writes.push(query)
    if (lost === undefined) this.#endTransaction('commit')
    else this.#endUnanswered(user, transaction, lost)
    if (fate === 'after') return crashNow(user)
    if (lost !== undefined) throw createUnanswered()
    return result
  }

  #executeInside(user: DatabaseUser, query: CompiledQuery, transaction: Transaction): QueryResult<never> {
    // The statements of a transaction may be sent at once. None of them runs after the connection has broken.
    if (this.#current !== transaction) throw new ConnectionLost('The connection has broken before.')
    if (user.drawLostStatement()) {
      this.#finishLater(user, [])
      throw new ConnectionLost('The connection broke in a transaction.')
    }
    const { isWrite, isGrowing } = this.#database.prepare(query.sql)
    const result = this.#database.run(query)
    if (isWrite) transaction.writes.push(query)
    if (isGrowing) this.#isGrown = true
    return result
  }

  #endTransaction(how: 'commit' | 'rollback') {
    this.#database.exec(how)
    if (how === 'commit') this.#tellCommit()
    this.#leave()
  }

  #tellCommit() {
    for (const listener of this.#listeners) listener()
  }

  /** Ends a transaction whose process gets no answer. */
  #endUnanswered(user: DatabaseUser, { writes }: Transaction, lost: LostAnswer) {
    if (lost === 'late') this.#finishLater(user, writes)
    else this.#endTransaction(lost === 'done' ? 'commit' : 'rollback')
  }

  /**
   * Ends a transaction whose connection has broken a little later. Until then it keeps others from writing, as its locks
   * would, and reads go on without what it writes.
   */
  #finishLater({ random }: DatabaseUser, writes: readonly CompiledQuery[]) {
    this.#database.exec('rollback')
    const late: Transaction = { user: undefined, writes: [...writes] }
    this.#current = late
    const finish = () => {
      // A restore has ended it.
      if (this.#current !== late) return
      this.#database.exec('begin immediate')
      for (const query of writes) this.#database.run(query)
      this.#endTransaction(writes.length > 0 ? 'commit' : 'rollback')
    }
    this.#scheduler.runAs(outside, () => this.#scheduler.setTimer(finish, random.integer(0, maxLateMs)))
  }

  /**
   * Waits for a turn. A process may crash between the moment at which it gets the turn and that at which it learns of it:
   * then the turn is another's.
   */
  async #enter(user: DatabaseUser): Promise<Transaction> {
    if (!user.isAlive) return waitForever()
    while (this.#current) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push({ user, enter: resolve })
      await promise
      if (!user.isAlive) {
        this.#wakeNext()
        return waitForever()
      }
    }
    const transaction: Transaction = { user, writes: [] }
    this.#current = transaction
    return transaction
  }

  #leave() {
    this.#current = undefined
    this.#wakeNext()
  }

  #wakeNext() {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.user.isAlive) continue
      next.enter()
      return
    }
  }
}

function crashNow(user: DatabaseUser): Promise<never> {
  user.crash()
  return waitForever()
}
