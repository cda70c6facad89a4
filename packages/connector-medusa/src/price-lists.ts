/**
 * The price lists of Medusa. They are looked up with each read, because staff replace a list by a new one with the same
 * title while the connector runs. What a customer pays does not come from here (`prices.ts`).
 */
import { z } from 'zod'
import { toMinor } from './amounts.ts'
import { MedusaFailure } from './failures.ts'
import type { MedusaHttp } from './http.ts'

const listsPerCall = 20
const maxLists = 1_000

export const price = z.object({
  amount: z.number(),
  currency_code: z.string(),
  min_quantity: z.number().nullish(),
  max_quantity: z.number().nullish(),
  rules: z.record(z.string(), z.unknown()).nullish(),
})

const priceList = z.object({
  title: z.string(),
  status: z.string(),
  starts_at: z.string().nullish(),
  ends_at: z.string().nullish(),
  prices: z.array(price.extend({ variant_id: z.string().nullish() })).nullish(),
})
export type PriceList = z.output<typeof priceList>

const priceListPage = z.object({ price_lists: z.array(priceList), count: z.number() })
const fields = [
  'id,title,status,starts_at,ends_at',
  'prices.amount,prices.currency_code,prices.min_quantity,prices.max_quantity,prices.price_rules.*',
  // Medusa fills in the id of the variant from the price set.
  'prices.price_set.variant.id',
].join(',')

/** Reads the price lists that are in force, with their prices. Drafts are not read. */
export async function readPriceLists(http: MedusaHttp, now: number): Promise<PriceList[]> {
  const found: PriceList[] = []
  for (let offset = 0; offset < maxLists; offset += listsPerCall) {
    const query = { limit: listsPerCall, offset, order: 'id', status: ['active'], fields }
    const { price_lists, count } = await http.get('/admin/price-lists', priceListPage, query)
    if (count > maxLists) {
      const text = `there are ${count} active price lists, and the connector reads at most ${maxLists}`
      throw new MedusaFailure('unexpected', 'GET /admin/price-lists', text)
    }
    found.push(...price_lists.filter((list) => isInForce(list, now)))
    if (offset + listsPerCall >= count) break
  }
  return found
}

/** Whether Medusa computes prices with a list at this time: it is no draft, has begun and has not ended. */
export function isInForce(
  { status, starts_at, ends_at }: Pick<PriceList, 'status' | 'starts_at' | 'ends_at'>,
  now: number,
): boolean {
  const hasBegun = !starts_at || Date.parse(starts_at) <= now
  return status === 'active' && hasBegun && (!ends_at || now <= Date.parse(ends_at))
}

/** Returns the plain prices of a list by variant, in minor units. */
export function toVariantPrices({ prices }: PriceList, currency: string): Map<string, number> {
  return new Map(
    (prices ?? []).flatMap((one) =>
      one.variant_id && isPlainPrice(one, currency)
        ? [[one.variant_id, toMinor(one.amount, currency)] as const]
        : [],
    ),
  )
}

/** Lists the variants of whose prices in a list one is for some quantities only, and may be that of an order. */
export function listTiered({ prices }: PriceList, currency: string): string[] {
  return (prices ?? []).flatMap((one) => (one.variant_id && isTier(one, currency) ? [one.variant_id] : []))
}

/** Whether a price is for any quantity, without further rules. */
export function isPlainPrice(one: z.output<typeof price>, currency: string): boolean {
  const hasNoRules = Object.keys(one.rules ?? {}).length === 0
  return one.currency_code.toUpperCase() === currency && hasNoRules && !isTier(one, currency)
}

/** Whether a price in the currency is for some quantities only. */
export function isTier(
  { currency_code, min_quantity, max_quantity }: z.output<typeof price>,
  currency: string,
): boolean {
  const isLimited = (min_quantity ?? 0) > 1 || typeof max_quantity === 'number'
  return currency_code.toUpperCase() === currency && isLimited
}
