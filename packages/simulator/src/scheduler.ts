/**
 * Runs everything that happens in a simulated world, one event after another, in virtual time. Events that are due at
 * the same time run in an order that the seed decides. Each event belongs to the process that set it, and is dropped if
 * that process has crashed since.
 */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { drainRealLoop, type Machine } from './platform.ts'
import { SeededRandom } from './random.ts'

/** A process that events can belong to. */
export interface Owner {
  readonly name: string
  readonly isAlive: boolean
  /** How far the process's clock is ahead of the world's, in milliseconds. */
  readonly skewMs: number
  /** Until when the process stands still, in milliseconds since the world began. */
  readonly pausedUntil: number
  readonly random: SeededRandom
}

/** Owns what happens outside all processes, and what their crashes do not end. */
export const outside: Owner = {
  ...{ name: 'outside', isAlive: true, skewMs: 0, pausedUntil: 0 },
  random: new SeededRandom(0, 'outside'),
}

interface Event {
  at: number
  order: number
  isCancelled: boolean
  readonly owner: Owner | undefined
  readonly act: () => void
}

/** The time at which every world begins, in epoch milliseconds. */
export const worldStart = Date.UTC(2026, 10, 21, 12)

export class Scheduler implements Machine {
  readonly #owners = new AsyncLocalStorage<Owner>()
  readonly #random: SeededRandom
  readonly #fallback: SeededRandom
  #heap: Event[] = []
  #now: number
  /** How far all clocks are ahead of the time that has passed, in milliseconds. */
  shiftMs = 0
  /** The first error that nothing caught. */
  fault: unknown

  /** `elapsedMs` is the time that has passed in the world before. */
  constructor(seed: number, elapsedMs = 0) {
    this.#random = new SeededRandom(seed, 'scheduler')
    this.#fallback = new SeededRandom(seed, 'world')
    this.#now = elapsedMs
  }

  /** Milliseconds since the world began. */
  get elapsedMs(): number {
    return this.#now
  }

  /** Runs work as a process: its timers end with the process. */
  runAs<T>(owner: Owner, work: () => T): T {
    return this.#owners.run(owner, work)
  }

  now(): number {
    return this.worldTime + (this.#owners.getStore()?.skewMs ?? 0)
  }

  /** The time by a clock that is right, in epoch milliseconds. */
  get worldTime(): number {
    return worldStart + this.shiftMs + Math.floor(this.#now)
  }

  monotonic(): number {
    return this.#now
  }

  bytes(count: number): Buffer {
    return (this.#owners.getStore()?.random ?? this.#fallback).bytes(count)
  }

  fraction(): number {
    return (this.#owners.getStore()?.random ?? this.#fallback).fraction()
  }

  setTimer(act: () => void, ms: number) {
    const context = new AsyncResource('event')
    const event: Event = {
      at: this.#now + Math.max(0, ms),
      order: this.#random.fraction(),
      isCancelled: false,
      owner: this.#owners.getStore(),
      act: () => context.runInAsyncScope(act),
    }
    this.#push(event)
    return {
      cancel: () => {
        event.isCancelled = true
      },
      refresh: () => {
        event.isCancelled = true
      },
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimer(resolve, ms))
  }

  /** Runs events until `isOver`, or until none is left, or until `maxMs` of the world's time. */
  async run(isOver: () => boolean, maxMs: number): Promise<void> {
    for (await drainRealLoop(); !isOver() && this.fault === undefined; await drainRealLoop()) {
      const event = this.#pop()
      if (!event || event.at > maxMs) return
      this.#now = Math.max(this.#now, event.at)
      event.act()
    }
  }

  #push(event: Event) {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(event, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = event
  }

  /** Takes the next event of a living process. */
  #pop(): Event | undefined {
    for (;;) {
      const event = this.#takeFirst()
      if (!event) return undefined
      if (event.isCancelled || event.owner?.isAlive === false) continue
      const pausedUntil = event.owner?.pausedUntil ?? 0
      if (pausedUntil <= Math.max(this.#now, event.at)) return event
      event.at = pausedUntil
      this.#push(event)
    }
  }

  #takeFirst(): Event | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
      const isRight = right !== undefined && left !== undefined && isBefore(right, left)
      const child = isRight ? right : left
      if (!child || !isBefore(child, last)) break
      heap[at] = child
      at = 2 * at + (isRight ? 2 : 1)
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at
}
