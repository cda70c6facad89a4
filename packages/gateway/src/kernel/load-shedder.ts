/**
 * Decides which requests are refused when more arrive than the process can serve. Work that waits too long is of no use
 * to its caller, who has given up or sent it again; so a part of the requests is refused at once, before any work, and
 * the others are served in time.
 *
 * A controller raises the pressure while delays are above their target and lowers it otherwise (after PIE, RFC 8033,
 * whose queueing delay is here that of the event loop or of the database's connections). The pressure is spread over the
 * classes in turn: a class is shed only once the class before it is shed entirely.
 */

import type { Clock } from './clock.ts'
import { sha256 } from './crypto.ts'

/**
 * The classes, first to be shed first. A `pull` reads a whole warehouse, which takes as long as thousands of other reads.
 * A write whose `Idempotency-Key` is under way or was seen before is `known`: its caller is in the middle of an order.
 * Health checks and operators are never shed.
 */
export const loadClasses = ['pull', 'read', 'write', 'keyed', 'known'] as const
export type LoadClass = (typeof loadClasses)[number]

/**
 * The delay to which each queue is held. It is longer than a garbage collection or a refresh of the stock blocks the
 * loop, and so short that a write, which takes about ten turns of the loop until it is sent, is still sent in time
 * (`writes/timing.ts`).
 */
export const targetDelayMs = 50
/** How often the delays are sampled while there are requests. */
export const sampleEveryMs = 50
/**
 * The delay of a loop to which fewer requests arrive between two samples, with fewer unfinished, has another cause:
 * background work or a starved machine. To refuse requests would not shorten it.
 */
const minArrivals = 4
const minUnfinished = 8
/** The share of the time in which a saturated loop has work. A loop that rests more is late for want of processor time. */
const minUtilization = 0.8
/** How much the pressure changes in 50 ms if the delay is twice the target, and how much if it grew by the target. */
const gain = 0.1
const damping = 0.1
const maxRise = 0.5
/**
 * The most requests of each class in flight. Of writes, those of all classes up to it: the share of each is kept for the
 * next. Pulls share the bandwidth, and delay no loop while they wait for it: without a bound, all of them are late.
 */
export const maxInFlight: Readonly<Record<LoadClass, number>> = {
  pull: 64,
  read: 1_000,
  write: 192,
  keyed: 256,
  known: 512,
}
const maxKnownKeys = 10_000
/** Bound once: a test that replaces the global `performance` must not disturb a gateway beside it. */
const readUtilization = performance.eventLoopUtilization.bind(performance)

/** The pressure of one queue on the classes that pass it. */
class Pressure {
  /** 0: nothing is shed; 1.5: all of the first class and half of the second one. */
  value = 0
  readonly #first: number
  readonly #count: number
  #before = 0
  #sampled = 0
  /** The part of a refusal that each class has accumulated, so that refusals are spread evenly. */
  readonly #owed: number[] = loadClasses.map(() => 0)

  /** `first` is the first class that passes the queue. The last class is never shed. */
  constructor(first: LoadClass) {
    this.#first = loadClasses.indexOf(first)
    this.#count = loadClasses.length - 1 - this.#first
  }

