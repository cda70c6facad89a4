/**
 * Creates one simulated style. All draws come from the style's own random stream in a fixed order, so that a style does
 * not depend on how many others there are.
 */
import type { ErpProduct, ErpSku, Incoming } from '@trade-gateway/connector'
import { createInStoreBarcode } from './barcode.ts'
import { type OpeningStock, sandboxWarehouses } from './catalogue.ts'
import type { Days } from './days.ts'
import { type AdjectiveKey, type Goods, type MaterialCode, type Noun, type Size, sizeRuns } from './noun.ts'
import { type Random, shuffle } from './random.ts'
import { adjectives, brands, colours, materials, seasons } from './words.ts'

/** The components of a style, before prices, colours and stock are drawn. */
export interface Recipe {
  readonly goods: Goods
  readonly material: MaterialCode
  readonly adjective: AdjectiveKey
  readonly noun: Noun
}

export interface StyleNumber {
  readonly number: number
  readonly edition: number
}

/** The sources of a style's random choices and dates. */
export interface Draw {
  readonly random: Random
  readonly days: Days
}

export interface Style {
  readonly product: ErpProduct
  readonly stock: readonly OpeningStock[]
}

type Warehouse = (typeof sandboxWarehouses)[number]

/** The step of list prices in minor units: they are multiples of 0.50. */
const priceStep = 50

/** The share of a style's SKUs that each warehouse carries. */
const carriedShares = { AUSYD1: 0.95, AUSYD2: 0.8, CHNZJ1: 0.9 }

/**
 * The number of barcodes that are reserved for a style, more than any style has SKUs. The SKUs of a style have
 * consecutive barcodes.
 */
const barcodesPerStyle = 1_000

/**
 * Creates the style `number`, from 1. Styles with the same recipe differ in `edition`, which the name shows from 2 on.
 */
export function createStyle(recipe: Recipe, { number, edition }: StyleNumber, draw: Draw): Style {
  const { random, days } = draw
  const discontinued = random.drawWithProbability(0.02)
  const product_code = `${recipe.material}-${String(number).padStart(4, '0')}`
  const price = drawListPrice(recipe, random)
  const markup_percent = random.drawInteger(200, 260)
  const yuan_percent = random.drawInteger(460, 480)
  const skus = drawSkus(recipe, { product_code, number, price, markup_percent }, random)
  const product: ErpProduct = {
    product_code,
    names: createNames(recipe, edition),
    brand: random.pick(brands),
    category: recipe.goods.category,
    season: random.pick(seasons),
    status: discontinued ? 'discontinued' : 'active',
    images: [],
    price_wholesale: price,
    price_retail: toRetailPrice(price, markup_percent),
    currency: 'AUD',
    skus,
    updated_at: days.toInstant(-random.drawInteger(0, 300)),
  }
  const stock = sandboxWarehouses.flatMap((warehouse) =>
    skus
      .filter(() => random.drawWithProbability(carriedShares[warehouse.warehouse_code]))
      .map((sku) => drawStock(sku, { warehouse, yuan_percent, discontinued }, draw)),
  )
  return { product, stock }
}

function drawListPrice({ material, noun }: Recipe, random: Random): number {
  const [from, to] = noun.price
  return roundToPriceStep(
    (random.drawInteger(from * 2, to * 2) * priceStep * materials[material].percent) / 100,
  )
}

function roundToPriceStep(amount: number): number {
  return Math.max(priceStep, Math.round(amount / priceStep) * priceStep)
}

/**
 * Computes a retail price, which ends in 95 cents. It is above the wholesale price, which is at least 0.50, because the
 * markup is at least 200 %.
 */
function toRetailPrice(price_wholesale: number, markup_percent: number): number {
  return Math.round((price_wholesale * markup_percent) / 10_000) * 100 - 5
}

