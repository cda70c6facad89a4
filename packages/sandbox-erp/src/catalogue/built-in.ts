import type { ErpProduct } from '@trade-gateway/connector'
import type { Catalogue, OpeningStock } from './catalogue.ts'
import { createDays } from './days.ts'
import { home } from './home.ts'
import { Random, requireItem, shuffle } from './random.ts'
import { createStyle, type Recipe } from './style.ts'
import { createTriggerStyle } from './triggers.ts'
import { wear } from './wear.ts'

/** The maximum number of styles. There are about ten times as many SKUs. */
export const maxStyles = 100_000
export const defaultStyles = 2_000

interface BuiltInOptions {
  readonly seed: number
  readonly styles?: number
  /** `YYYY-MM-DD`: the reference day for the dates of incoming stock and of the last change. */
  readonly today: string
}

/**
 * Creates a simulated catalogue of clothes, home goods and gifts in three languages, with stock in the three
 * warehouses, plus the style `SBX` with the sandbox triggers. By default there are more than 20,000 SKUs. The same seed
 * gives the same catalogue, and a larger catalogue starts with the smaller one. `today` affects dates only. Throws a
 * RangeError if `today`, `seed` or `styles` is not valid.
 */
export function createBuiltInCatalogue({ seed, styles = defaultStyles, today }: BuiltInOptions): Catalogue {
  if (!Number.isInteger(styles) || styles < 0 || styles > maxStyles) {
    throw new RangeError(`The catalogue has 0 to ${maxStyles} styles, not ${styles}.`)
  }
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed is a whole number, not ${seed}.`)
  const days = createDays(today)
  const recipes = shuffle(listRecipes(), new Random(seed))
  const triggers = createTriggerStyle(days)
  const products: ErpProduct[] = [triggers.product]
  const stock: OpeningStock[] = [...triggers.stock]
  for (let number = 1; number <= styles; number++) {
    const recipe = requireItem(recipes, (number - 1) % recipes.length)
    const edition = Math.ceil(number / recipes.length)
    const style = createStyle(recipe, { number, edition }, { random: new Random(seed, number), days })
    products.push(style.product)
    stock.push(...style.stock)
  }
  return { products, stock, left_out: [] }
}

function listRecipes(): Recipe[] {
  return [...wear, ...home].flatMap((goods) =>
    goods.materials.flatMap((material) =>
      goods.adjectives.flatMap((adjective) =>
        goods.nouns.map((noun) => ({ goods, material, adjective, noun })),
      ),
    ),
  )
}
