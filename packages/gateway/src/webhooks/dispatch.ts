import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway.ts'
import { attempt, attemptTimeoutMs } from './attempt.ts'
import type { Egress } from './egress.ts'
import {
  type Cursor,
  cancelQueue,
  type Due,
  freeLeasesOfDead,
  leaseMs,
  leaseQueues,
  type Outcome,
  type Release,
  readDue,
  readTargets,
  releaseQueues,
  renewLeases,
  type Target,
  whileAlive,
  writeOutcomes,
} from './queue.ts'

/**
 * Delivers. Each leased queue is a lane with a bounded number of attempts in flight; lanes take from a common number of
 * slots in turn, and those whose receiver fails may take half of them at most, so that receivers that hang never delay
 * the others. What became of attempts is written in batches, and a lane stays open a moment after its last delivery.
 * Nothing is remembered that the database does not know: after a crash others free the leases, and only what was in
 * flight is sent again, under the same `event_id`.
 */
const mostInFlight = 1_024
const mostFailingInFlight = 512
/** In flight in one lane: at first, as long as all goes well, and while the receiver fails. */
const inFlightPerLane = { first: 4, most: 16, failing: 2 } as const
const mostLanes = 2_000
/** Few enough that processes which are woken together each get some. */
const leasesPerTurn = 32
/** After so long a busy lane is given up, so that another process can take it. */
const sliceMs = 10_000
/** Read ahead in one lane; less where many lanes are read at once. */
const readAhead = { most: 64, least: 4, manyLanes: 250 } as const
const mostUnwritten = 5_000
const outcomesPerWrite = 500
/** Long enough to write many at once, short enough that a crash repeats few. */
const writeAfterMs = 20
const rewriteAfterMs = 1_000
const lingerMs = 1_000
/** A change of an endpoint or its channel counts for every attempt that begins this much later. */
const freshMs = 500
const mostStaleMs = 1_000
const renewEveryMs = leaseMs / 3
/** How long a channel that is switched off is left alone. */
const pausedMs = 30_000
const mostRemembered = 10_000
const lookForDeadMs = 1_000
const landWithinMs = 5_000

interface Lane {
  readonly endpoint_id: string
  target: Target
  /** When target and lease were last confirmed, on the monotonic clock. */
  loadedAt: number
  leasedAt: number
  cursor: Cursor
  buffer: Due[]
  /** Whether there may be more than was read. */
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
  readonly #egress: Egress
  readonly #wake: () => void
  readonly #name: string
  readonly #lanes = new Map<string, Lane>()
  readonly #waiting = new Set<Lane>()
  readonly #failing = new LRUCache<string, true>({ max: mostRemembered })
  readonly #flying = new Set<Promise<void>>()
  #failingInFlight = 0
  #outcomes: Outcome[] = []
  #writing: Promise<void> | undefined
  #writeTimer: NodeJS.Timeout | undefined
  #renewedAt: number
  #lookedForDeadAt = Number.NEGATIVE_INFINITY
  #alive: Promise<unknown> | undefined
  readonly #over = Promise.withResolvers<void>()
  #isStopping = false
  #isCut = false

  /** `wake` is called where a turn is wanted at once. */
  constructor(gateway: Gateway, egress: Egress, wake: () => void = () => {}) {
    this.#gateway = gateway
    this.#egress = egress
    this.#wake = wake
    this.#name = gateway.ids.next('dsp')
    this.#renewedAt = gateway.clock.monotonic()
  }

  /** Attempts that are under way. */
  get inFlight(): number {
    return this.#flying.size
  }

