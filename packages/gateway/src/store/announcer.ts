/**
 * Announces changes to all processes on one database by LISTEN/NOTIFY. If an announcement is lost, polling finds the
 * change later. This process is notified at once. Announcements to the others are batched: NOTIFY takes a lock that all
 * of them share until the commit is on disk, so one announcement for each write would cost more than the write.
 *
 * One loop opens one connection after another. A failed connection reports its failure and its end; if each of the two
 * began a new one, their number would double with each attempt while the database is away.
 */

import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { randomIds } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { destroyConnection } from './destroy-connection.ts'
import { applySettings, keptAlive, probing } from './session-settings.ts'
import { type Topic, topics } from './store.ts'

const channelName = 'trade_gateway'
const restMs = 5
export const listenRetryMs = 1_000
/** The longest wait for the response to LISTEN. */
const maxListenMs = 5_000

export class Announcer {
  readonly #config: pg.ClientConfig
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #emitter = new EventEmitter<{ announced: [Topic] }>()
  /** Identifies this process, so that it ignores its own announcements when the database returns them. */
  readonly #origin = randomIds.next('prc')
  readonly #waiting = new Set<Topic>()
  #isNotifying = false
  #client: pg.Client | undefined
  #stopped = false

  constructor(config: pg.ClientConfig, pool: pg.Pool, log: Log) {
    this.#config = { ...config, ...keptAlive, query_timeout: maxListenMs }
    this.#pool = pool
    this.#log = log
  }

  /** Announces a change to every process; this one is notified at once. */
  announce(topic: Topic) {
    this.#emitter.emit('announced', topic)
    this.#waiting.add(topic)
    if (!this.#isNotifying) void this.#notify()
  }

  async #notify() {
    this.#isNotifying = true
    while (this.#waiting.size > 0 && !this.#stopped) {
      const payload = [this.#origin, ...this.#waiting].join(' ')
      this.#waiting.clear()
      await this.#pool.query('select pg_notify($1, $2)', [channelName, payload]).catch((error: unknown) => {
        this.#log.debug({ error }, 'an announcement was lost; polling finds the change')
      })
      await new Promise((resolve) => setTimeout(resolve, restMs))
    }
    this.#isNotifying = false
  }

  /** Calls `onAnnounced` on each announcement, and for all topics when announcements may have been missed. */
  listen(onAnnounced: (topic: Topic) => void) {
    this.#emitter.on('announced', onAnnounced)
    void this.#keepListening(onAnnounced)
  }

  async #keepListening(onAnnounced: (topic: Topic) => void): Promise<void> {
    while (!this.#stopped) {
      await this.#listenOnce(onAnnounced).catch((error: unknown) => {
        if (this.#stopped) return
        this.#log.warn(
          { error },
          'the connection for announcements failed; polling finds changes until it is restored',
        )
      })
      await sleep(listenRetryMs, undefined, { ref: false })
    }
  }

  /** Resolves when the connection that listens for announcements has ended. Rejects if it cannot be opened. */
  async #listenOnce(onAnnounced: (topic: Topic) => void): Promise<void> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('notification', ({ payload = '' }) => {
      const [origin, ...named] = payload.split(' ')
      if (origin === this.#origin) return
      for (const topic of topics) if (named.includes(topic)) onAnnounced(topic)
    })
    client.on('error', () => destroyConnection(client))
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    try {
      await client.connect()
      await applySettings(client, probing)
      await client.query(`listen ${channelName}`)
      for (const topic of topics) onAnnounced(topic)
      await ended
    } finally {
      destroyConnection(client)
    }
  }

  async stop() {
    this.#stopped = true
    await this.#client?.end().catch(() => {})
  }
}
