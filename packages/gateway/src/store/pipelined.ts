/**
 * Sends statements to PostgreSQL pipelined and prepared. PostgreSQL parses a statement only once per connection. A
 * statement does not wait for the results of earlier ones unless the code awaits them. Statements of one turn of the
 * event loop leave in one packet. `begin` travels with the first statement of a transaction; if `begin` fails, so do
 * all statements after it.
 */

import {
  type CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { systemClock } from '../kernel/clock.ts'
import { ConnectionWaits } from './connection-waits.ts'
import type { Patience } from './patience.ts'
import { CommitUnanswered, DatabaseSilent } from './trouble.ts'

export class PipelinedDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(pool: PreparingPool) {
    const config = { pool }
    super(config)
    this.#config = config
  }

  override createDriver() {
    return new PipelinedDriver(this.#config)
  }
}

class PipelinedDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    super.beginTransaction(connection, settings).catch(() => {})
  }

  /** A rollback fails if the connection is gone, and the transaction with it. The caller needs the original error. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]) {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

/** While every write is refused, each would otherwise open all connections anew. */
export const minRetireMs = 1_000

/** Adapts a pool of `pg` to the interface that Kysely expects. Its clients prepare their statements. */
export class PreparingPool implements PostgresPool {
  readonly options = {}
  readonly #pool: pg.Pool
  readonly #clients = new WeakMap<pg.PoolClient, PreparingClient>()
  readonly #names = new Names()
  readonly waits = new ConnectionWaits()
  readonly #onError: (error: unknown) => void
  readonly #findPatience: () => Patience | undefined
  /** Connections that were opened before are closed instead of used. */
  #retiredAt = Number.NEGATIVE_INFINITY

  /** `findPatience` returns the limit of the request that runs. Without it, each wait has the limits of the pool. */
  constructor(
    pool: pg.Pool,
    onError: (error: unknown) => void = () => {},
    findPatience: () => Patience | undefined = () => undefined,
  ) {
    this.#pool = pool
    this.#onError = onError
    this.#findPatience = findPatience
  }

  async connect(): Promise<PreparingClient> {
    const patience = this.#findPatience()
    if (patience?.leftMs === 0) throw new DatabaseSilent()
    const connecting = this.#take()
    const wait = this.waits.add(patience ? patience.settle(connecting) : connecting)
    const client = await wait.catch((error: unknown) => {
      if (error instanceof DatabaseSilent) void releaseLate(connecting)
      this.#onError(error)
      throw error
    })
    client.patience = patience
    return client
  }

  /** Takes a connection that is not retired. It closes each that is, so every further attempt meets one fewer. */
  async #take(): Promise<PreparingClient> {
    const client = await this.#pool.connect()
    const preparing = this.#clients.get(client) ?? new PreparingClient(client, this.#names, this.#onError)
    this.#clients.set(client, preparing)
    if (preparing.usedSince > this.#retiredAt) return preparing
    preparing.release(true)
    return this.#take()
  }

  /**
   * Retires the connections that are open, because their server takes no writes any more: a connection to a standby
   * stays read-only and responds to reads, so that its pool would keep it. At most once in `minRetireMs`.
   */
  retire() {
    const now = systemClock.monotonic()
    if (now - this.#retiredAt >= minRetireMs) this.#retiredAt = now
  }

  end() {
    return this.#pool.end()
  }

  /**
   * Runs one transaction in one packet and returns how many rows each statement changed. If one fails, `commit` rolls
   * back.
   */
  async executeAtOnce(queries: readonly CompiledQuery[]): Promise<number[]> {
    const client = await this.connect()
    try {
      const executions = [
        client.query('begin', []),
        ...queries.map(({ sql, parameters }) => client.query(sql, parameters)),
        client.query('commit', []),
      ]
      await requireCommitAnswered(executions)
      const [, ...results] = await Promise.all(executions)
      return results.slice(0, -1).map(({ rowCount }) => rowCount)
    } finally {
      client.release()
    }
  }
}

/** Returns a connection to the pool that is available only after its user has stopped waiting. */
async function releaseLate(connecting: Promise<PreparingClient>): Promise<void> {
  const client = await connecting.catch(() => undefined)
  client?.release()
}

/**
 * The shortest time that a commit gets, even if its request has no time left: a commit without a response leaves open
 * whether it took effect.
 */
const minCommitMs = 500

/**
 * Waits for all statements of a transaction. Throws `CommitUnanswered` if its last one, the commit, has no response.
 * A statement that the database itself refused rolls the transaction back, whatever the connection does then.
 */
async function requireCommitAnswered(answers: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(answers)
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  if (failures.some((failure) => failure instanceof pg.DatabaseError)) return
  const unanswered = failures.find((failure) => failure instanceof CommitUnanswered)
  if (unanswered) throw unanswered
}

/** Matches statements that change rows; outside a transaction, each of them commits. */
const changing = /^(?:insert|update|delete) |^with .*\b(?:insert into|update|delete from) "/is

const maxPrepared = 500

/**
 * The names of the first `maxPrepared` statements; later ones are not prepared. A statement that selects all columns is
 * not prepared either: PostgreSQL refuses to run it again on that connection once a newer gateway has added a column.
 */
class Names {
  readonly #names = new Map<string, string>()