/** Builds the names in the word order of each language: in English the adjective precedes the material. */
function createNames({ material, adjective, noun }: Recipe, edition: number): ErpProduct['names'] {
  const what = materials[material]
  const how = adjectives[adjective]
  const last = edition === 1 ? '' : ` ${edition}`
  return {
    en: `${how.en} ${what.en} ${noun.en}${last}`,
    zh: `${what.zh}${how.zh}${noun.zh}${last}`,
    ko: `${what.ko} ${how.ko} ${noun.ko}${last}`,
  }
}

interface StylePrice {
  readonly product_code: string
  readonly number: number
  readonly price: number
  readonly markup_percent: number
}

function drawSkus(
  recipe: Recipe,
  { product_code, number, price, markup_percent }: StylePrice,
  random: Random,
): ErpSku[] {
  const [minColours, maxColours] = recipe.goods.colours
  const chosen = shuffle(colours, random).slice(0, random.drawInteger(minColours, maxColours))
  const run: readonly Size[] = random.pick<readonly Size[]>(sizeRuns[recipe.noun.sizes])
  const weight = Math.round((recipe.noun.weight_g * random.drawInteger(90, 110)) / 100)
  return chosen
    .flatMap((colour) => run.map((size) => ({ colour, size })))
    .map(({ colour, size }, index) => {
      const price_wholesale = roundToPriceStep((price * (100 + size.surcharge_percent)) / 100)
      return {
        sku: `${product_code}-${colour.code}-${size.code}`,
        barcode: createInStoreBarcode(number * barcodesPerStyle + index),
        color: colour.name,
        size: size.name,
        price_wholesale,
        price_retail: toRetailPrice(price_wholesale, markup_percent),
        weight_g: Math.round((weight * (100 + size.surcharge_percent)) / 100),
      }
    })
}

interface StockDraw {
  readonly warehouse: Warehouse
  readonly yuan_percent: number
  readonly discontinued: boolean
}

function drawStock(
  sku: ErpSku,
  { warehouse, yuan_percent, discontinued }: StockDraw,
  { random, days }: Draw,
): OpeningStock {
  const toCurrency = (amount: number) =>
    warehouse.currency === 'AUD' ? amount : convertToWholeYuan(amount, yuan_percent)
  const quantity = drawOpeningQuantity(random)
  const incoming = random.drawWithProbability(0.08) ? drawIncoming(random, days) : []
  return {
    warehouse_code: warehouse.warehouse_code,
    sku: sku.sku,
    quantity: discontinued ? 0 : quantity,
    price_wholesale: toCurrency(sku.price_wholesale),
    price_retail: toCurrency(sku.price_retail),
    incoming: discontinued ? [] : incoming,
  }
}

/** Converts cents of AUD to fen, rounded to whole yuan. */
function convertToWholeYuan(audCents: number, yuanPer100Aud: number): number {
  return Math.round((audCents * yuanPer100Aud) / 10_000) * 100
}

/**
 * Draws a quantity from a skewed distribution, as wholesalers have it: much stock of a few goods, little of most, and
 * some sold out.
 */
function drawOpeningQuantity(random: Random): number {
  const percentile = random.drawInteger(1, 100)
  if (percentile <= 6) return 0
  if (percentile <= 55) return random.drawInteger(1, 24)
  if (percentile <= 84) return random.drawInteger(25, 150)
  if (percentile <= 97) return random.drawInteger(151, 900)
  return random.drawInteger(901, 6_000)
}

function drawIncoming(random: Random, days: Days): Incoming[] {
  const first = random.drawInteger(5, 25)
  const second = random.drawInteger(35, 50)
  const entries = [
    toIncoming(random.drawInteger(2, 40) * 12, [first, random.drawInteger(2, 7)], days),
    toIncoming(random.drawInteger(2, 40) * 12, [second, random.drawInteger(2, 10)], days),
  ]
  return random.drawWithProbability(0.3) ? entries : entries.slice(0, 1)
}

function toIncoming(quantity: number, [from, length]: readonly [number, number], days: Days): Incoming {
  return { quantity, earliest_date: days.toDay(from), latest_date: days.toDay(from + length) }
}