  note(sampledMs: number, elapsedMs: number) {
    // One long sample is no overload: something else than requests blocked the loop once.
    const delayMs = Math.min(sampledMs, this.#sampled)
    this.#sampled = sampledMs
    const excess = (delayMs - targetDelayMs) / targetDelayMs
    const growth = (delayMs - this.#before) / targetDelayMs
    this.#before = delayMs
    const change = gain * excess * (elapsedMs / sampleEveryMs) + damping * growth
    const next = this.value + Math.min(maxRise, Math.max(-maxRise, change))
    this.value = Math.min(this.#count, Math.max(0, next))
  }

  /** Whether the next request of a class is shed. */
  sheds(place: number): boolean {
    const share = Math.min(1, this.value - (place - this.#first))
    if (place < this.#first || place >= this.#first + this.#count || share <= 0) return false
    const owed = (this.#owed[place] ?? 0) + share
    this.#owed[place] = owed >= 1 ? owed - 1 : owed
    return owed >= 1
  }
}

/** Reads how long the queues outside this class are, in milliseconds. */
export interface LoadSources {
  readonly clock: Clock
  /** The longest wait of a request for a connection of the database, up to now. */
  readStoreDelay(): number
  /** The number of requests whose response is not completely sent. */
  countUnfinished(): number
}

/** What is observed between two samples. */
export interface LoadSample {
  /** How late the timer of the sample was, in milliseconds. */
  readonly loopDelayMs: number
  /** The time since the previous sample. */
  readonly elapsedMs: number
  /** The share of that time in which the event loop had work, from 0 to 1. */
  readonly utilization: number
}

/** What the head of a request says of its key. The text of a key alone is not known: other callers may use the same. */
export interface KeyedRequest {
  readonly authorization: readonly string[]
  readonly method: string
  readonly path: string
  readonly key: string
}

function hashKeyedRequest({ authorization, method, path, key }: KeyedRequest): string {
  return sha256(JSON.stringify([authorization, method, path, key])).toString('base64')
}

/** Spelled out, because each request passes it. */
const sum = ({ pull, read, write, keyed, known }: Readonly<Record<LoadClass, number>>) =>
  pull + read + write + keyed + known

export class LoadShedder {
  /** The requests that were refused since the process started. */
  readonly shed: Record<LoadClass, number> = { pull: 0, read: 0, write: 0, keyed: 0, known: 0 }
  /** The last sampled delays, in milliseconds. */
  loopDelayMs = 0
  storeDelayMs = 0
  readonly #sources: LoadSources
  readonly #loop = new Pressure('pull')
  readonly #store = new Pressure('write')
  readonly #active: Record<LoadClass, number> = { pull: 0, read: 0, write: 0, keyed: 0, known: 0 }
  readonly #knownKeys = new Set<string>()
  #arrivals = 0
  #timer: NodeJS.Timeout | undefined
  #sampledAt = 0
  #utilization = readUtilization()

  constructor(sources: LoadSources) {
    this.#sources = sources
  }

  /** Whether requests are refused at the moment. */
  get isShedding(): boolean {
    return this.#loop.value > 0 || this.#store.value > 0
  }

  get active(): number {
    return sum(this.#active)
  }

  /** The number of all requests that were refused since the process started. */
  get shedInAll(): number {
    return sum(this.shed)
  }

  /** Begins a request, and returns whether it may be served. If so, `end` must be called. */
  begin(kind: LoadClass): boolean {
    this.#arrivals += 1
    this.#timer ??= this.#startSampling()
    if ((this.isShedding || this.active >= maxInFlight.pull) && this.#mustShed(kind)) {
      this.shed[kind] += 1
      return false
    }
    this.#active[kind] += 1
    return true
  }

  end(kind: LoadClass) {
    this.#active[kind] -= 1
  }

  /**
   * Counts a request again that was not counted while its body was awaited, and returns whether it may be served: only
   * the number in flight decides, because the pressure has let it pass already.
   */
  resume(kind: LoadClass): boolean {
    if (this.#isFull(kind)) {
      this.shed[kind] += 1
      return false
    }
    this.#active[kind] += 1
    return true
  }

  #mustShed(kind: LoadClass): boolean {
    const place = loadClasses.indexOf(kind)
    return this.#isFull(kind) || this.#loop.sheds(place) || this.#store.sheds(place)
  }

  #isFull(kind: LoadClass): boolean {
    const { pull, read, write, keyed, known } = this.#active
    const writes = write + keyed + known
    const inFlight = kind === 'pull' ? pull : kind === 'read' ? read : writes
    return inFlight >= maxInFlight[kind]
  }

  /** Remembers a request with a key whose work has begun. */
  rememberKey(request: KeyedRequest) {
    this.#knownKeys.add(hashKeyedRequest(request))
    if (this.#knownKeys.size <= maxKnownKeys) return
    for (const oldest of this.#knownKeys) return void this.#knownKeys.delete(oldest)
  }

  isKnownKey(request: KeyedRequest): boolean {
    return this.#knownKeys.has(hashKeyedRequest(request))
  }

  #startSampling(): NodeJS.Timeout {
    this.#sampledAt = this.#sources.clock.monotonic()
    this.#utilization = readUtilization()
    return this.#sampleLater()
  }

  #sampleLater(): NodeJS.Timeout {
    return setTimeout(() => this.#sampleNow(), sampleEveryMs).unref()
  }

  #sampleNow() {
    const now = this.#sources.clock.monotonic()
    const elapsedMs = Math.max(0, now - this.#sampledAt)
    this.#sampledAt = now
    const isIdle = this.active === 0 && this.#arrivals === 0
    const utilization = readUtilization()
    const { utilization: share } = readUtilization(utilization, this.#utilization)
    this.#utilization = utilization
    // A clock that stands still, as in tests, says nothing.
    if (elapsedMs > 0)
      this.sample({ loopDelayMs: Math.max(0, elapsedMs - sampleEveryMs), elapsedMs, utilization: share })
    else this.#arrivals = 0
    this.#timer = isIdle && !this.isShedding ? undefined : this.#sampleLater()
  }

  /** Adjusts the pressure to what was observed since the previous sample. */
  sample({ loopDelayMs, elapsedMs, utilization }: LoadSample) {
    const arrivals = (this.#arrivals * sampleEveryMs) / Math.max(sampleEveryMs, elapsedMs)
    this.#arrivals = 0
    const isBusy = arrivals >= minArrivals || this.#sources.countUnfinished() >= minUnfinished
    this.loopDelayMs = loopDelayMs
    this.storeDelayMs = this.#sources.readStoreDelay()
    this.#loop.note(isBusy && utilization >= minUtilization ? loopDelayMs : 0, elapsedMs)
    this.#store.note(isBusy ? this.storeDelayMs : 0, elapsedMs)
  }
}
