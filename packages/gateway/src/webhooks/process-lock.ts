/** Holds the lock by which other processes recognise that this one is alive, so that they leave its leases alone. */

import type { Gateway } from '../gateway.ts'
import { withProcessLock } from './queue.ts'

export class ProcessLock {
  readonly #gateway: Gateway
  readonly #name: string
  readonly #onLost: () => void
  readonly #released = Promise.withResolvers<void>()
  #lock: Promise<unknown> | undefined

  /** `name` is the one in the leases of this process. `onLost` is called when other processes may free them. */
  constructor(gateway: Gateway, name: string, onLost: () => void) {
    this.#gateway = gateway
    this.#name = name
    this.#onLost = onLost
  }

  /**
   * Takes the lock, unless it is held already. Returns false if it is not free, because a lost session of this process
   * still has it: others would free the leases of this process.
   */
  async hold(): Promise<boolean> {
    if (this.#lock) return true
    const held = Promise.withResolvers<boolean>()
    const lock = withProcessLock(this.#gateway, this.#name, (lost) => {
      held.resolve(true)
      const { promise: lockLost, resolve } = Promise.withResolvers<void>()
      lost.addEventListener('abort', () => resolve(), { once: true })
      if (lost.aborted) resolve()
      return Promise.race([lockLost, this.#released.promise])
    })
    const isHeld = await Promise.race([held.promise, lock.then(() => false)])
    if (!isHeld) return false
    this.#lock = lock
    lock.then(
      () => this.#onEnd(lock),
      () => this.#onEnd(lock),
    )
    return true
  }

  /** Releases the lock for good. */
  async release(): Promise<void> {
    this.#released.resolve()
    await this.#lock?.catch(() => {})
  }

  #onEnd(lock: Promise<unknown>): void {
    if (this.#lock !== lock) return
    this.#lock = undefined
    this.#onLost()
  }
}