  /** One turn: reads on in the open lanes, opens lanes for queues that are due, closes those that have nothing to do. */
  async turn(): Promise<boolean> {
    if (this.#isStopping) return false
    await this.#showLife()
    await this.#renew()
    await this.#reload()
    await this.#refill()
    const opened = await this.#open()
    await this.#close((lane) => !this.#mayRead(lane) || this.#now() - lane.idleSince >= this.#linger())
    return opened === leasesPerTurn
  }

  /** Turns until nothing is due, and waits for what is in flight. */
  async drain(): Promise<void> {
    for (let busy = true; busy; ) {
      await this.turn()
      busy = this.#lanes.size > 0
      while (this.#flying.size > 0) await Promise.all(this.#flying)
      await this.#written()
      await this.#close(() => true)
    }
  }

  /**
   * Begins nothing more, waits a while for what is in flight, writes it down and gives every lease back. An attempt
   * that is cut short is none: whoever delivers next makes it again, under the same `event_id`.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const lane of this.#lanes.values()) give(lane)
    const landed = Promise.all(this.#flying)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, landWithinMs)
    await Promise.race([landed, late])
    clearTimeout(timer)
    this.#isCut = this.#flying.size > 0
    if (this.#isCut) await this.#egress.close()
    await landed
    await this.#written().catch(() => {})
    await this.#close(() => true).catch(() => {})
    clearTimeout(this.#writeTimer)
    this.#over.resolve()
    await this.#alive?.catch(() => {})
    await this.#egress.close()
  }

  /** Holds the lock by which others see that this process lives, before it leases anything; looks after the others. */
  async #showLife(): Promise<void> {
    if (!this.#alive) {
      const held = Promise.withResolvers<void>()
      const alive = whileAlive(this.#gateway, this.#name, (lost) => {
        held.resolve()
        const { promise: gone, resolve } = Promise.withResolvers<void>()
        lost.addEventListener('abort', () => resolve(), { once: true })
        if (lost.aborted) resolve()
        return Promise.race([gone, this.#over.promise])
      })
      await Promise.race([held.promise, alive])
      this.#alive = alive
      // Without the lock others take this process for dead: it begins nothing until it has shown itself again.
      alive.then(
        () => this.#hidden(alive),
        () => this.#hidden(alive),
      )
    }
    if (this.#now() - this.#lookedForDeadAt < lookForDeadMs) return
    this.#lookedForDeadAt = this.#now()
    await freeLeasesOfDead(this.#gateway, this.#name)
  }

  /** The lock by which others see this process is gone: whatever was leased is given up. */
  #hidden(alive: Promise<unknown>): void {
    if (this.#alive !== alive) return
    this.#alive = undefined
    for (const lane of this.#lanes.values()) give(lane)
  }

  #now(): number {
    return this.#gateway.clock.monotonic()
  }

  #linger(): number {
    return this.#lanes.size > mostLanes / 2 ? 0 : lingerMs
  }

  async #renew(): Promise<void> {
    const now = this.#now()
    if (this.#lanes.size === 0 || now - this.#renewedAt < renewEveryMs) return
    this.#renewedAt = now
    const kept = new Set(await renewLeases(this.#gateway, this.#name, [...this.#lanes.keys()]))
    for (const lane of this.#lanes.values()) {
      if (kept.has(lane.endpoint_id)) lane.leasedAt = now
      else give(lane)
    }
  }

  /** Whatever changed of endpoints and channels. */
  async #reload(): Promise<void> {
    const now = this.#now()
    const old = [...this.#lanes.values()].filter(({ loadedAt }) => now - loadedAt >= freshMs)
    if (old.length === 0) return
    const targets = await readTargets(
      this.#gateway,
      old.map(({ endpoint_id }) => endpoint_id),
    )
    for (const lane of old) {
      const target = targets.get(lane.endpoint_id)
      if (!target) continue
      lane.target = target
      lane.loadedAt = now
      if (target.state === 'live') this.#pump(lane)
      else lane.buffer = []
    }
  }

  /** Reads on in the lanes that have little left. */
  async #refill(lanes: readonly Lane[] = [...this.#lanes.values()]): Promise<void> {
    for (const lane of lanes) if (this.#now() - lane.openedAt >= sliceMs) lane.more = false
    const wanting = lanes.filter((lane) => lane.buffer.length < lane.limit && this.#mayRead(lane))
    if (wanting.length === 0 || this.#outcomes.length > mostUnwritten) return
    for (const lane of wanting) {
      // What is pending now is all that is to do, wherever it stands.
      if (isEmpty(lane)) lane.cursor = startOf(lane.endpoint_id)
    }
    const most = wanting.length > readAhead.manyLanes ? readAhead.least : readAhead.most
    const found = await readDue(
      this.#gateway,
      wanting.map(({ cursor }) => cursor),
      most,
    )
    const byLane = Map.groupBy(found, ({ endpoint_id }) => endpoint_id)
    for (const lane of wanting) {
      const read = byLane.get(lane.endpoint_id) ?? []
      lane.more = read.length === most
      const last = read.at(-1)
      if (last) lane.cursor = last
      lane.buffer.push(...read)
      this.#pump(lane)
    }
  }

  /** Leases queues that are due and opens their lanes; answers how many. */
  async #open(): Promise<number> {
    const room = Math.min(leasesPerTurn, mostLanes - this.#lanes.size)
    if (room <= 0) return 0
    const leasedAt = this.#now()
    const leased = await leaseQueues(this.#gateway, this.#name, room)
    if (leased.length === 0) return 0
    const targets = await readTargets(this.#gateway, leased)
    const opened: Lane[] = []
    const releases: Release[] = []
    for (const endpoint_id of leased) {
      const target = targets.get(endpoint_id)
      if (target?.state === 'live') opened.push(this.#laneOf(target, leasedAt))
      else releases.push(await this.#leftAlone(endpoint_id, target))
    }
    for (const lane of opened) this.#lanes.set(lane.endpoint_id, lane)
    await this.#refill(opened)
    await releaseQueues(this.#gateway, this.#name, releases)
    return leased.length
  }

  /** A queue that is not delivered: paused with its channel, or ended with its endpoint. */
  async #leftAlone(endpoint_id: string, target: Target | undefined): Promise<Release> {
    const isPaused = target?.state === 'paused'
    if (!isPaused) await cancelQueue(this.#gateway, endpoint_id)
    return {
      endpoint_id,
      last_success_at: null,
      due_at: isPaused ? this.#gateway.clock.now() + pausedMs : null,
    }
  }

  #laneOf(target: Target, leasedAt: number): Lane {
    const { endpoint_id } = target
    return {
      endpoint_id,
      target,
      loadedAt: leasedAt,
      leasedAt,
      cursor: startOf(endpoint_id),
      buffer: [],
      more: false,
      inFlight: 0,
      unwritten: 0,
      limit: this.#failing.has(endpoint_id) ? inFlightPerLane.failing : inFlightPerLane.first,
      lastSuccessAt: null,
      idleSince: leasedAt,
      openedAt: leasedAt,
    }
  }

  /** Whether an attempt that begins now ends within the lease, and goes to an endpoint as it stands. */
  #maySend({ target, loadedAt, leasedAt }: Lane): boolean {
    const now = this.#now()
    const isLeased = now - leasedAt < leaseMs - attemptTimeoutMs
    return !this.#isStopping && isLeased && now - loadedAt <= mostStaleMs && target.state === 'live'
  }

  #mayRead(lane: Lane): boolean {
    return this.#maySend(lane) && this.#now() - lane.openedAt < sliceMs
  }

  #hasSlot({ endpoint_id }: Lane): boolean {
    if (this.#flying.size >= mostInFlight) return false
    return !this.#failing.has(endpoint_id) || this.#failingInFlight < mostFailingInFlight
  }

  /** Begins as many attempts as the lane and the slots allow. */
  #pump(lane: Lane): void {
    while (lane.buffer.length > 0 && lane.inFlight < lane.limit && this.#maySend(lane)) {
      if (!this.#hasSlot(lane)) {
        this.#waiting.add(lane)
        return
      }
      const due = lane.buffer.shift()
      if (due) this.#begin(lane, due)
    }
    if (lane.more && lane.buffer.length < lane.limit) this.#wake()
  }

  #begin(lane: Lane, due: Due): void {
    const wasFailing = this.#failing.has(lane.endpoint_id)
    lane.inFlight += 1
    if (wasFailing) this.#failingInFlight += 1
    const flight = attempt(this.#gateway, this.#egress, lane.target, due).then((outcome) => {
      this.#flying.delete(flight)
      lane.inFlight -= 1
      if (wasFailing) this.#failingInFlight -= 1
      lane.idleSince = this.#now()
      if (!this.#isCut) this.#ended(lane, outcome)
      this.#pump(lane)
      this.#pumpWaiting()
    })
    this.#flying.add(flight)
  }

  #ended(lane: Lane, outcome: Outcome): void {
    if (outcome.last_error === null) {
      lane.lastSuccessAt = outcome.attempted_at
      lane.limit = Math.min(inFlightPerLane.most, lane.limit + 1)
      this.#failing.delete(lane.endpoint_id)
    } else if (outcome.status !== 'cancelled') {
      lane.limit = inFlightPerLane.failing
      this.#failing.set(lane.endpoint_id, true)
    }
    lane.unwritten += 1
    this.#outcomes.push(outcome)
    if (this.#outcomes.length >= outcomesPerWrite) void this.#written().catch(() => {})
    else this.#writeLater(writeAfterMs)
  }

  /** The lane that has waited longest for a slot goes first, and then stands at the end again. */
  #pumpWaiting(): void {
    for (const lane of this.#waiting) {
      if (lane.buffer.length > 0 && !this.#hasSlot(lane)) continue
      this.#waiting.delete(lane)
      if (lane.buffer.length === 0) continue
      this.#pump(lane)
      return
    }
  }

  #writeLater(ms: number): void {
    this.#writeTimer ??= setTimeout(() => {
      this.#writeTimer = undefined
      this.#written().catch((error: unknown) => {
        this.#gateway.log.warn({ error }, 'what became of deliveries could not be written yet')
        if (!this.#isStopping) this.#writeLater(rewriteAfterMs)
      })
    }, ms)
  }

  /** Resolves when every outcome so far is written. */
  #written(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#outcomes.length > 0) {
      const batch = this.#outcomes.slice(0, outcomesPerWrite)
      await writeOutcomes(this.#gateway, batch)
      this.#outcomes = this.#outcomes.slice(batch.length)
      for (const { endpoint_id } of batch) {
        const lane = this.#lanes.get(endpoint_id)
        if (lane) lane.unwritten -= 1
      }
    }
  }

  /** Closes lanes that have nothing to do, where `isOver` says so too, and gives their leases back. */
  async #close(isOver: (lane: Lane) => boolean): Promise<void> {
    const over = [...this.#lanes.values()].filter((lane) => isEmpty(lane) && !lane.more && isOver(lane))
    if (over.length === 0) return
    for (const { endpoint_id } of over) this.#lanes.delete(endpoint_id)
    const releases = over.map(({ endpoint_id, lastSuccessAt, target }) => ({
      endpoint_id,
      last_success_at: lastSuccessAt,
      due_at: target.state === 'paused' ? this.#gateway.clock.now() + pausedMs : null,
    }))
    if (await releaseQueues(this.#gateway, this.#name, releases)) this.#wake()
  }
}

/** The lease is someone else's: what is in flight is written down, nothing more is begun. */
function give(lane: Lane): void {
  lane.buffer = []
  lane.more = false
  lane.leasedAt = Number.NEGATIVE_INFINITY
}

function isEmpty({ buffer, inFlight, unwritten }: Lane): boolean {
  return buffer.length === 0 && inFlight === 0 && unwritten === 0
}

function startOf(endpoint_id: string): Cursor {
  return { endpoint_id, due_at: -1, event_number: -1 }
}
