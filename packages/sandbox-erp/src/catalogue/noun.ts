import type { adjectives, materials, Word } from './words.ts'

export type MaterialCode = keyof typeof materials
export type AdjectiveKey = keyof typeof adjectives

/** A size as it is shown and as it stands in a SKU, and what it costs more than the smallest. */
export interface Size {
  readonly name: string
  readonly code: string
  readonly surcharge_percent: number
}

/** A kind of thing that is sold: the wholesale price is from–to in whole AUD, for 100 % cotton. */
export interface Noun extends Word {
  readonly sizes: keyof typeof sizeRuns
  readonly price: readonly [number, number]
  readonly weight_g: number
}

/** A category: any material, adjective and noun of it may be combined and still make sense. */
export interface Goods {
  readonly category: string
  readonly colours: readonly [number, number]
  readonly materials: readonly MaterialCode[]
  readonly adjectives: readonly AdjectiveKey[]
  readonly nouns: readonly Noun[]
}

/** Each style takes one run of its noun's sizes. */
export const sizeRuns = {
  apparel: [
    sizes('XS S M L XL'),
    sizes('S M L XL'),
    [...sizes('S M L XL'), ...sizes('2XL', 10)],
    [...sizes('XS S M L XL'), ...sizes('2XL 3XL', 10)],
    [...sizes('M L XL'), ...sizes('2XL 3XL', 10)],
  ],
  robe: [sizes('S M L XL'), sizes('M L XL')],
  glove: [sizes('S M L')],
  shoes: [
    sizes('36 37 38 39 40 41'),
    sizes('35 36 37 38 39 40 41 42'),
    sizes('40 41 42 43 44 45 46'),
    sizes('37 38 39 40 41 42 43 44 45'),
  ],
  bed: [
    [...sizes('SINGLE'), ...sizes('DOUBLE', 25), ...sizes('QUEEN', 40), ...sizes('KING', 60)],
    [...sizes('DOUBLE'), ...sizes('QUEEN', 15), ...sizes('KING', 30)],
  ],
  pillow: [[...sizes('STANDARD'), ...sizes('KING', 20)]],
  rug: [[...sizes('60x90'), ...sizes('120x180', 250), ...sizes('160x230', 500)]],
  one: [sizes('ONE')],
} satisfies Record<string, readonly (readonly Size[])[]>

function sizes(names: string, surcharge_percent = 0): Size[] {
  return names.split(' ').map((name) => ({ name, code: name.toUpperCase(), surcharge_percent }))
}

/** Everything that `goods` names is written as one such line. */
export function noun(
  en: string,
  zh: string,
  ko: string,
  sizes: Noun['sizes'],
  from: number,
  to: number,
  weight_g: number,
): Noun {
  return { en, zh, ko, sizes, price: [from, to], weight_g }
}