  of(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= maxPrepared || sql.includes('*')) return known
    const name = `tg${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }
}

/** A statement as a query object of the driver, because the driver copies every other form, which takes longer. */
class Statement extends pg.Query {
  readonly name: string | undefined
  /** Takes precedence over the connection's own timeout; the driver defines the name. */
  readonly query_timeout: number | undefined

  constructor(
    { name, limitMs }: { readonly name: string | undefined; readonly limitMs: number | undefined },
    ...query: ConstructorParameters<typeof pg.Query>
  ) {
    super(...query)
    this.name = name
    this.query_timeout = limitMs
  }
}

class PreparingClient implements PostgresPoolClient {
  /** The limit of the request that uses this connection. */
  patience: Patience | undefined
  readonly usedSince = systemClock.monotonic()
  readonly #client: pg.PoolClient
  readonly #names: Names
  readonly #onError: (error: unknown) => void
  #isCorked = false
  #isInTransaction = false
  /** Whether a transaction has begun and the database has not confirmed its end. */
  #isUnended = false

  constructor(client: pg.PoolClient, names: Names, onError: (error: unknown) => void) {
    this.#client = client
    this.#onError = onError
    this.#names = names
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  query<R>(sql = '', parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    const { patience } = this
    const isCommit = sql === 'commit'
    // A commit is sent only if everything before it was; the time limit of the request may have ended in between.
    const limitMs = patience && Math.max(patience.leftMs, isCommit ? minCommitMs : 0)
    if (limitMs === 0) return Promise.reject(new DatabaseSilent())
    this.#collectWrites()
    const commits = this.#trackTransaction(sql)
    patience?.count()
    return new Promise((resolve, reject) => {
      const name = parameters.length > 0 ? this.#names.of(sql) : undefined
      const statement = new Statement({ name, limitMs }, sql, [...parameters], (error, result) => {
        patience?.end(error)
        if (error) {
          this.#onError(error)
          return reject(commits && !(error instanceof pg.DatabaseError) ? new CommitUnanswered(error) : error)
        }
        if (isCommit || sql === 'rollback') this.#isUnended = false
        resolve(result as unknown as PostgresQueryResult<R>)
      })
      this.#client.query(statement)
    })
  }

  /** Records where a transaction begins and ends. Returns whether the statement commits something. */
  #trackTransaction(sql: string): boolean {
    const begins = sql === 'begin' || sql.startsWith('start transaction')
    if (begins) this.#isUnended = true
    if (begins) this.#isInTransaction = true
    else if (sql === 'commit' || sql === 'rollback') this.#isInTransaction = false
    else return !this.#isInTransaction && changing.test(sql)
    return sql === 'commit'
  }

  /** Collects all statements of this turn of the event loop, and sends them in one packet. */
  #collectWrites() {
    if (this.#isCorked) return
    const { stream } = this.#connection
    this.#isCorked = true
    stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }

  get #connection(): pg.Connection {
    return (this.#client as pg.PoolClient & { connection: pg.Connection }).connection
  }

  /**
   * Returns the connection to the pool. A connection whose transaction may still be open is closed instead, without
   * waiting for the database: its next user would otherwise continue that transaction.
   */
  release(destroy = false) {
    this.patience = undefined
    const mustClose = destroy || this.#isUnended
    if (mustClose) this.#connection.stream.destroy()
    this.#client.release(mustClose)
  }
}
