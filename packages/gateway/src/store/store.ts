import type { Compilable, Expression, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/**
 * The database with what differs between the two kinds: locks that last as long as their holder lives, and how
 * long they may be waited for.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Db
  /** Rows per writing transaction: few enough that an embedded store does not hold up the loop. */
  readonly batchRows: number
  readonly bulk: Bulk
  readonly locking: Locking
  /** One transaction of statements that are all known before it begins: they travel with its end. */
  atOnce(statements: readonly Compilable[]): Promise<void>
  /**
   * Runs `work` while this process alone holds the named lock; answers undefined where it is held elsewhere and
   * does not come free within `waitMs`. The lock ends with the connection, not with a clock; `lost` tells when it did
   * although `work` goes on.
   */
  withLock<T>(name: string, waitMs: number, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>
  /** Tells every process, this one included, that something under `topic` changed. */
  announce(topic: Topic): void
  /** Calls `heard` on each announcement, own and foreign; a missed one is made good by polling. */
  listen(heard: (topic: Topic) => void): void
  close(): Promise<void>
}

/** Ends of a select, where several processes write: the embedded store has one writer and needs none. */
export interface Locking {
  /** Locks the rows found. Whoever locks several does so in the order of their keys. */
  readonly forUpdate: RawBuilder<unknown>
  /** Locks the rows found and leaves out those that others have locked. */
  readonly skipLocked: RawBuilder<unknown>
}

/** Long lists and many rows as one parameter: thousands of them take longer to build and to parse than to be used. */
export interface Bulk {
  /** A list to compare with: `where('sku', 'in', bulk.texts(skus))`. */
  texts(values: readonly string[]): RawBuilder<string>
  /**
   * Rows to write: `insertInto(table).columns(columns).expression(bulk.rows(table, columns, rows))`; or, in brackets
   * and under a name, rows to join with.
   */
  rows<Name extends keyof Tables & string>(
    table: Name,
    columns: readonly (keyof Tables[Name] & string)[],
    rows: readonly Partial<Tables[Name]>[],
  ): Expression<unknown>
}

export const topics = ['stock', 'reference', 'access', 'events', 'deliveries'] as const
export type Topic = (typeof topics)[number]

/** Rows per statement and transaction: small enough that nothing blocks for more than a few milliseconds. */
export const batchRows = 500

/** The store holds something that this process cannot work with; the message says what to do. */
export class StoreUnusable extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** The rows that statements answer, each in its place. */
type Answers<T extends readonly Compilable<unknown>[]> = {
  -readonly [Index in keyof T]: T[Index] extends Compilable<infer Row> ? Row[] : never
}

/**
 * Statements of one transaction that do not wait for one another: they travel together and run in their order. Fails
 * with the first that fails, and only when all have ended, so that none comes after the end of the transaction.
 */
export async function together<const T extends readonly Compilable<unknown>[]>(
  tx: Tx,
  statements: T,
): Promise<Answers<T>> {
  const answers = await tx.getExecutor().provideConnection(async (connection) => {
    const sent = statements.map((statement) => connection.executeQuery(statement.compile()))
    await Promise.allSettled(sent)
    return Promise.all(sent)
  })
  // The cast holds: each statement answers rows of its own kind.
  return answers.map(({ rows }) => rows) as Answers<T>
}
