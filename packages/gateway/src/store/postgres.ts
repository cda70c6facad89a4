import { Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../kernel/log.ts'
import { Announcer } from './announcer.ts'
import { InProcessLocks } from './in-process-locks.ts'
import { Leases } from './leases.ts'
import { withMigrationTurn } from './migration-turn.ts'
import { createPartitions } from './partitions.ts'
import { findPatience, maxRequestSilenceMs, withoutPatience } from './patience.ts'
import { PipelinedDialect, PreparingPool } from './pipelined.ts'
import { isPooled, type Session } from './pooler.ts'
import { readPostgresUrl } from './postgres-url.ts'
import { writeProbe } from './probe.ts'
import { RequestLocks } from './request-locks.ts'
import { SessionLocks } from './session-locks.ts'
import { type SessionSettings, withSettings } from './session-settings.ts'
import { type Bulk, batchRows, type Locking, type Store, StoreUnusable } from './store.ts'
import type { Tables } from './tables.ts'
import { findStorageTrouble, isReadOnlyServer, isServerLeft, StorageState } from './trouble.ts'

/** The time limits of the database for one class of work. Each class has connections of its own. */
interface Limits {
  readonly maxConnections: number
  /** The longest wait for a free or new connection. */
  readonly maxConnectMs: number
  readonly maxStatementMs: number
  /** The longest wait for the response to a statement. */
  readonly maxSilenceMs: number
}

/**
 * The limits of one wait of a request; `patience.ts` limits all of its waits together. A statement that is merely slow
 * is cancelled before its connection counts as lost.
 */
const requestLimits: Limits = {
  maxConnections: 14,
  maxConnectMs: maxRequestSilenceMs,
  maxStatementMs: maxRequestSilenceMs - 200,
  maxSilenceMs: maxRequestSilenceMs,
}
const backgroundLimits: Limits = {
  maxConnections: 6,
  maxConnectMs: 5_000,
  maxStatementMs: 30_000,
  maxSilenceMs: 35_000,
}
/** The most sessions of a process. `SessionLocks` and `Announcer` have one connection each. */
export const maxSessions = requestLimits.maxConnections + backgroundLimits.maxConnections + 2
/**
 * The time after which PostgreSQL ends the session of a process that stays idle in a transaction, so that its locks
 * stop blocking other processes.
 */
const idleInTransactionMs = 5_000
/**
 * The planner settings. Every join of the gateway looks up a few hundred rows by key. If statistics are missing or
 * outdated after a burst, PostgreSQL would otherwise scan the whole table for each batch. For the same reason nothing is
 * compiled (JIT): every statement takes milliseconds, and where PostgreSQL expects too many rows, compiling takes longer
 * than the statement itself.
 */
const planning: SessionSettings = { enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' }
const partitionWaitMs = 10_000
const int8 = 20
const configurationExit = 78
const temporaryExit = 75

/**
 * Opens the production store: PostgreSQL through `pg`. Locks are advisory session locks, which end with the process or
 * its connection. LISTEN/NOTIFY wakes workers; if a notification is lost, polling finds the change.
 */
export async function openPostgres(url: string, log: Log): Promise<Store> {
  readPostgresUrl(url)
  const common = {
    connectionString: url,
    connectionTimeoutMillis: backgroundLimits.maxConnectMs,
    types: { getTypeParser: selectParser },
  }
  const pool = createPool(common, backgroundLimits, log)
  await pool.query('select 1').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    // A database that is away may come back, so that supervisors such as systemd shall try again.
    const isAway = findStorageTrouble(cause) !== undefined
    const what = isAway ? 'the database does not respond' : 'the server refuses the connection'
    throw new StoreUnusable(
      `DATABASE_URL: ${what}: ${why}`,
      isAway ? temporaryExit : configurationExit,
      cause,
    )
  })
  await refuseTransactionPooler(common, pool)
  return createStore(common, pool, log)
}

