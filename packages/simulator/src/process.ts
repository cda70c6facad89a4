/** A simulated gateway process: its store, its gateway, its workers, and its end at any moment. */

import type { Erp } from '@trade-gateway/connector'
import { catalogue } from '@trade-gateway/gateway/catalogue'
import { openGateway } from '@trade-gateway/gateway/compose'
import type { Config } from '@trade-gateway/gateway/config'
import type { Gateway } from '@trade-gateway/gateway/gateway'
import { encodeBase32 } from '@trade-gateway/gateway/kernel/ids'
import { jsonLog } from '@trade-gateway/gateway/kernel/log'
import { createPipeline, type Pipeline } from '@trade-gateway/gateway/pipeline/pipeline'
import { beginRestored } from '@trade-gateway/gateway/start/restored'
import { InProcessLocks } from '@trade-gateway/gateway/store/in-process-locks'
import { Leases } from '@trade-gateway/gateway/store/leases'
import { createUnpartitioned } from '@trade-gateway/gateway/store/partitions'
import { sqliteBulk } from '@trade-gateway/gateway/store/sqlite'
import { runInOrder, type Store, type Topic } from '@trade-gateway/gateway/store/store'
import type { Tables } from '@trade-gateway/gateway/store/tables'
import type { Sender } from '@trade-gateway/gateway/webhooks/egress'
import { startWorkers } from '@trade-gateway/gateway/workers'
import { writes } from '@trade-gateway/gateway/writes'
import { Kysely, sql } from 'kysely'
import { SeededRandom } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { DatabaseUser, LostAnswer, SharedDatabase } from './shared-database.ts'
import { createSharedDialect } from './shared-dialect.ts'

export interface Surroundings {
  readonly scheduler: Scheduler
  readonly database: SharedDatabase
  readonly config: Config
  readonly seed: number
  readonly locks: Map<string, Owner>
  readonly processes: Set<SimulatedProcess>
  linkErp(process: Owner): Erp
  /** Sends a webhook. */
  readonly post: Sender['post']
  /** Changes a gateway before it begins. For planted faults. */
  readonly plantInto?: (gateway: Gateway) => void
}

const maxAnnounceMs = 50
const lostAnnouncements = 0.1
const lockPollMs = 20
/** How long a process may not know that it has lost its locks. */
const maxUnnoticedMs = 500

export class SimulatedProcess implements DatabaseUser {
  readonly name: string
  skewMs: number
  pausedUntil = 0
  readonly random: SeededRandom
  isAlive = true
  gateway: Gateway | undefined
  pipeline: Pipeline | undefined
  readonly #world: Surroundings
  readonly #ended = Promise.withResolvers<void>()
  #listeners: ((topic: Topic) => void)[] = []
  #leases: Leases | undefined
  #stopWorkers: (() => Promise<void>) | undefined
  /** The locks that it holds or believes to hold, by their names. */
  readonly #held = new Map<string, AbortController>()
  /** Decides at each commit whether the process crashes before or after it. */
  drawCommitFate: () => 'before' | 'after' | undefined = () => undefined
  /** Decides whether the connection to the database breaks, at a commit and at another statement. */
  drawLostAnswer: () => LostAnswer | undefined = () => undefined
  drawLostStatement: () => boolean = () => false

  constructor(world: Surroundings, name: string, skewMs: number) {
    this.#world = world
    this.name = name
    this.skewMs = skewMs
    this.random = new SeededRandom(world.seed, name)
    world.processes.add(this)
  }

  /** Resolves when the process has crashed. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Starts the gateway as its program does. The promise never ends if the process crashes before. */
  start(): Promise<Gateway> {
    const { scheduler, config, post } = this.#world
    return scheduler.runAs(this, async () => {
      const gateway = await openGateway({
        config,
        store: this.createStore(),
        erp: this.#world.linkErp(this),
        log: jsonLog('silent'),
        ids: this.#createIds(),
      })
      this.#world.plantInto?.(gateway)
      await beginRestored(gateway)
      await gateway.mirror.stock.follow()
      await gateway.mirror.reference.follow()
      const send: Sender['post'] = async (request) => {
        const result = await post(request)
        return this.isAlive ? result : new Promise<never>(() => {})
      }
      this.#stopWorkers = startWorkers(gateway, { post: send, close: async () => {} })
      this.gateway = gateway
      this.pipeline = createPipeline(gateway, catalogue, writes)
      return gateway
    })
  }

