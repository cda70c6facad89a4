import type { Compilable, Expression, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Tables } from './tables.ts'
import type { StorageTrouble } from './trouble.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** The database, with everything that differs between SQLite and PostgreSQL. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** Whether other processes may use the database too. */
  readonly isShared: boolean
  readonly db: Db
  /**
   * The largest number of rows per writing transaction, so low that an embedded store does not block the event loop.
   */
  readonly batchRows: number
  readonly bulk: Bulk
  readonly locking: Locking
  readonly partitions: Partitions
  /**
   * Copies the database into a new file while it is in use. Undefined for a database that is no file of this process.
   */
  readonly copyInto: ((path: string) => Promise<FileCopy>) | undefined
  /**
   * Runs statements that are all known in advance as one transaction, in one round trip. Returns the number of rows
   * that each one changed.
   */
  executeAtOnce(statements: readonly Compilable[]): Promise<number[]>
  /**
   * Runs `work` while no other caller holds the named lock. Returns undefined if another holder does not free it within
   * `waitMs`. The lock ends with its connection and never by a timeout. `lost` is aborted if that happens during
   * `work`.
   */
  withLock<T>(name: string, waitMs: number, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>
  /**
   * Runs `work` if this process does the named job for all processes. Returns undefined if another process does it, if
   * `work` still runs, or if another process has taken over before `work` stored its result. A process keeps a job until
   * it ends; another one takes over within seconds.
   */
  withLease<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined>
  /**
   * Runs migrations while no other process does, without the time limits of a request. Calls `onWait` if another
   * process migrates.
   */
  withMigrationLock<T>(work: (db: Db) => Promise<T>, onWait: () => void): Promise<T>
  /**
   * Reads the clock of a database that several processes may use, in epoch milliseconds. Undefined for a database of
   * this process alone.
   */
  readonly readClock: (() => Promise<number>) | undefined
  /** Why writes are refused at the moment: the disk is full, or the database does not respond. */
  trouble(): StorageTrouble | undefined
  /** How long the request that has waited longest for a connection of the database has waited, in milliseconds. */
  connectionDelayMs(): number
  /** Announces to every process, including this one, that data of a topic has changed. */
  announce(topic: Topic): void
  /**
   * Calls `onAnnounced` on each announcement of any process. If an announcement is missed, polling finds the change
   * later.
   */
  listen(onAnnounced: (topic: Topic) => void): void
  /**
   * Returns this store with the time limits of background work. The store itself has the limits of a request, which is
   * refused once the database does not respond for two seconds.
   */
  forBackground(): Store
  close(): Promise<void>
}

/**
 * Locking clauses of a select for databases with several writers. They are empty for the embedded store, which has
 * one writer.
 */
export interface Locking {
  /** Locks the selected rows. To avoid deadlocks, several rows are locked in the order of their keys. */
  readonly forUpdate: RawBuilder<unknown>
  /** Locks the selected rows and skips rows that others have locked. */
  readonly skipLocked: RawBuilder<unknown>
}

/**
 * Passes long lists and many rows as one parameter. Building and parsing thousands of parameters takes longer than
 * using them.
 */
export interface Bulk {
  /** A list to compare with: `where('sku', 'in', bulk.texts(skus))`. */
  texts(values: readonly string[]): RawBuilder<string>
  /**
   * Rows to write: `insertInto(table).columns(columns).expression(bulk.rows(table, columns, rows))`. In brackets and
   * with an alias, the rows can be joined.
   */
  rows<Name extends keyof Tables & string>(
    table: Name,
    columns: readonly (keyof Tables[Name] & string)[],
    rows: readonly Partial<Tables[Name]>[],
  ): Expression<unknown>
}

export type DailyTable = 'requests' | 'request_counts'

/** Tables whose oldest days are removed as a whole. */
export interface Partitions {
  /** Runs `work`, which inserts rows of the UTC days of `times` (epoch milliseconds), after preparing the table for them. */
  insert<T>(table: DailyTable, times: readonly number[], work: () => Promise<T>): Promise<T>
  /** Removes the days that end at or before `at`. */
  dropBefore(table: DailyTable, at: number): Promise<void>
}

/** A copy of the database's file, as it was written to the disk. It is complete once its logs are applied. */
export interface FileCopy {
  readonly bytes: number
  /** Of the file without its logs, in hex. */
  readonly sha256: string
  /** The number of logs beside it (`file-copier.ts`). */
  readonly logs: number
}

/** The right to do a job for all processes (`leases.ts`). */
export interface Lease {
  /**
   * Throws `LeaseLost` if another process has taken over the job. The last statement of each transaction that stores
   * what the job read.
   */
  requireHeld(tx: Tx): Promise<void>
}

/** Thrown in a transaction of a job that another process has taken over. */
export class LeaseLost extends Error {}

export const topics = ['stock', 'reference', 'access', 'writes', 'events', 'deliveries'] as const
export type Topic = (typeof topics)[number]

/**
 * The largest number of rows per statement and transaction, so low that nothing blocks for more than a few
 * milliseconds.
 */
export const batchRows = 500

/** The exit code of a process that another one is in the way of (EX_TEMPFAIL of sysexits.h): it may start again. */
export const busyExit = 75

/** Thrown if this process cannot use the store; the message says what to do. */
export class StoreUnusable extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** The rows that each statement returns, in the order of the statements. */
type Results<T extends readonly Compilable<unknown>[]> = {
  -readonly [Index in keyof T]: T[Index] extends Compilable<infer Row> ? Row[] : never
}

/**
 * Runs statements of one transaction without waiting between them; the database keeps their order. Throws the first
 * error, but only once all statements have ended, so that none runs after the transaction.
 */
export async function executePipelined<const T extends readonly Compilable<unknown>[]>(
  tx: Tx,
  statements: T,
): Promise<Results<T>> {
  const results = await tx.getExecutor().provideConnection(async (connection) => {
    const sent = statements.map((statement) => connection.executeQuery(statement.compile()))
    await Promise.allSettled(sent)
    return Promise.all(sent)
  })
  // The cast holds because each statement returns rows of its own type.
  return results.map(({ rows }) => rows) as Results<T>
}

/** Runs the statements of a transaction one after another; returns how many rows each changed. */
export async function runInOrder(tx: Tx, statements: readonly Compilable[]): Promise<number[]> {
  const counts: number[] = []
  for (const statement of statements) {
    const { numAffectedRows = 0n } = await tx.executeQuery(statement)
    counts.push(Number(numAffectedRows))
  }
  return counts
}
