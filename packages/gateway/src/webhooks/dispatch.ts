/**
 * Delivers webhooks. Each leased queue has a worker with a bounded number of attempts in flight.
 *
 * Workers share a limited number of slots and take them in turn. Workers whose receiver fails may use at most half of
 * the slots, so that receivers that hang never delay the others.
 *
 * The dispatcher writes outcomes in batches and keeps a worker open for a moment after its last delivery. All of its
 * state is also in the database. After a crash, other processes free the leases and repeat only the deliveries that
 * were in flight, with the same `event_id`.
 */

import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway.ts'
import { growingTo } from '../kernel/growing-cache.ts'
import { attemptDelivery, attemptTimeoutMs } from './attempt.ts'
import type { Sender } from './egress.ts'
import { OutcomeWriter } from './outcomes.ts'
import { ProcessLock } from './process-lock.ts'
import {
  type Cursor,
  cancelQueue,
  type Due,
  freeOrphanedLeases,
  freeStrayLeases,
  leaseMs,
  leaseQueues,
  type Outcome,
  type Release,
  readDueDeliveries,
  readTargets,
  releaseQueues,
  renewLeases,
  type Target,
} from './queue.ts'

/** The largest number of attempts in flight in this process. */
const maxInFlight = 1_024
const maxFailingInFlight = 512
/** The number of attempts in flight per worker: at first, the maximum after successes, and while the receiver fails. */
const inFlightPerWorker = { first: 4, max: 16, failing: 2 } as const
const maxWorkers = 2_000
/**
 * The largest number of queues that are leased in one turn, so low that processes that wake at the same time share the
 * due queues.
 */
const leasesPerTurn = 32
/** The time after which a busy worker closes, so that another process can lease its queue. */
const maxOpenMs = 10_000
/**
 * The number of deliveries that a worker reads in advance: `min` if more than `manyWorkers` workers read at once,
 * otherwise `max`.
 */
const readAhead = { max: 64, min: 4, manyWorkers: 250 } as const
const maxIdleMs = 1_000
/** The age at which a worker's settings are read again. Above the age `maxStaleMs` the worker starts no attempt. */
const reloadAfterMs = 500
const maxStaleMs = 1_000
const renewEveryMs = leaseMs / 3
/** After this time it is checked again whether the channel of a queue is still paused. */
const pausedRetryMs = 30_000
const maxRememberedFailing = 10_000
const freeOrphansEveryMs = 1_000
const stopTimeoutMs = 5_000

interface QueueWorker {
  readonly endpoint_id: string
  target: Target
  /**
   * When the endpoint's settings were read, on the monotonic clock. `leasedAt` is when the lease was last confirmed.
   */
  loadedAt: number
  leasedAt: number
  cursor: Cursor
  buffer: Due[]
  /** Whether the queue may have more due deliveries than were read. */
  more: boolean
  inFlight: number
  unwritten: number
  limit: number
  lastSuccessAt: number | null
  idleSince: number
  readonly openedAt: number
}

export class Dispatcher {
  readonly #gateway: Gateway
  readonly #egress: Sender
  readonly #wake: () => void
  readonly #name: string
  readonly #workers = new Map<string, QueueWorker>()
  readonly #waiting = new Set<QueueWorker>()
  readonly #failing = new LRUCache<string, true>(growingTo(maxRememberedFailing))
  readonly #attempts = new Set<Promise<void>>()
  readonly #outcomes: OutcomeWriter
  readonly #processLock: ProcessLock
  #failingInFlight = 0
  #renewedAt: number
  #orphansFreedAt = Number.NEGATIVE_INFINITY
  #isStopping = false
  /** Whether a turn failed, so that this process may hold leases that it does not know. */
  #hasStrayLeases = false
  /** Whether the lock of this process was not free in the last turn. */
  #isLockTaken = false
  #isAborted = false

  /** `wake` requests a turn at once. */
  constructor(gateway: Gateway, egress: Sender, wake: () => void = () => {}) {
    this.#gateway = gateway
    this.#egress = egress
    this.#wake = wake
    this.#name = gateway.ids.next('dsp')
    this.#renewedAt = gateway.clock.monotonic()
    this.#outcomes = new OutcomeWriter(gateway, (batch) => this.#onWritten(batch))
    this.#processLock = new ProcessLock(gateway, this.#name, () => this.#giveUpLeases())
  }

