/** Random numbers that follow from a seed and a name (mulberry32), so that one source never shifts another. */
export class SeededRandom {
  #state: number

  constructor(seed: number, name = '') {
    let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)
    for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
    this.#state = state >>> 0
  }

  /** Draws from 0 up to, but not including, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }

  /** Draws a whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** Draws true with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Picks an item of a list, which must not be empty. */
  pick<Item>(list: readonly Item[]): Item {
    const [item] = list.slice(this.integer(0, list.length - 1))
    if (item === undefined) throw new RangeError('There is nothing to pick from.')
    return item
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.integer(0, 255)))
  }
}
