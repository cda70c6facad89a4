import { Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import { Announcer } from './announcer.ts'
import { InProcessLocks } from './in-process-locks.ts'
import { PipelinedDialect, PreparingPool } from './pipelined.ts'
import { type Bulk, batchRows, type Locking, type Store, StoreUnusable } from './store.ts'
import type { Tables } from './tables.ts'

const mostConnections = 16
const connectTimeoutMs = 5_000
const statementTimeoutMs = 30_000
/** A process that stands still in a transaction holds up the others no longer: its locks end, and its work with them. */
const idleInTransactionMs = 5_000
/** A statement that the database neither answers nor gives up means that the connection is gone. */
const silenceMs = 35_000
/**
 * Every join here looks a few hundred rows up by their keys. With statistics that lag behind a burst, or were never
 * made, PostgreSQL would rather read the whole table, once for each batch.
 */
const planning = '-c enable_hashjoin=off -c enable_mergejoin=off'
const lockPollMs = 20
/** A question about a lock that is not answered means that the connection, and with it every lock, is gone. */
const lockAnswerMs = 10_000
const int8 = 20
const configurationExit = 78

/**
 * The production store: PostgreSQL through `pg`. Locks are advisory session locks, which end when
 * the process or its connection dies; waking is LISTEN/NOTIFY, with polling as the truth.
 */
export async function openPostgres(url: string, log: Log): Promise<Store> {
  const common = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    types: { getTypeParser: parserOf },
  }
  const pool = new pg.Pool({
    ...common,
    max: mostConnections,
    options: planning,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: silenceMs,
    keepAlive: true,
    pipeline: true,
  })
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection broke'))
  // The pool listens to idle connections only; one that breaks in use is told to whoever uses it.
  pool.on('connect', (client) => client.on('error', () => {}))
  await pool.query('select 1').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnusable(`DATABASE_URL: the database does not answer: ${why}`, configurationExit, cause)
  })

  const locks = new InProcessLocks()
  const sessionLocks = new SessionLocks(common, log)
  const pipelines = new PreparingPool(pool)
  const db = new Kysely<Tables>({ dialect: new PipelinedDialect(pipelines) })
  const announcer = new Announcer(common, pool, log)
  return {
    kind: 'postgres',
    db,
    batchRows,
    bulk,
    locking,
    atOnce: (statements) => pipelines.atOnce(statements.map((statement) => statement.compile())),
    withLock: (name, waitMs, work) => locks.hold(name, waitMs, () => sessionLocks.hold(name, waitMs, work)),
    announce: (topic) => announcer.announce(topic),
    listen: (heard) => announcer.listen(heard),
    async close() {
      await announcer.stop()
      await sessionLocks.close()
      await db.destroy()
    },
  }
}

const locking: Locking = {
  forUpdate: sql`for update`,
  skipLocked: sql`for update skip locked`,
}

const bulk: Bulk = {
  texts: (values) => sql`(select unnest(${values}::text[]))`,
  rows: (table, columns, rows) => {
    const fields = sql.join(columns.map((column) => sql.ref(column)))
    return sql`select ${fields} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`
  },
}

/** Eight-byte integers as numbers; what does not fit exactly is a fault, not a rounding. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid !== int8) return pg.types.getTypeParser(oid, format ?? 'text')
  return (text: string) => {
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer.`)
    return value
  }
}

/**
 * All session locks of this process on one connection: the database ends them when the process or the connection
 * dies. Inside the process the same name is serialised before it comes here, so the session never re-enters one.
 */
class SessionLocks {
  readonly #config: pg.ClientConfig
  readonly #log: Log
  #client: Promise<pg.Client> | undefined
  /** Of the present connection: aborted when it ends, and every lock with it. */
  #lost = new AbortController()

  constructor(config: pg.ClientConfig, log: Log) {
    this.#config = config
    this.#log = log
  }

  async hold<T>(
    name: string,
    waitMs: number,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    if (!(await this.#acquired(name, waitMs))) return undefined
    try {
      return await work(this.#lost.signal)
    } finally {
      // Nobody waits for it: whoever asks for the same lock next asks after it, on the same connection.
      void this.#ask('select pg_advisory_unlock(hashtextextended($1, 0)) as yes', name).catch(
        (error: unknown) => {
          this.#log.warn({ error, subject: name }, 'a lock ended with its connection')
        },
      )
    }
  }

  async #acquired(name: string, waitMs: number): Promise<boolean> {
    for (let waited = 0; ; waited += lockPollMs) {
      if (await this.#ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as yes', name)) return true
      if (waited >= waitMs) return false
      await new Promise((resolve) => setTimeout(resolve, lockPollMs))
    }
  }

  /** A connection answers in the order of the questions. */
  async #ask(sql: string, name: string): Promise<boolean> {
    const client = await this.#connected()
    const { rows } = await client.query<{ yes: boolean }>(sql, [name]).catch((error: unknown) => {
      this.#client = undefined
      client.end().catch(() => {})
      throw error
    })
    return rows[0]?.yes === true
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.#config,
      keepAlive: true,
      pipeline: true,
      query_timeout: lockAnswerMs,
    })
    const lost = new AbortController()
    client.on('error', () => client.end().catch(() => {}))
    client.once('end', () => {
      this.#client = undefined
      lost.abort()
    })
    await client.connect()
    this.#lost = lost
    return client
  }

  async close() {
    const client = await this.#client?.catch(() => undefined)
    await client?.end().catch(() => {})
  }
}
