import type { TradeGateway } from '../client.ts'
import { GatewayError, UsageError } from '../errors/errors.ts'
import { Listeners } from '../listeners.ts'
import { readWhole } from '../transport/options.ts'
import { type Beginning, computeAge } from '../transport/transport.ts'
import { wait } from '../wait.ts'
import type { StockChangedEvent } from '../webhooks/event.ts'
import type { MirrorEvents } from './events.ts'
import { MemoryStore } from './memory-store.ts'
import type { MirrorStore, StockRow } from './store.ts'
import { beginFullSync, isLiveProven, type Proof, type SyncSetting, syncWarehouse } from './sync.ts'

export interface MirrorOptions {
  /** The codes of the warehouses to copy. */
  readonly warehouses: readonly string[]
  /** Where the copies are. Default: in memory. */
  readonly store?: MirrorStore
  /** How long to wait between two looks at the feed. Default 5 seconds. A nudge ends the wait. */
  readonly intervalMs?: number
  /**
   * Rows of a page of a full sync. Default 1000, the largest page. Processes that share a store need the same size, because
   * one continues the pull of another by the number of the page. The checksum finds a pull of several sizes, which begins
   * again.
   */
  readonly pageSize?: number
  /**
   * How old the stock of a copy may be before it is reported as stale, with the age of the gateway's own stock. Default
   * 120 seconds: with an ERP that reports no changes, the gateway compares a warehouse once a minute.
   */
  readonly staleAfterMs?: number
}

/** The result of {@link StockMirror.verify}. */
export interface Verification {
  readonly ok: boolean
  /** The version at which the copy was compared. */
  readonly version: number
}

/** The options of {@link StockMirror.ready}. */
export interface ReadyOptions {
  /** Ends the wait. It then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** The state of a warehouse in this process. */
interface Follower {
  /** The running or last turn, after which the next one begins. */
  turn: Promise<unknown>
  synced: { readonly at: Beginning; readonly stockAgeMs: number } | undefined
  /** Whether the copy was proven since the last stop, after which its database may have been restored. */
  isProven: boolean
  isStale: boolean
  /** The failure of the last turn since the start, if it failed. */
  failure: unknown
  /** Whether a nudge came since the last turn began. */
  isNudged: boolean
  wake: () => void
}

const readyPollMs = 20
const stalenessPollMs = 1_000
/** How often a copy is compared again while another process moves it. */
const maxVerifications = 10

/**
 * A copy of the stock of warehouses that follows the change feed. Webhooks are only nudges: their rows are never
 * written, so that duplicates and a wrong order do no harm. A full sync goes on beside the copy that readers see.
 *
 * @example
 * const mirror = new StockMirror(client, { warehouses: ['AUSYD1'], store: new SqliteStore('stock.db') })
 * await mirror.start()
 * await mirror.ready()
 * const row = await mirror.get('AUSYD1', 'LIN-0042-BLK-M')
 */
export class StockMirror {
  readonly #options: Required<MirrorOptions>
  readonly #setting: Omit<SyncSetting, 'options' | 'compared'>
  readonly #followers: ReadonlyMap<string, Follower>
  readonly #listeners = new Listeners<MirrorEvents>()
  #stop = new AbortController()
  #opened: Promise<void> | undefined
  #running: Promise<unknown> | undefined
  /** The last start or stop: each begins after the one that was called before it. */
  #change: Promise<void> = Promise.resolve()

  /** Throws `UsageError` without a warehouse, and for a number that is none of its kind. Reads and writes nothing. */
  constructor(client: Pick<TradeGateway, 'stock'>, options: MirrorOptions) {
    if (options.warehouses.length === 0) throw new UsageError('A mirror needs at least one warehouse.')
    this.#options = readOptions(options)
    const { store, pageSize: page_size } = this.#options
    this.#setting = {
      store,
      listeners: this.#listeners,
      source: {
        readPage: (warehouse, page, call) => client.stock.page(warehouse, { page, page_size }, call),
        async readChanges(warehouse, since, call) {
          const reading = client.stock.changes(warehouse, { since }, call)
          const { data: changes, meta } = await reading.withResponse()
          return { changes, stockAgeMs: (meta.stockAgeSeconds ?? 0) * 1_000 }
        },
      },
    }
    this.#followers = new Map(options.warehouses.map((code) => [code, createFollower()]))
  }

