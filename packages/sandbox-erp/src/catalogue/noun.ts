import type { adjectives, materials, Word } from './words.ts'

export type MaterialCode = keyof typeof materials
export type AdjectiveKey = keyof typeof adjectives

/** A size with its display name, its code in SKUs, and its surcharge over the smallest size. */
export interface Size {
  readonly name: string
  readonly code: string
  readonly surcharge_percent: number
}

/** A kind of article. `price` is the range of wholesale prices in whole AUD, for plain cotton. */
export interface Noun extends Word {
  readonly sizes: keyof typeof sizeRuns
  readonly price: readonly [number, number]
  readonly weight_g: number
}

/** A category of articles. Any combination of its materials, adjectives and nouns makes sense. */
export interface Goods {
  readonly category: string
  readonly colours: readonly [number, number]
  readonly materials: readonly MaterialCode[]
  readonly adjectives: readonly AdjectiveKey[]
  readonly nouns: readonly Noun[]
}

/**
 * The lists of sizes ("size runs") for each kind of article, such as shoes. Each style gets one of the lists for its
 * kind.
 */
export const sizeRuns = {
  apparel: [
    parseSizes('XS S M L XL'),
    parseSizes('S M L XL'),
    [...parseSizes('S M L XL'), ...parseSizes('2XL', 10)],
    [...parseSizes('XS S M L XL'), ...parseSizes('2XL 3XL', 10)],
    [...parseSizes('M L XL'), ...parseSizes('2XL 3XL', 10)],
  ],
  robe: [parseSizes('S M L XL'), parseSizes('M L XL')],
  glove: [parseSizes('S M L')],
  shoes: [
    parseSizes('36 37 38 39 40 41'),
    parseSizes('35 36 37 38 39 40 41 42'),
    parseSizes('40 41 42 43 44 45 46'),
    parseSizes('37 38 39 40 41 42 43 44 45'),
  ],
  bed: [
    [
      ...parseSizes('SINGLE'),
      ...parseSizes('DOUBLE', 25),
      ...parseSizes('QUEEN', 40),
      ...parseSizes('KING', 60),
    ],
    [...parseSizes('DOUBLE'), ...parseSizes('QUEEN', 15), ...parseSizes('KING', 30)],
  ],
  pillow: [[...parseSizes('STANDARD'), ...parseSizes('KING', 20)]],
  rug: [[...parseSizes('60x90'), ...parseSizes('120x180', 250), ...parseSizes('160x230', 500)]],
  one: [parseSizes('ONE')],
} satisfies Record<string, readonly (readonly Size[])[]>

function parseSizes(names: string, surcharge_percent = 0): Size[] {
  return names.split(' ').map((name) => ({ name, code: name.toUpperCase(), surcharge_percent }))
}
