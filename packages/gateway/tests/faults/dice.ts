/** Makes random choices that can be reproduced from their seed (mulberry32). */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Draws a whole number from `least` to `most`, both included. */
  drawInteger(least: number, most: number): number {
    return least + Math.floor(this.#fraction() * (most - least + 1))
  }

  /** Draws true with this probability, otherwise false. */
  drawBoolean(probability: number): boolean {
    return this.#fraction() < probability
  }

  /** Draws an item of a list, which must not be empty. */
  pick<Item>(list: readonly Item[]): Item {
    const [item] = list.slice(this.drawInteger(0, list.length - 1))
    if (item === undefined) throw new RangeError('There is nothing to pick from.')
    return item
  }

  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