  /** The number of attempts in flight. */
  get inFlight(): number {
    return this.#attempts.size
  }

  /**
   * Reads ahead for open workers, opens workers for due queues and closes idle workers; one turn of the worker. Returns
   * whether more queues may be due.
   */
  async turn(): Promise<boolean> {
    if (this.#isStopping) return false
    try {
      return await this.#takeTurn()
    } catch (error) {
      this.#hasStrayLeases = true
      throw error
    }
  }

  async #takeTurn(): Promise<boolean> {
    // Without the lock, other processes free the leases of this one, so it waits until it has the lock again.
    const isHeld = await this.#processLock.hold()
    if (!isHeld && !this.#isLockTaken)
      this.#gateway.log.warn(
        {},
        'a lost database session has the lock of this process; webhooks wait for its end',
      )
    this.#isLockTaken = !isHeld
    if (!isHeld) return false
    await this.#freeOrphans()
    if (this.#hasStrayLeases) await freeStrayLeases(this.#gateway, this.#name, [...this.#workers.keys()])
    this.#hasStrayLeases = false
    await this.#renewLeases()
    await this.#reloadTargets()
    await this.#readAhead()
    const opened = await this.#openWorkers()
    await this.#closeWorkers(
      (worker) => !this.#mayRead(worker) || this.#now() - worker.idleSince >= this.#idleLimitMs(),
    )
    return opened === leasesPerTurn
  }

  /** Runs turns until no delivery is due, and waits for the attempts in flight. */
  async drain(): Promise<void> {
    for (let busy = true; busy; ) {
      await this.turn()
      busy = this.#workers.size > 0
      while (this.#attempts.size > 0) await Promise.all(this.#attempts)
      await this.#outcomes.flush()
      await this.#closeWorkers(() => true)
    }
  }

  /**
   * Starts no more attempts, waits up to `stopTimeoutMs` for those in flight, writes their outcomes and releases every
   * lease. An aborted attempt has no outcome: the next process repeats it with the same `event_id`.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#giveUpLeases()
    const ended = Promise.all(this.#attempts)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, stopTimeoutMs)
    await Promise.race([ended, late])
    clearTimeout(timer)
    this.#isAborted = this.#attempts.size > 0
    if (this.#isAborted) await this.#egress.close()
    await ended
    await this.#outcomes.close()
    await this.#closeWorkers(() => true).catch(() => {})
    await this.#processLock.release()
    await this.#egress.close()
  }

  /** Frees the leases of processes that have ended. */
  async #freeOrphans(): Promise<void> {
    if (this.#now() - this.#orphansFreedAt < freeOrphansEveryMs) return
    this.#orphansFreedAt = this.#now()
    await freeOrphanedLeases(this.#gateway, this.#name)
  }

  #giveUpLeases(): void {
    for (const worker of this.#workers.values()) giveUpLease(worker)
  }

  #now(): number {
    return this.#gateway.clock.monotonic()
  }

  #idleLimitMs(): number {
    return this.#workers.size > maxWorkers / 2 ? 0 : maxIdleMs
  }

