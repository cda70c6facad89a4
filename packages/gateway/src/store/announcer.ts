import { EventEmitter } from 'node:events'
import pg from 'pg'
import { randomIds } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { type Topic, topics } from './store.ts'

/**
 * Tells processes on one database that something changed, by LISTEN/NOTIFY, with polling as the truth. This process
 * hears itself at once. The others are told at most so often: a notification takes a lock that all of them share until
 * it is on disk, so one for each write would be dearer than the write.
 */
const channelName = 'trade_gateway'
const restMs = 5
const listenRetryMs = 1_000

export class Announcer {
  readonly #config: pg.ClientConfig
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #emitter = new EventEmitter<{ announced: [Topic] }>()
  /** What others hear again although it came from here. */
  readonly #origin = randomIds.next('prc')
  readonly #waiting = new Set<Topic>()
  #isTelling = false
  #client: pg.Client | undefined
  #stopped = false

  constructor(config: pg.ClientConfig, pool: pg.Pool, log: Log) {
    this.#config = config
    this.#pool = pool
    this.#log = log
  }

  /** Tells every process, this one at once. */
  announce(topic: Topic) {
    this.#emitter.emit('announced', topic)
    this.#waiting.add(topic)
    if (!this.#isTelling) void this.#tell()
  }

  async #tell() {
    this.#isTelling = true
    while (this.#waiting.size > 0 && !this.#stopped) {
      const payload = [this.#origin, ...this.#waiting].join(' ')
      this.#waiting.clear()
      await this.#pool.query('select pg_notify($1, $2)', [channelName, payload]).catch((error: unknown) => {
        this.#log.debug({ error }, 'an announcement was lost; polling makes it good')
      })
      await new Promise((resolve) => setTimeout(resolve, restMs))
    }
    this.#isTelling = false
  }

  /** Calls `heard` on each announcement, and on all topics whenever some may have been missed. */
  listen(heard: (topic: Topic) => void) {
    this.#emitter.on('announced', heard)
    this.#start(heard)
  }

  #start(heard: (topic: Topic) => void) {
    this.#connect(heard).catch((error: unknown) => {
      if (this.#stopped) return
      this.#log.warn({ error }, 'announcements of the database are not heard; polling goes on')
      setTimeout(() => this.#start(heard), listenRetryMs)
    })
  }

  /** One connection that hears announcements and comes back by itself. */
  async #connect(heard: (topic: Topic) => void) {
    if (this.#stopped) return
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('notification', ({ payload = '' }) => {
      const [origin, ...named] = payload.split(' ')
      if (origin === this.#origin) return
      for (const topic of topics) if (named.includes(topic)) heard(topic)
    })
    client.on('error', () => client.end().catch(() => {}))
    client.once('end', () => {
      if (!this.#stopped) setTimeout(() => this.#start(heard), listenRetryMs)
    })
    await client.connect()
    await client.query(`listen ${channelName}`)
    for (const topic of topics) heard(topic)
  }

  async stop() {
    this.#stopped = true
    await this.#client?.end().catch(() => {})
  }
}
