/**
 * An inverted index over documents with fields, ranked by BM25+ (Lv and Zhai, 2011): a word that few documents have
 * counts more, and in a short field it counts more than in a long one. A query term matches the same word, the words that
 * it begins, or, if there is neither, the words that are a few wrong letters away.
 */
export class InvertedIndex {
  readonly #boosts: readonly number[]
  readonly #postings = new Map<string, Map<number, number[]>>()
  /** The number of words of each document, by field. */
  readonly #lengths: number[][] = []
  readonly #totals: number[]

  /** `boosts` has a factor for each field. */
  constructor(boosts: readonly number[]) {
    this.#boosts = boosts
    this.#totals = boosts.map(() => 0)
  }

  /** Adds a document with the words of each field. Documents are numbered from 0. */
  add(fields: readonly (readonly string[])[]) {
    const document = this.#lengths.length
    this.#lengths.push(fields.map(({ length }) => length))
    for (const [field, words] of fields.entries()) {
      this.#totals[field] = (this.#totals[field] ?? 0) + words.length
      for (const word of words) {
        const posting = this.#postings.get(word) ?? new Map<number, number[]>()
        const counts = posting.get(document) ?? this.#boosts.map(() => 0)
        counts[field] = (counts[field] ?? 0) + 1
        this.#postings.set(word, posting.set(document, counts))
      }
    }
  }

  /** Finds the documents with any of the terms, in no order. */
  search(terms: readonly QueryTerm[]): Match[] {
    const found = new Map<number, { score: number; terms: number }>()
    for (const term of terms) {
      const scores = new Map<number, number>()
      for (const [word, weight] of this.#expand(term)) this.#addScores(word, weight, scores)
      for (const [document, score] of scores) {
        const before = found.get(document) ?? { score: 0, terms: 0 }
        found.set(document, { score: before.score + score, terms: before.terms + 1 })
      }
    }
    return [...found].map(([document, match]) => ({ document, ...match }))
  }

  /** Returns the words of the index that a term stands for, each with its weight. */
  #expand({ text, isPrefix, maxTypos }: QueryTerm): Map<string, number> {
    const words = new Map<string, number>()
    if (this.#postings.has(text)) words.set(text, 1)
    if (isPrefix) {
      for (const word of this.#postings.keys()) {
        const more = word.length - text.length
        if (more > 0 && word.startsWith(text))
          words.set(word, (prefixWeight * text.length) / (text.length + 0.3 * more))
      }
    }
    if (words.size > 0 || maxTypos === 0) return words
    for (const word of this.#postings.keys()) {
      const typos = countTypos(text, word, maxTypos)
      if (typos <= maxTypos) words.set(word, (typoWeight * text.length) / (text.length + typos))
    }
    return words
  }

  #addScores(word: string, weight: number, scores: Map<number, number>) {
    const posting = this.#postings.get(word) ?? new Map<number, number[]>()
    const documents = this.#lengths.length
    for (const [field, boost] of this.#boosts.entries()) {
      const average = (this.#totals[field] ?? 0) / documents
      const having = [...posting].filter(([, counts]) => (counts[field] ?? 0) > 0)
      const rarity = Math.log(1 + (documents - having.length + 0.5) / (having.length + 0.5))
      for (const [document, counts] of having) {
        const count = counts[field] ?? 0
        const length = (this.#lengths[document]?.[field] ?? 0) / average
        const score =
          rarity *
          (lowerBound +
            (count * (saturation + 1)) / (count + saturation * (1 - lengthShare + lengthShare * length)))
        scores.set(document, (scores.get(document) ?? 0) + weight * boost * score)
      }
    }
  }
}

export interface QueryTerm {
  readonly text: string
  /** Whether the term may be the start of a word. */
  readonly isPrefix: boolean
  /** The largest number of wrong, missing or superfluous letters. */
  readonly maxTypos: number
}

export interface Match {
  readonly document: number
  readonly score: number
  /** The number of query terms that the document has. */
  readonly terms: number
}

const prefixWeight = 0.5
const typoWeight = 0.2
/** The parameters k, b and δ of BM25+. */
const saturation = 1.2
const lengthShare = 0.7
const lowerBound = 0.5

/** Counts the letters to change, insert or remove (Levenshtein); more than `most` if there are more. */
function countTypos(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const changed = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[other.length] ?? most + 1
}
