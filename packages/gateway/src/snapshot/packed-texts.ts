/**
 * A list of texts, packed into one. A million SKUs as texts of their own are a million objects, which V8's collection
 * visits each time that it marks the heap.
 */
export class PackedTexts implements Iterable<string> {
  readonly #joined: string
  /** Where each text ends in `#joined`. */
  readonly #ends: Uint32Array

  private constructor(joined: string, ends: Uint32Array) {
    this.#joined = joined
    this.#ends = ends
  }

  static of(texts: readonly string[]): PackedTexts {
    const ends = new Uint32Array(texts.length)
    let end = 0
    texts.forEach((text, index) => {
      end += text.length
      ends[index] = end
    })
    return new PackedTexts(texts.join(''), ends)
  }

  get length(): number {
    return this.#ends.length
  }

  /** Returns the text at an index; the empty text behind the last one. */
  at(index: number): string {
    return this.#joined.slice(this.#startOf(index), this.#ends[index] ?? this.#joined.length)
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let index = 0; index < this.length; index++) yield this.at(index)
  }

  /** Finds a text in a sorted list; undefined if it has no such text. */
  find(text: string): number | undefined {
    const index = this.findLowerBound(text)
    return index < this.length && this.#compare(index, text) === 0 ? index : undefined
  }

  /** Finds in a sorted list the index of the first text that is not below `text`; the length if all are below. */
  findLowerBound(text: string): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, text) >= 0) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Compares as `<` compares texts, by their UTF-16 units, without making a text. */
  #compare(index: number, text: string): number {
    const start = this.#startOf(index)
    const length = (this.#ends[index] ?? start) - start
    const common = Math.min(length, text.length)
    for (let at = 0; at < common; at++) {
      const difference = this.#joined.charCodeAt(start + at) - text.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return length - text.length
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? this.#joined.length)
  }
}
