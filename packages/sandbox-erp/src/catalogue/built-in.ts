import type { ErpProduct } from '@trade-gateway/connector'
import type { Catalogue, OpeningStock } from './catalogue.ts'
import { daysAround } from './days.ts'
import { home } from './home.ts'
import { itemAt, Random, shuffled } from './random.ts'
import { type Recipe, styleFrom } from './style.ts'
import { triggerStyle } from './triggers.ts'
import { wear } from './wear.ts'

/** The largest number of styles; about ten times as many SKUs. */
export const mostStyles = 100_000

interface BuiltIn {
  readonly seed: number
  readonly styles?: number
  /** `YYYY-MM-DD`: the day from which dates of incoming stock and of the last change are counted. */
  readonly today: string
}

/**
 * The invented catalogue of a house that sells clothes, things for the home and gifts, in three languages, with
 * stock in the three warehouses; and on top of `styles` the style `SBX` of the sandbox triggers. The default makes
 * more than 20,000 SKUs. The same seed gives the same catalogue; a larger one begins with the smaller one; `today`
 * moves dates and nothing else. Throws a RangeError for a `today` or a number of styles that is none.
 */
export function builtInCatalogue({ seed, styles = 2_000, today }: BuiltIn): Catalogue {
  if (!Number.isInteger(styles) || styles < 0 || styles > mostStyles) {
    throw new RangeError(`The catalogue has 0 to ${mostStyles} styles, not ${styles}.`)
  }
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed is a whole number, not ${seed}.`)
  const days = daysAround(today)
  const recipes = shuffled(everyRecipe(), new Random(seed))
  const triggers = triggerStyle(days)
  const products: ErpProduct[] = [triggers.product]
  const stock: OpeningStock[] = [...triggers.stock]
  for (let number = 1; number <= styles; number++) {
    const recipe = itemAt(recipes, (number - 1) % recipes.length)
    const edition = Math.ceil(number / recipes.length)
    const style = styleFrom(recipe, number, edition, new Random(seed, number), days)
    products.push(style.product)
    stock.push(...style.stock)
  }
  return { products, stock, left_out: [] }
}

function everyRecipe(): Recipe[] {
  return [...wear, ...home].flatMap((goods) =>
    goods.materials.flatMap((material) =>
      goods.adjectives.flatMap((adjective) =>
        goods.nouns.map((noun) => ({ goods, material, adjective, noun })),
      ),
    ),
  )
}
