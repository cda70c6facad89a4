/**
 * A deterministic pseudo-random generator. Each `stream` of a seed is an independent sequence, so that the draws of one
 * part do not affect another part. The generator is mulberry32 with 32 bits of state, which is sufficient for test data
 * and not secure.
 */
export class Random {
  #state: number

  constructor(seed: number, stream = 0) {
    this.#state = scramble(scramble(scramble(seed >>> 0) ^ getUpperBits(seed)) ^ stream)
  }

  /** Draws an integer from `min` to `max`, both included. */
  drawInteger(min: number, max: number): number {
    return min + Math.floor(this.#drawFraction() * (max - min + 1))
  }

  /** Picks one item of a list. Throws a RangeError if the list is empty. */
  pick<Item>(list: readonly Item[]): Item {
    return requireItem(list, this.drawInteger(0, list.length - 1))
  }

  /** Returns true with probability `p`, 0 to 1. */
  drawWithProbability(p: number): boolean {
    return this.#drawFraction() < p
  }

  #drawFraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the item at an index. Throws a RangeError if the index is outside the list. */
export function requireItem<Item>(list: readonly Item[], index: number): Item {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no item ${index} in a list of ${list.length}.`)
  return item
}

/** Returns the items in a random order (Fisher–Yates). */
export function shuffle<Item>(list: readonly Item[], random: Random): Item[] {
  const items = [...list]
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.drawInteger(0, last)
    const kept = requireItem(items, last)
    items[last] = requireItem(items, other)
    items[other] = kept
  }
  return items
}

function getUpperBits(seed: number): number {
  return Math.floor(seed / 2 ** 32) | 0
}

/**
 * Scrambles the bits of a seed with the finalizer of MurmurHash3, because similar seeds must not give similar
 * sequences.
 */
function scramble(value: number): number {
  let bits = value ^ 0x9e3779b9
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
