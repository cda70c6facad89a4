/** The most writes that wait for the others of their turn. */
export const maxGathered = 64

/**
 * Gathers the writes of one turn of the event loop, and makes them one after another at its end. A write goes through the
 * kernel's network and wakes its client. Between two requests, that would drive the code of both out of the processor's
 * caches: with 32 connections, a page took a third more processor time (decision 88).
 */
export class GatheredWrites {
  readonly #writes: (() => void)[] = []

  /** Makes a write at the end of this turn, or sooner if `maxGathered` wait. */
  add(write: () => void): void {
    const waiting = this.#writes.push(write)
    if (waiting === 1) setImmediate(() => this.#make())
    else if (waiting === maxGathered) this.#make()
  }

  #make() {
    for (const write of this.#writes.splice(0)) write()
  }
}
