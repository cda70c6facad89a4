/**
 * The requests whose bodies are still arriving. They take no place among the requests in flight, because a client without
 * credentials could otherwise hold all of these places with bodies that it sends slowly. An honest body arrives within a
 * round trip, so where there are too many, the one that was awaited longest is refused.
 */

import type { IncomingMessage } from 'node:http'

/** The largest number of bodies that one address may have on their way. */
export const maxAwaitedPerAddress = 64
/** The largest number of bodies on their way in all. Each takes up to `maxBodyBytes` of memory. */
export const maxAwaitedBodies = 512

export class AwaitedBodies {
  /** Each request with the key of its address, in the sequence in which the bodies were first awaited. */
  readonly #awaited = new Map<IncomingMessage, string | undefined>()
  readonly #refuse: (request: IncomingMessage) => void

  /** `refuse` makes the read of a request's body fail. */
  constructor(refuse: (request: IncomingMessage) => void) {
    this.#refuse = refuse
  }

  add(request: IncomingMessage, address: string | undefined) {
    const surplus = this.#findSurplus(address)
    if (surplus) {
      this.#awaited.delete(surplus)
      this.#refuse(surplus)
    }
    this.#awaited.set(request, address)
  }

  delete(request: IncomingMessage) {
    this.#awaited.delete(request)
  }

  /** Finds the oldest request of an address that has too many, or else the oldest if there are too many in all. */
  #findSurplus(address: string | undefined): IncomingMessage | undefined {
    if (this.#awaited.size < maxAwaitedPerAddress) return undefined
    const own = address === undefined ? [] : [...this.#awaited].filter(([, other]) => other === address)
    if (own.length >= maxAwaitedPerAddress) return own[0]?.[0]
    return this.#awaited.size >= maxAwaitedBodies ? this.#awaited.keys().next().value : undefined
  }
}
