/**
 * Named locks for requests, on PostgreSQL. A request may queue behind another one of this process for longer than it
 * waits for the database, because the other one may be waiting for the ERP. While it queues, it asks the database
 * regularly whether it responds, so that it does not wait for a holder that is stuck in the database.
 */

import { systemClock } from '../kernel/clock.ts'
import type { InProcessLocks } from './in-process-locks.ts'
import { findPatience, maxRequestSilenceMs, Patience } from './patience.ts'
import type { SessionLocks, WantedLock } from './session-locks.ts'
import { DatabaseSilent, type StorageState } from './trouble.ts'

/** How often a queued request asks. Together with the wait for the response, it is the longest accepted silence. */
const askEveryMs = 500

interface LockParts {
  readonly locks: InProcessLocks
  readonly sessionLocks: SessionLocks
  readonly state: StorageState
}

export class RequestLocks {
  readonly #parts: LockParts
  /** The question that all queued requests share. */
  #asking: Promise<void> | undefined

  constructor(parts: LockParts) {
    this.#parts = parts
  }

  /** Like `Store.withLock`. Throws `DatabaseSilent` if the database does not respond while the request waits. */
  async hold<T>(
    { name, waitMs }: WantedLock,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const { locks, sessionLocks, state } = this.#parts
    const patience = findPatience() ?? new Patience()
    const { silences } = state
    const queue = { isOver: false }
    const until = systemClock.monotonic() + waitMs
    const held = locks.hold(name, waitMs, async () => {
      if (queue.isOver) return undefined
      queue.isOver = true
      // While this request queued behind another one, the database was found not to respond. So it fails at once.
      if (state.trouble === 'storage_unavailable' && state.silences > silences) throw new DatabaseSilent()
      const onSilence = (error: unknown) => state.note(error)
      const left = Math.max(0, until - systemClock.monotonic())
      return sessionLocks.hold({ name, waitMs: left, patience, onSilence }, work)
    })
    // Without a queue, the work has begun by now.
    if (queue.isOver) return held
    try {
      return await Promise.race([held, this.#watch(queue)])
    } finally {
      queue.isOver = true
    }
  }

  /** Throws once the database does not respond, unless the request's turn comes first. */
  async #watch(queue: { readonly isOver: boolean }): Promise<never> {
    while (!queue.isOver) {
      await new Promise((resolve) => setTimeout(resolve, askEveryMs))
      if (!queue.isOver) await this.#requireResponse()
    }
    return new Promise(() => {})
  }

  #requireResponse(): Promise<void> {
    const { sessionLocks, state } = this.#parts
    const ask = () => sessionLocks.requireResponse(maxRequestSilenceMs - askEveryMs)
    this.#asking ??= ask()
      // A connection that broke says nothing about the database, but a new one does.
      .catch((error: unknown) => (error instanceof DatabaseSilent ? Promise.reject(error) : ask()))
      .catch((error: unknown) => {
        state.note(error)
        throw error
      })
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }
}