  /** Stops the workers and gives the leases back, as the program does at its end. */
  async stop(): Promise<void> {
    this.pipeline = undefined
    await this.#world.scheduler.runAs(this, async () => {
      await this.#stopWorkers?.()
      await this.#leases?.close()
    })
  }

  /** Ends the process: nothing that it has begun takes effect any more. */
  crash() {
    if (!this.isAlive) return
    this.isAlive = false
    this.#listeners = []
    this.#world.processes.delete(this)
    this.#world.database.abandon(this)
    for (const [name, holder] of this.#world.locks) if (holder === this) this.#world.locks.delete(name)
    this.#ended.resolve()
  }

  hear(topic: Topic) {
    for (const listener of this.#listeners) this.#world.scheduler.runAs(this, () => listener(topic))
  }

  #createIds() {
    const bytes = (count: number) => this.random.bytes(count)
    return { next: (prefix: string) => `${prefix}_${encodeBase32(bytes(16))}`, bytes }
  }

  createStore(): Store {
    const db = new Kysely<Tables>({ dialect: createSharedDialect(this.#world.database, this) })
    const locks = new InProcessLocks()
    const locking = { forUpdate: sql``, skipLocked: sql`` }
    const leases = new Leases({ db, locking }, jsonLog('silent'), this.#createIds())
    this.#leases = leases
    const store: Store = {
      kind: 'sqlite',
      isShared: true,
      db,
      batchRows: 100,
      bulk: sqliteBulk,
      locking,
      partitions: createUnpartitioned(db),
      copyInto: undefined,
      executeAtOnce: (statements) => db.transaction().execute((tx) => runInOrder(tx, statements)),
      withMigrationLock: (work) => work(db),
      readClock: async () => {
        await sql`select 1`.execute(db)
        return this.#world.database.time
      },
      trouble: () => undefined,
      connectionDelayMs: () => 0,
      withLock: (name, waitMs, work) =>
        locks.hold(name, waitMs, () => this.#holdSessionLock(name, waitMs, work)),
      withLease: (name, work) => locks.hold(name, 0, () => leases.hold(name, work)),
      announce: (topic) => this.#announce(topic),
      listen: (listener) => void this.#listeners.push(listener),
      forBackground: () => store,
      close: async () => {},
    }
    return store
  }

  /** A lock that ends with the process. */
  async #holdSessionLock<T>(
    name: string,
    waitMs: number,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const { locks, scheduler } = this.#world
    for (let waited = 0; locks.has(name); waited += lockPollMs) {
      if (waited >= waitMs) return undefined
      await scheduler.sleep(lockPollMs)
    }
    // A process that has crashed takes no lock, which nobody would free.
    if (!this.isAlive) return new Promise<never>(() => {})
    locks.set(name, this)
    const lost = new AbortController()
    this.#held.set(name, lost)
    try {
      return await work(lost.signal)
    } finally {
      if (this.#held.get(name) === lost) this.#held.delete(name)
      if (locks.get(name) === this) locks.delete(name)
    }
  }

  /** Frees its locks for other processes, as a database does when a connection breaks. The process learns it later. */
  loseLocks() {
    const { locks, scheduler } = this.#world
    for (const [name, lost] of this.#held) {
      if (locks.get(name) === this) locks.delete(name)
      const notice = () => lost.abort(new Error(`The lock ${name} was lost.`))
      scheduler.runAs(this, () => scheduler.setTimer(notice, this.random.integer(0, maxUnnoticedMs)))
    }
    this.#held.clear()
  }

  /** Tells every process, later and not always. */
  #announce(topic: Topic) {
    const { scheduler, processes } = this.#world
    for (const process of processes) {
      if (process !== this && this.random.chance(lostAnnouncements)) continue
      const delay = process === this ? 0 : this.random.integer(0, maxAnnounceMs)
      scheduler.runAs(process, () => scheduler.setTimer(() => process.hear(topic), delay))
    }
  }
}
