/**
 * One invented style. Every draw comes from the style's own sequence and in a fixed order, so that what one style
 * is does not depend on how many others there are.
 */
import type { ErpProduct, ErpSku, Incoming } from '@trade-gateway/connector'
import { inStoreBarcode } from './barcode.ts'
import { type OpeningStock, sandboxWarehouses } from './catalogue.ts'
import type { Days } from './days.ts'
import { type AdjectiveKey, type Goods, type MaterialCode, type Noun, type Size, sizeRuns } from './noun.ts'
import { type Random, shuffled } from './random.ts'
import { adjectives, brands, colours, materials, seasons } from './words.ts'

/** What a style is, before it has prices, colours and stock. */
export interface Recipe {
  readonly goods: Goods
  readonly material: MaterialCode
  readonly adjective: AdjectiveKey
  readonly noun: Noun
}

export interface Style {
  readonly product: ErpProduct
  readonly stock: readonly OpeningStock[]
}

type Warehouse = (typeof sandboxWarehouses)[number]

/** A currency step of half a dollar: list prices of a wholesaler are not odd cents. */
const half = 50

/** The share of a style's SKUs that each warehouse carries. */
const carried = { AUSYD1: 0.95, AUSYD2: 0.8, CHNZJ1: 0.9 }

/** SKUs of one style have neighbouring barcodes. No style has as many SKUs. */
const barcodesPerStyle = 1_000

/** The style `number`, from 1, made of a recipe; `edition` 2 and above are told apart by their name. */
export function styleFrom(
  recipe: Recipe,
  number: number,
  edition: number,
  random: Random,
  days: Days,
): Style {
  const discontinued = random.chance(0.02)
  const product_code = `${recipe.material}-${String(number).padStart(4, '0')}`
  const price = listPrice(recipe, random)
  const markup_percent = random.whole(200, 260)
  const yuan_percent = random.whole(460, 480)
  const skus = skusOf(recipe, product_code, number, price, markup_percent, random)
  const product: ErpProduct = {
    product_code,
    names: namesOf(recipe, edition),
    brand: random.pick(brands),
    category: recipe.goods.category,
    season: random.pick(seasons),
    status: discontinued ? 'discontinued' : 'active',
    images: [],
    price_wholesale: price,
    price_retail: retailOf(price, markup_percent),
    currency: 'AUD',
    skus,
    updated_at: days.instant(-random.whole(0, 300)),
  }
  const stock = sandboxWarehouses.flatMap((warehouse) =>
    skus
      .filter(() => random.chance(carried[warehouse.warehouse_code]))
      .map((sku) => stockOf(sku, warehouse, yuan_percent, discontinued, random, days)),
  )
  return { product, stock }
}

function listPrice({ material, noun }: Recipe, random: Random): number {
  const [from, to] = noun.price
  return halves((random.whole(from * 2, to * 2) * half * materials[material].percent) / 100)
}

function halves(amount: number): number {
  return Math.max(half, Math.round(amount / half) * half)
}

/** A retail price ends in 95 cents. From half a dollar and a markup of 200 % on it is above the wholesale price. */
function retailOf(price_wholesale: number, markup_percent: number): number {
  return Math.round((price_wholesale * markup_percent) / 10_000) * 100 - 5
}

/** Each language in its own order: in English the manner stands before the material, in the others after it. */
function namesOf({ material, adjective, noun }: Recipe, edition: number): ErpProduct['names'] {
  const what = materials[material]
  const how = adjectives[adjective]
  const last = edition === 1 ? '' : ` ${edition}`
  return {
    en: `${how.en} ${what.en} ${noun.en}${last}`,
    zh: `${what.zh}${how.zh}${noun.zh}${last}`,
    ko: `${what.ko} ${how.ko} ${noun.ko}${last}`,
  }
}

function skusOf(
  recipe: Recipe,
  product_code: string,
  number: number,
  price: number,
  markup_percent: number,
  random: Random,
): ErpSku[] {
  const [fewest, most] = recipe.goods.colours
  const chosen = shuffled(colours, random).slice(0, random.whole(fewest, most))
  const run: readonly Size[] = random.pick<readonly Size[]>(sizeRuns[recipe.noun.sizes])
  const weight = Math.round((recipe.noun.weight_g * random.whole(90, 110)) / 100)
  return chosen
    .flatMap((colour) => run.map((size) => ({ colour, size })))
    .map(({ colour, size }, index) => {
      const price_wholesale = halves((price * (100 + size.surcharge_percent)) / 100)
      return {
        sku: `${product_code}-${colour.code}-${size.code}`,
        barcode: inStoreBarcode(number * barcodesPerStyle + index),
        color: colour.name,
        size: size.name,
        price_wholesale,
        price_retail: retailOf(price_wholesale, markup_percent),
        weight_g: Math.round((weight * (100 + size.surcharge_percent)) / 100),
      }
    })
}

function stockOf(
  sku: ErpSku,
  warehouse: Warehouse,
  yuan_percent: number,
  discontinued: boolean,
  random: Random,
  days: Days,
): OpeningStock {
  const inCurrency = (amount: number) =>
    warehouse.currency === 'AUD' ? amount : wholeYuan(amount, yuan_percent)
  const quantity = openingQuantity(random)
  const incoming = random.chance(0.08) ? incomingOf(random, days) : []
  return {
    warehouse_code: warehouse.warehouse_code,
    sku: sku.sku,
    quantity: discontinued ? 0 : quantity,
    price_wholesale: inCurrency(sku.price_wholesale),
    price_retail: inCurrency(sku.price_retail),
    incoming: discontinued ? [] : incoming,
  }
}

function wholeYuan(cents: number, percent: number): number {
  return Math.round((cents * percent) / 10_000) * 100
}

/** Stock of a wholesaler is skewed: much of a few goods, a handful of most, and some sold out. */
function openingQuantity(random: Random): number {
  const percentile = random.whole(1, 100)
  if (percentile <= 6) return 0
  if (percentile <= 55) return random.whole(1, 24)
  if (percentile <= 84) return random.whole(25, 150)
  if (percentile <= 97) return random.whole(151, 900)
  return random.whole(901, 6_000)
}

function incomingOf(random: Random, days: Days): Incoming[] {
  const first = random.whole(5, 25)
  const second = random.whole(35, 50)
  const entries = [
    landing(random.whole(2, 40) * 12, first, random.whole(2, 7), days),
    landing(random.whole(2, 40) * 12, second, random.whole(2, 10), days),
  ]
  return random.chance(0.3) ? entries : entries.slice(0, 1)
}

function landing(quantity: number, from: number, length: number, days: Days): Incoming {
  return { quantity, earliest_date: days.day(from), latest_date: days.day(from + length) }
}