/** Builds the store from the connections of background work, and opens those of requests. */
function createStore(common: pg.PoolConfig, backgroundPool: pg.Pool, log: Log): Store {
  const locks = new InProcessLocks()
  const sessionLocks = new SessionLocks(common, log)
  // The request that finds the database silent has no time left, so the probe must not run within its limit.
  const state: StorageState = new StorageState(log, () => withoutPatience(() => writeProbe(forRequests.db)))
  const note = (error: unknown) => {
    state.note(error)
    if (isServerLeft(error)) for (const each of [background, requests]) each.retire()
    // A server that shuts down ends the connection of the locks itself.
    if (isReadOnlyServer(error)) sessionLocks.retire()
  }
  const background = new PreparingPool(backgroundPool, note)
  const requests = new PreparingPool(createPool(common, requestLimits, log), note, findPatience)
  const announcer = new Announcer(common, backgroundPool, log)
  const toStore = (pipelines: PreparingPool, withLock: Store['withLock']): Store => {
    const db = new Kysely<Tables>({ dialect: new PipelinedDialect(pipelines) })
    return {
      kind: 'postgres',
      isShared: true,
      db,
      batchRows,
      bulk,
      locking,
      partitions: createPartitions(db, (work) => withLock('partitions', partitionWaitMs, work)),
      copyInto: undefined,
      executeAtOnce: (statements) =>
        pipelines.executeAtOnce(statements.map((statement) => statement.compile())),
      withMigrationLock: (work, onWait) => withMigrationTurn(common, work, onWait),
      // With the limits of a request: a database that is silent does not keep the time from being asked of another one.
      readClock: () => readPostgresClock(forRequests.db),
      trouble: () => state.trouble,
      connectionDelayMs: () => pipelines.waits.longestMs,
      withLock,
      withLease: (name, work) => locks.hold(name, 0, () => leases.hold(name, work)),
      announce: (topic) => announcer.announce(topic),
      listen: (onAnnounced) => announcer.listen(onAnnounced),
      forBackground: () => forBackground,
      async close() {
        state.close()
        await leases.close()
        await announcer.stop()
        await sessionLocks.close()
        await Promise.all([forRequests.db.destroy(), forBackground.db.destroy()])
      },
    }
  }
  const forBackground = toStore(background, (name, waitMs, work) =>
    locks.hold(name, waitMs, () => sessionLocks.hold({ name, waitMs }, work)),
  )
  const leases = new Leases(forBackground, log)
  const requestLocks = new RequestLocks({ locks, sessionLocks, state })
  const forRequests = toStore(requests, (name, waitMs, work) => requestLocks.hold({ name, waitMs }, work))
  return forRequests
}

/** Reads the time of PostgreSQL's machine, in epoch milliseconds with a fraction. Within a transaction it goes on. */
export async function readPostgresClock(db: Kysely<Tables>): Promise<number> {
  const query = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  const { rows } = await query.execute(db)
  const now = rows[0]?.now
  if (now === undefined) throw new Error('PostgreSQL did not tell its time.')
  return now
}

function createPool(config: pg.PoolConfig, limits: Limits, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    connectionTimeoutMillis: limits.maxConnectMs,
    max: limits.maxConnections,
    ...withSettings({
      ...planning,
      statement_timeout: limits.maxStatementMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
    }),
    query_timeout: limits.maxSilenceMs,
    keepAlive: true,
    pipeline: true,
  })
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection broke'))
  // The pool handles errors of idle connections only. A connection that breaks in use fails the query of its user.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function refuseTransactionPooler(config: pg.ClientConfig, pool: pg.Pool): Promise<void> {
  const [first, second] = [new pg.Client(config), new pg.Client(config)]
  // A connection that breaks between two queries emits an error; the next query on it fails and is reported.
  for (const client of [first, second]) client.on('error', () => {})
  try {
    await Promise.all([first.connect(), second.connect()])
    if (!(await isPooled(toSession(first), toSession(second)))) return
  } finally {
    await Promise.all([first.end(), second.end()])
  }
  await pool.end()
  throw new StoreUnusable(
    'DATABASE_URL: a pooler between gateway and PostgreSQL gives each transaction another connection, which breaks locks. Connect to PostgreSQL itself, or let the pooler keep sessions (PgBouncer: pool_mode = session).',
    configurationExit,
  )
}

function toSession(client: pg.Client): Session {
  return {
    async backend(begin) {
      if (begin) await client.query(begin)
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      return rows[0]?.pid ?? 0
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

/** Parses eight-byte integers as numbers. A value that a number cannot hold exactly is an error and is not rounded. */
export function selectParser(oid: number, format?: 'text' | 'binary') {
  if (oid !== int8) return pg.types.getTypeParser(oid, format ?? 'text')
  return (text: string) => {
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer.`)
    return value
  }
}