  async #renewLeases(): Promise<void> {
    const now = this.#now()
    if (this.#workers.size === 0 || now - this.#renewedAt < renewEveryMs) return
    this.#renewedAt = now
    const kept = new Set(await renewLeases(this.#gateway, this.#name, [...this.#workers.keys()]))
    for (const worker of this.#workers.values()) {
      if (kept.has(worker.endpoint_id)) worker.leasedAt = now
      else giveUpLease(worker)
    }
  }

  /** Reads the settings of endpoints and channels again. */
  async #reloadTargets(): Promise<void> {
    const now = this.#now()
    const old = [...this.#workers.values()].filter(({ loadedAt }) => now - loadedAt >= reloadAfterMs)
    if (old.length === 0) return
    const targets = await readTargets(
      this.#gateway,
      old.map(({ endpoint_id }) => endpoint_id),
    )
    for (const worker of old) {
      const target = targets.get(worker.endpoint_id)
      if (!target) continue
      worker.target = target
      worker.loadedAt = now
      if (target.state === 'live') this.#startAttempts(worker)
      else worker.buffer = []
    }
  }

  /** Reads more deliveries for the workers whose buffer is short. */
  async #readAhead(workers: readonly QueueWorker[] = [...this.#workers.values()]): Promise<void> {
    for (const worker of workers) if (this.#now() - worker.openedAt >= maxOpenMs) worker.more = false
    const hungry = workers.filter((worker) => worker.buffer.length < worker.limit && this.#mayRead(worker))
    if (hungry.length === 0 || this.#outcomes.isFull) return
    for (const worker of hungry) {
      // An idle worker starts from the beginning: a retry or redelivery may be due before its cursor.
      if (isEmpty(worker)) worker.cursor = createStartCursor(worker.endpoint_id)
    }
    const maxPerQueue = hungry.length > readAhead.manyWorkers ? readAhead.min : readAhead.max
    const found = await readDueDeliveries(
      this.#gateway,
      hungry.map(({ cursor }) => cursor),
      maxPerQueue,
    )
    const byWorker = Map.groupBy(found, ({ endpoint_id }) => endpoint_id)
    for (const worker of hungry) {
      const read = byWorker.get(worker.endpoint_id) ?? []
      worker.more = read.length === maxPerQueue
      const last = read.at(-1)
      if (last) worker.cursor = last
      worker.buffer.push(...read)
      this.#startAttempts(worker)
    }
  }

  /** Leases due queues and opens their workers; returns the number of leases. */
  async #openWorkers(): Promise<number> {
    const freeWorkers = Math.min(leasesPerTurn, maxWorkers - this.#workers.size)
    if (freeWorkers <= 0) return 0
    const leasedAt = this.#now()
    const leased = await leaseQueues(this.#gateway, this.#name, freeWorkers)
    if (leased.length === 0) return 0
    const targets = await readTargets(this.#gateway, leased)
    const opened: QueueWorker[] = []
    const releases: Release[] = []
    for (const endpoint_id of leased) {
      const own = this.#workers.get(endpoint_id)
      if (own) {
        // A clock that jumped ends the leases of this process too. A second worker would get the outcomes of the first
        // one's attempts, and would never count as empty.
        own.leasedAt = leasedAt
        continue
      }
      const target = targets.get(endpoint_id)
      if (target?.state === 'live') opened.push(this.#createWorker(target, leasedAt))
      else releases.push(await this.#prepareRelease(endpoint_id, target))
    }
    for (const worker of opened) this.#workers.set(worker.endpoint_id, worker)
    await this.#readAhead(opened)
    await releaseQueues(this.#gateway, this.#name, releases)
    return leased.length
  }

  /**
   * Prepares the release of a queue that must not be delivered. The queue of a paused channel becomes due again after
   * `pausedRetryMs`; the deliveries of any other queue are cancelled.
   */
  async #prepareRelease(endpoint_id: string, target: Target | undefined): Promise<Release> {
    const isPaused = target?.state === 'paused'
    if (!isPaused) await cancelQueue(this.#gateway, endpoint_id)
    return {
      endpoint_id,
      last_success_at: null,
      due_at: isPaused ? this.#gateway.clock.now() + pausedRetryMs : null,
    }
  }

  #createWorker(target: Target, leasedAt: number): QueueWorker {
    const { endpoint_id } = target
    return {
      endpoint_id,
      target,
      loadedAt: leasedAt,
      leasedAt,
      cursor: createStartCursor(endpoint_id),
      buffer: [],
      more: false,
      inFlight: 0,
      unwritten: 0,
      limit: this.#failing.has(endpoint_id) ? inFlightPerWorker.failing : inFlightPerWorker.first,
      lastSuccessAt: null,
      idleSince: leasedAt,
      openedAt: leasedAt,
    }
  }

  /** Whether an attempt that starts now ends within the lease and uses current settings. */
  #maySend({ target, loadedAt, leasedAt }: QueueWorker): boolean {
    const now = this.#now()
    const isLeased = now - leasedAt < leaseMs - attemptTimeoutMs
    return !this.#isStopping && isLeased && now - loadedAt <= maxStaleMs && target.state === 'live'
  }

  #mayRead(worker: QueueWorker): boolean {
    return this.#maySend(worker) && this.#now() - worker.openedAt < maxOpenMs
  }

  #hasSlot({ endpoint_id }: QueueWorker): boolean {
    if (this.#attempts.size >= maxInFlight) return false
    return !this.#failing.has(endpoint_id) || this.#failingInFlight < maxFailingInFlight
  }

  /** Starts as many attempts as the worker's limit and the free slots allow. */
  #startAttempts(worker: QueueWorker): void {
    while (worker.buffer.length > 0 && worker.inFlight < worker.limit && this.#maySend(worker)) {
      if (!this.#hasSlot(worker)) {
        this.#waiting.add(worker)
        return
      }
      const due = worker.buffer.shift()
      if (due) this.#startAttempt(worker, due)
    }
    if (worker.more && worker.buffer.length < worker.limit) this.#wake()
  }

  #startAttempt(worker: QueueWorker, due: Due): void {
    const wasFailing = this.#failing.has(worker.endpoint_id)
    worker.inFlight += 1
    if (wasFailing) this.#failingInFlight += 1
    const context = { gateway: this.#gateway, egress: this.#egress }
    const attempt = attemptDelivery(context, worker.target, due).then((outcome) => {
      this.#attempts.delete(attempt)
      worker.inFlight -= 1
      if (wasFailing) this.#failingInFlight -= 1
      worker.idleSince = this.#now()
      if (!this.#isAborted) this.#onAttemptEnded(worker, outcome)
      // Before the worker itself, which would otherwise take the slot back for as long as it has deliveries.
      this.#resumeWaiting()
      this.#startAttempts(worker)
    })
    this.#attempts.add(attempt)
  }

  #onAttemptEnded(worker: QueueWorker, outcome: Outcome): void {
    if (outcome.last_error === null) {
      worker.lastSuccessAt = outcome.attempted_at
      worker.limit = Math.min(inFlightPerWorker.max, worker.limit + 1)
      this.#failing.delete(worker.endpoint_id)
    } else if (outcome.status !== 'cancelled') {
      worker.limit = inFlightPerWorker.failing
      this.#failing.set(worker.endpoint_id, true)
    }
    worker.unwritten += 1
    this.#outcomes.add(outcome)
  }

  #onWritten(outcomes: readonly Outcome[]): void {
    for (const { endpoint_id } of outcomes) {
      const worker = this.#workers.get(endpoint_id)
      if (worker) worker.unwritten -= 1
    }
  }

  /** Gives free slots to the workers that have waited longest. One that must wait again goes to the end of the queue. */
  #resumeWaiting(): void {
    for (const worker of this.#waiting) {
      if (this.#attempts.size >= maxInFlight) return
      if (worker.buffer.length > 0 && !this.#hasSlot(worker)) continue
      this.#waiting.delete(worker)
      if (worker.buffer.length > 0) this.#startAttempts(worker)
    }
  }

  /** Closes the idle workers that `mayClose` selects, and releases their leases. */
  async #closeWorkers(mayClose: (worker: QueueWorker) => boolean): Promise<void> {
    const closing = [...this.#workers.values()].filter(
      (worker) => isEmpty(worker) && !worker.more && mayClose(worker),
    )
    if (closing.length === 0) return
    for (const { endpoint_id } of closing) this.#workers.delete(endpoint_id)
    const releases = closing.map(({ endpoint_id, lastSuccessAt, target }) => ({
      endpoint_id,
      last_success_at: lastSuccessAt,
      due_at: target.state === 'paused' ? this.#gateway.clock.now() + pausedRetryMs : null,
    }))
    if (await releaseQueues(this.#gateway, this.#name, releases)) this.#wake()
  }
}

/**
 * Stops a worker whose lease may belong to another process: the attempts in flight finish, and no further one starts.
 */
function giveUpLease(worker: QueueWorker): void {
  worker.buffer = []
  worker.more = false
  worker.leasedAt = Number.NEGATIVE_INFINITY
}

function isEmpty({ buffer, inFlight, unwritten }: QueueWorker): boolean {
  return buffer.length === 0 && inFlight === 0 && unwritten === 0
}

function createStartCursor(endpoint_id: string): Cursor {
  return { endpoint_id, due_at: -1, event_number: -1 }
}
