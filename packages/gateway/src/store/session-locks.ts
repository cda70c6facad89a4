/**
 * Session locks of PostgreSQL (advisory locks). The database ends them with the process or its connection, so a crash
 * never leaves one behind. All locks of this process share one connection. `InProcessLocks` serialises requests for the
 * same name first, so the session never acquires a lock twice.
 *
 * A connection is used until its first failure. The caller that finds it broken destroys it, which ends its locks at
 * the database and aborts `lost` for their holders. A lock is released on the connection that acquired it: a later
 * connection would report "not held" and leave the lock with the first session.
 */

import pg from 'pg'
import { systemClock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { destroyConnection } from './destroy-connection.ts'
import { type Patience, settleWithin } from './patience.ts'
import { minRetireMs } from './pipelined.ts'
import { applySettings, keptAlive, probing } from './session-settings.ts'
import { DatabaseSilent } from './trouble.ts'

const pollMs = 20
/** A connection that does not respond for this long counts as lost, and all of its locks with it. */
const maxConnectionSilenceMs = 10_000

/** A lock that a caller requests. */
export interface WantedLock {
  readonly name: string
  readonly waitMs: number
  /** The time that a request has left to wait for a database that does not respond. */
  readonly patience?: Patience
  readonly onSilence?: (error: unknown) => void
}

export class SessionLocks {
  readonly #config: pg.ClientConfig
  readonly #log: Log
  #connecting: Promise<LockConnection> | undefined
  #retiredAt = Number.NEGATIVE_INFINITY

  constructor(config: pg.ClientConfig, log: Log) {
    this.#config = config
    this.#log = log
  }

  /**
   * Runs `work` while this session holds the lock. Returns undefined if the lock is not free within `waitMs`. Throws
   * `DatabaseSilent` if the database does not respond in time.
   */
  async hold<T>(wanted: WantedLock, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { name, onSilence } = wanted
    const connecting = this.#connect()
    const acquired = settleInTime(connecting, wanted).then((connection) => this.#acquire(connection, wanted))
    const isMine = await acquired.catch((error: unknown) => {
      onSilence?.(error)
      throw error
    })
    if (!isMine) return undefined
    const connection = await connecting
    try {
      return await work(connection.lost)
    } finally {
      // The release is not awaited: the next request for this name follows it on the same connection.
      void this.#release(connection, name)
    }
  }

  async #acquire(connection: LockConnection, wanted: WantedLock): Promise<boolean> {
    const { name, waitMs, patience } = wanted
    for (let waited = 0; ; waited += pollMs) {
      // From the second attempt on, the caller waits for the holder of the lock and not for the database.
      if (waited > 0) patience?.renew()
      const asked = connection.ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as yes', name)
      const isMine = await settleInTime(asked, wanted).catch((error: unknown) => {
        if (error instanceof DatabaseSilent) void this.#releaseLate(connection, name, asked)
        throw error
      })
      if (isMine) return true
      if (waited >= waitMs) return false
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  /** Resolves if the database responds on the connection of the locks. Throws `DatabaseSilent` after `ms`. */
  async requireResponse(ms: number): Promise<void> {
    const asked = this.#connect().then((connection) =>
      connection.ask('select $1::text is not null as yes', ''),
    )
    await settleWithin(asked, ms)
  }

  /** Releases a lock that the database grants only after its caller has stopped waiting. */
  async #releaseLate(connection: LockConnection, name: string, asked: Promise<boolean>): Promise<void> {
    if (await asked.catch(() => false)) await this.#release(connection, name)
  }

  async #release(connection: LockConnection, name: string): Promise<void> {
    if (connection.lost.aborted) {
      this.#log.warn({ subject: name }, 'a lock ended with its connection')
      return
    }
    const isReleased = await connection
      .ask('select pg_advisory_unlock(hashtextextended($1, 0)) as yes', name)
      .catch(() => undefined)
    if (isReleased === undefined) this.#log.warn({ subject: name }, 'a lock ended with its connection')
    if (isReleased !== false) return
    this.#log.error({ subject: name }, 'the database did not know a lock that this process released')
    connection.destroy()
  }

  /**
   * Ends the connection and all of its locks, because its server only reads. A standby grants such locks too, so another
   * process might hold the same one on the server that takes the writes. At most once in `minRetireMs`.
   */
  retire(): void {
    const now = systemClock.monotonic()
    if (now - this.#retiredAt < minRetireMs) return
    this.#retiredAt = now
    void this.#connecting?.then(
      (connection) => connection.destroy(),
      () => {},
    )
  }

  /** Returns the current connection, or a new one if there is none or it was lost. */
  #connect(): Promise<LockConnection> {
    if (this.#connecting) return this.#connecting
    const connecting = openLockConnection(this.#config)
    const forget = () => {
      if (this.#connecting === connecting) this.#connecting = undefined
    }
    this.#connecting = connecting
    connecting.then((connection) => connection.lost.addEventListener('abort', forget), forget)
    return connecting
  }

  async close(): Promise<void> {
    const connection = await this.#connecting?.catch(() => undefined)
    await connection?.close()
  }
}

/** Settles like the promise, but throws `DatabaseSilent` once the caller has waited long enough for the database. */
function settleInTime<T>(promise: Promise<T>, { patience }: WantedLock): Promise<T> {
  return patience ? patience.settle(promise) : settleWithin(promise, maxConnectionSilenceMs)
}

/** Opens a connection for locks. Throws if PostgreSQL does not respond or refuses it. */
export async function openLockConnection(config: pg.ClientConfig): Promise<LockConnection> {
  const client = new pg.Client({
    ...config,
    ...keptAlive,
    pipeline: true,
    query_timeout: maxConnectionSilenceMs,
  })
  const connection = new LockConnection(client)
  try {
    await client.connect()
    await applySettings(client, probing)
  } catch (error) {
    connection.destroy()
    throw error
  }
  return connection
}

/** One connection and the locks of its session. */
class LockConnection {
  readonly #client: pg.Client
  readonly #lost = new AbortController()

  constructor(client: pg.Client) {
    this.#client = client
    client.on('error', () => this.destroy())
    client.once('end', () => this.#lost.abort())
  }

  /** A signal that is aborted when the connection ends, and all of its locks with it. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Runs a lock query that returns a boolean. A connection responds in the order of the queries. */
  async ask(sql: string, name: string): Promise<boolean> {
    this.#lost.signal.throwIfAborted()
    try {
      const { rows } = await this.#client.query<{ yes: boolean }>(sql, [name])
      return rows[0]?.yes === true
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  destroy(): void {
    this.#lost.abort()
    destroyConnection(this.#client)
  }

  async close(): Promise<void> {
    this.#lost.abort()
    await this.#client.end().catch(() => {})
  }
}
