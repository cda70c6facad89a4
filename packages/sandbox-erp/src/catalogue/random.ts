/**
 * Pseudo-random choices that repeat themselves exactly for the same seed, a whole number. Each `stream` of a seed is
 * a sequence of its own, so that what one part draws does not move what another part draws. The generator is
 * mulberry32: 32 bits of state, enough for test data and for nothing that must be secret.
 */
export class Random {
  #state: number

  constructor(seed: number, stream = 0) {
    this.#state = scrambled(scrambled(scrambled(seed >>> 0) ^ high(seed)) ^ stream)
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.#fraction() * (max - min + 1))
  }

  /** One item of a list. Throws a RangeError when the list is empty. */
  pick<Item>(list: readonly Item[]): Item {
    return itemAt(list, this.whole(0, list.length - 1))
  }

  /** True with probability `p`, 0 to 1. */
  chance(p: number): boolean {
    return this.#fraction() < p
  }

  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The item at an index that the caller knows to be inside the list. Throws a RangeError when it is not. */
export function itemAt<Item>(list: readonly Item[], index: number): Item {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no item ${index} in a list of ${list.length}.`)
  return item
}

/** The same items in an order that only depends on `random` (Fisher and Yates). */
export function shuffled<Item>(list: readonly Item[], random: Random): Item[] {
  const items = [...list]
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.whole(0, last)
    const kept = itemAt(items, last)
    items[last] = itemAt(items, other)
    items[other] = kept
  }
  return items
}

function high(seed: number): number {
  return Math.floor(seed / 2 ** 32) | 0
}

/** The finaliser of MurmurHash3: neighbouring seeds must not give similar sequences. */
function scrambled(value: number): number {
  let bits = value ^ 0x9e3779b9
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
