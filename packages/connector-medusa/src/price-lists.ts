/**
 * The price lists of Medusa. They are looked up with each read, because staff replace a list by a new one with the same
 * title while the connector runs. What a customer pays comes from here only if it depends on the quantity (`offers.ts`).
 */
import { z } from 'zod'
import { MedusaFailure } from './failures.ts'
import type { MedusaHttp } from './http.ts'
import type { Offer } from './offers.ts'

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
  type: z.enum(['sale', 'override']),
  rules: z.record(z.string(), z.unknown()).nullish(),
  starts_at: z.string().nullish(),
  ends_at: z.string().nullish(),
  prices: z.array(price.extend({ variant_id: z.string().nullish() })).nullish(),
})
export type PriceList = z.output<typeof priceList>

const priceListPage = z.object({ price_lists: z.array(priceList), count: z.number() })
const fields = [
  'id,title,status,type,starts_at,ends_at,price_list_rules.attribute,price_list_rules.value',
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

/** Returns the prices of a list in a currency by variant. */
export function listVariantOffers({ prices, type, rules }: PriceList, currency: string): [string, Offer][] {
  const ofList = toRules(rules)
  return (prices ?? []).flatMap((one) =>
    one.variant_id && isInCurrency(one, currency)
      ? [[one.variant_id, { ...toOffer(one, ofList), list: type }] satisfies [string, Offer]]
      : [],
  )
}

/** Returns the prices of a variant itself in a currency. */
export function listOwnOffers(
  prices: readonly z.output<typeof price>[] | null | undefined,
  currency: string,
): Offer[] {
  return (prices ?? []).flatMap((one) => (isInCurrency(one, currency) ? [toOffer(one)] : []))
}

function isInCurrency({ currency_code }: z.output<typeof price>, currency: string): boolean {
  return currency_code.toUpperCase() === currency
}

function toOffer(
  { amount, min_quantity: min, max_quantity: max, rules }: z.output<typeof price>,
  ofList: Offer['rules'] = [],
): Offer {
  return { amount, min: min ?? null, max: max ?? null, rules: [...toRules(rules), ...ofList] }
}

function toRules(rules: z.output<typeof price>['rules']): Offer['rules'] {
  return Object.entries(rules ?? {}).map(([attribute, value]) => ({
    attribute,
    values: (Array.isArray(value) ? value : [value]).map(String),
  }))
}