  /**
   * Opens the store and begins to follow, after a stop that is under way. Does not wait for a copy; see
   * {@link StockMirror.ready}.
   */
  start(): Promise<void> {
    return this.#takeChange(() => this.#begin())
  }

  async #begin(): Promise<void> {
    if (this.#running) return
    await this.#open()
    const began = readClocks()
    // A timer of its own, because a turn that hangs, or lasts for minutes, reports nothing.
    const timer = setInterval(() => this.#reportStaleness(began), stalenessPollMs)
    const following = this.#options.warehouses.map((code) => this.#follow(code))
    this.#running = Promise.all(following).finally(() => clearInterval(timer))
  }

  /** Ends the following after the page that is being written. The store stays open for readers. */
  stop(): Promise<void> {
    return this.#takeChange(() => this.#end())
  }

  async #end(): Promise<void> {
    this.#stop.abort(new Error('The mirror was stopped.'))
    await this.#running
    this.#running = undefined
    this.#stop = new AbortController()
    for (const follower of this.#followers.values()) {
      follower.isProven = false
      follower.failure = undefined
    }
  }

  /** Ends the following, and closes the store if the store opened its database itself. */
  close(): Promise<void> {
    return this.#takeChange(async () => {
      await this.#end()
      this.#opened = undefined
      await this.#options.store.close()
    })
  }

  /** Opens the store at its first use, which may be a reader's before the start. If it fails, the next use tries again. */
  #open(): Promise<void> {
    this.#opened ??= this.#options.store.open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Performs starts and stops in the order of the calls: each finds the mirror as the one before has left it. */
  #takeChange(work: () => Promise<void>): Promise<void> {
    const change = this.#change.then(work, work)
    this.#change = change
    return change
  }

  /**
   * Waits until each warehouse has a complete copy. Throws if the mirror is not running, or is stopped meanwhile. Throws the
   * `GatewayError` of a warehouse that fails for good, such as `WAREHOUSE_UNKNOWN`; the mirror itself goes on.
   */
  async ready({ signal }: ReadyOptions = {}): Promise<void> {
    if (!this.#running) throw new UsageError('Call start() before ready().')
    const end = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
    for (const [code, follower] of this.#followers)
      while ((await this.#options.store.readPlaces(code)).live === undefined) {
        const { failure } = follower
        if (failure instanceof GatewayError && !failure.retryable) throw failure
        await wait(readyPollMs, end)
      }
  }

  /** Brings a copy up to date now, and returns what it has then. */
  sync(warehouse: string): Promise<Proof> {
    return this.#takeTurn(warehouse, () => this.#bringUpToDate(warehouse))
  }

  /** Pulls a warehouse again. Readers see the former copy until the new one is complete and proven. */
  async resync(warehouse: string): Promise<void> {
    await this.#takeTurn(warehouse, () =>
      beginFullSync(warehouse, 'it was asked for', this.#createSetting(warehouse)),
    )
    await this.sync(warehouse)
  }

  /** Looks at the feed now, as after a webhook `stock.changed`. Other warehouses' events are ignored. */
  nudge(event: StockChangedEvent | string): void {
    const follower = this.#followers.get(typeof event === 'string' ? event : event.data.warehouse_code)
    if (!follower) return
    follower.isNudged = true
    follower.wake()
  }

  /** Reads a row; undefined if there is none, or no copy yet. */
  async get(warehouse: string, sku: string): Promise<StockRow | undefined> {
    await this.#open()
    return this.#options.store.get(warehouse, sku)
  }

  /** Reads all rows of a warehouse, as they were at one moment, by SKU; none before the first copy. */
  async list(warehouse: string): Promise<StockRow[]> {
    await this.#open()
    return this.#options.store.list(warehouse)
  }

  /** Brings a copy up to date and compares its checksum with the gateway's. After `ok: false`, call `resync`. */
  async verify(warehouse: string): Promise<Verification> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#takeTurn(warehouse, () => this.#compare(warehouse))
      if (found.ok !== undefined || attempt === maxVerifications)
        return { ok: found.ok ?? false, version: found.version }
    }
  }

  /**
   * How old the stock of a copy is: the time since the copy was up to date with the gateway, and the age that the
   * gateway's own stock had then (`X-Stock-Age`), which grows while the ERP is away. Infinite before the first time in
   * this process.
   */
  stalenessMs(warehouse: string): number {
    const { synced } = this.#of(warehouse)
    return synced === undefined ? Number.POSITIVE_INFINITY : computeStaleness(synced)
  }

  /** Listens to events. The returned function ends it. */
  on<Type extends keyof MirrorEvents>(type: Type, listener: (event: MirrorEvents[Type]) => void): () => void {
    return this.#listeners.add(type, listener)
  }

  async #follow(warehouse: string): Promise<void> {
    const { signal } = this.#stop
    const follower = this.#of(warehouse)
    while (!signal.aborted) {
      follower.isNudged = false
      try {
        await this.sync(warehouse)
      } catch (error) {
        if (signal.aborted) return
        follower.failure = error
        this.#listeners.emit('error', () => ({ warehouse, error }))
      }
      if (!follower.isNudged) await this.#pause(follower)
    }
  }

  /** Reports each copy that has become stale, once until its stock is fresh again. */
  #reportStaleness(began: Beginning): void {
    for (const [warehouse, follower] of this.#followers) {
      const stalenessMs = computeStaleness(follower.synced ?? { at: began, stockAgeMs: 0 })
      const wasStale = follower.isStale
      follower.isStale = stalenessMs >= this.#options.staleAfterMs
      if (follower.isStale && !wasStale) this.#listeners.emit('stale', () => ({ warehouse, stalenessMs }))
    }
  }

  /** Waits for the interval, a nudge or the end. */
  async #pause(follower: Follower): Promise<void> {
    const nudged = new AbortController()
    follower.wake = () => nudged.abort()
    const either = AbortSignal.any([nudged.signal, this.#stop.signal])
    await wait(this.#options.intervalMs, either).catch(() => {})
    follower.wake = () => {}
  }

  /** The turns of a warehouse in this process never overlap. */
  async #takeTurn<T>(warehouse: string, work: () => Promise<T>): Promise<T> {
    const follower = this.#of(warehouse)
    const begin = () => this.#open().then(work)
    const turn = follower.turn.then(begin, begin)
    follower.turn = turn
    return turn
  }

  async #bringUpToDate(warehouse: string): Promise<Proof> {
    const proof = await syncWarehouse(warehouse, this.#createSetting(warehouse))
    const follower = this.#of(warehouse)
    follower.synced = { at: readClocks(), stockAgeMs: proof.stockAgeMs }
    follower.isProven = true
    follower.failure = undefined
    return proof
  }

  async #compare(warehouse: string) {
    const proof = await this.#bringUpToDate(warehouse)
    const ok = await isLiveProven(warehouse, proof, 'checksum', this.#options.store)
    return { ok, version: proof.version }
  }

  #createSetting(warehouse: string): SyncSetting {
    const compared = this.#of(warehouse).isProven ? 'rowCount' : 'checksum'
    return { ...this.#setting, options: { signal: this.#stop.signal }, compared }
  }

  #of(warehouse: string): Follower {
    const follower = this.#followers.get(warehouse)
    if (!follower) throw new UsageError(`The mirror does not copy ${warehouse}.`)
    return follower
  }
}

/** Fills in what was left out. An interval of 0 would spend all points. */
function readOptions(options: MirrorOptions): Required<MirrorOptions> {
  const {
    warehouses,
    store = new MemoryStore(),
    intervalMs = 5_000,
    pageSize = 1_000,
    staleAfterMs = 120_000,
  } = options
  return {
    warehouses,
    store,
    intervalMs: readWhole('intervalMs', intervalMs, 1),
    pageSize: readWhole('pageSize', pageSize, 1),
    staleAfterMs: readWhole('staleAfterMs', staleAfterMs, 0),
  }
}

function computeStaleness({ at, stockAgeMs }: NonNullable<Follower['synced']>): number {
  return computeAge(at, performance.now()) + stockAgeMs
}

function readClocks(): Beginning {
  return { steady: performance.now(), wall: Date.now() }
}

function createFollower(): Follower {
  return {
    turn: Promise.resolve(),
    synced: undefined,
    isProven: false,
    isStale: false,
    failure: undefined,
    isNudged: false,
    wake: () => {},
  }
}
