/** What a customer pays: Medusa's own calculation with the price lists of the customer's groups, and tax. */
import type { ErpAddress } from '@trade-gateway/connector'
import { CachedByKey } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import { toMinor, toUnits } from './amounts.ts'
import type { Good } from './catalogue.ts'
import type { Customers } from './customers.ts'
import type { Environment } from './environment.ts'
import type { MedusaHttp } from './http.ts'
import { type Buyer, chooseOffer, type Offer } from './offers.ts'
import type { Places } from './places.ts'

const variantsPerCall = 100
const maxTaxAgeMs = 30_000
const maxCountries = 1_000
const maxTaxRegions = 1_000

const calculatedPrice = z.object({
  calculated_amount: z.number().nullable(),
  calculated_amount_with_tax: z.number().nullish(),
})

const variants = z.object({
  variants: z.array(z.object({ id: z.string(), calculated_price: calculatedPrice.nullish() })),
})

const taxRegion = z.object({
  parent_id: z.string().nullable(),
  province_code: z.string().nullish(),
  tax_rates: z
    .array(
      z.object({
        rate: z.number().nullable(),
        is_default: z.boolean(),
        is_combinable: z.boolean().nullish(),
      }),
    )
    .nullish(),
})
const taxRegions = z.object({ tax_regions: z.array(taxRegion) })
export type TaxRegion = z.output<typeof taxRegion>

/** Where goods are taxed. */
export type TaxPlace = Pick<ErpAddress, 'country_code' | 'state'>

/** The price of one unit. `tax` is in units of the currency and may have a fraction of the smallest coin. */
export interface Price {
  /** In minor units. */
  readonly unit: number
  readonly tax: number
}

interface PriceSources {
  readonly places: Places
  readonly customers: Customers
  readonly environment: Environment
}

export class Prices {
  readonly #http: MedusaHttp
  readonly #open: MedusaHttp
  readonly #places: Places
  readonly #customers: Customers
  readonly #taxRegions: CachedByKey<readonly TaxRegion[]>

  constructor(http: MedusaHttp, open: MedusaHttp, { places, customers, environment }: PriceSources) {
    this.#http = http
    this.#open = open
    this.#places = places
    this.#customers = customers
    this.#taxRegions = new CachedByKey(environment, { maxAgeMs: maxTaxAgeMs, maxKeys: maxCountries })
  }

  /** Reads the customer's prices by SKU. A good that the customer's shop does not sell is left out. */
  async read(
    token: string,
    { goods, place: { country_code, state } }: { readonly goods: readonly Good[]; readonly place: TaxPlace },
  ): Promise<Map<string, Price>> {
    const { regionId, currency } = this.#places
    const skuOf = new Map(goods.map(({ variantId, sku }) => [variantId, sku]))
    const ids = [...skuOf.keys()]
    const prices = new Map<string, Price>()
    for (let from = 0; from < ids.length; from += variantsPerCall) {
      const { variants: found } = await this.#open.send({
        method: 'GET',
        path: '/store/product-variants',
        query: {
          id: ids.slice(from, from + variantsPerCall),
          limit: variantsPerCall,
          region_id: regionId,
          country_code: country_code.toLowerCase(),
          ...(state === null ? {} : { province: state }),
          // Without the type of the product, Medusa returns no tax.
          fields: 'id,product.id,product.type_id,calculated_price.*',
        },
        schema: variants,
        headers: this.#customers.toHeaders(token),
      })
      for (const { id, calculated_price } of found) {
        const sku = skuOf.get(id)
        const price = calculated_price && toPrice(calculated_price, currency)
        if (sku !== undefined && price) prices.set(sku, price)
      }
    }
    return prices
  }

  /** Reads the part of its price that freight to a place is taxed with, such as 0.1. */
  async readFreightTax({ country_code, state }: TaxPlace): Promise<number> {
    const regions = await this.#taxRegions.get(country_code, () => this.#readTaxRegions(country_code))
    return findFreightRate(regions, state) / 100
  }

  async #readTaxRegions(country: string): Promise<readonly TaxRegion[]> {
    const query = {
      country_code: country.toLowerCase(),
      limit: maxTaxRegions,
      fields: 'id,parent_id,province_code,tax_rates.rate,tax_rates.is_default,tax_rates.is_combinable',
    }
    return (await this.#http.get('/admin/tax-regions', taxRegions, query)).tax_regions
  }
}

/**
 * Returns the price of one unit, if there is one. Its tax is that of the rounded amount, because Medusa computes the tax
 * of the order from the amount in the draft.
 */
export function toPrice(
  { calculated_amount: amount, calculated_amount_with_tax: withTax }: z.output<typeof calculatedPrice>,
  currency: string,
): Price | undefined {
  if (amount === null) return undefined
  const unit = toMinor(amount, currency)
  const tax = amount === 0 ? 0 : ((withTax ?? amount) - amount) * (toUnits(unit, currency) / amount)
  return { unit, tax }
}

/** Why a good with prices by quantity has none: no price is for the quantity, or Medusa chooses otherwise for one unit. */
export type NoPrice = 'gap' | 'disagreement'

/**
 * Returns the price of a unit at a quantity, chosen from the good's prices and taxed at the rate of one unit. `one` is
 * the price of one unit that Medusa has computed. If the connector chooses another one, it chooses wrongly, or a price
 * has changed since the catalogue was read.
 */
export function toPriceAt(one: Price, { offers, quantity, buyer, currency }: Choice): Price | NoPrice {
  const choose = (from: readonly Offer[], units: number) => {
    const offer = chooseOffer(from, units, buyer)
    return offer && toMinor(offer.amount, currency)
  }
  // Medusa computes the price of one unit without a quantity, and looks at the least one of a price only.
  const ofOne = choose(
    offers.map((offer) => ({ ...offer, max: null })),
    1,
  )
  if (ofOne !== one.unit) return 'disagreement'
  const unit = choose(offers, quantity)
  // What costs nothing shows no rate of tax.
  if (unit === undefined || (one.unit === 0 && unit > 0)) return 'gap'
  return { unit, tax: one.unit === 0 ? 0 : one.tax * (unit / one.unit) }
}

interface Choice {
  readonly offers: readonly Offer[]
  readonly quantity: number
  readonly buyer: Buyer
  readonly currency: string
}

/** Finds the default rate of freight in percent: of the province if it has one, with that of the country if they combine. */
export function findFreightRate(regions: readonly TaxRegion[], state: string | null): number {
  const findDefault = (region: TaxRegion | undefined) =>
    region?.tax_rates?.find(({ is_default }) => is_default)
  // Medusa compares the code with the address as it is, apart from upper case.
  const ofProvince = findDefault(
    regions.find(({ province_code }) => province_code && province_code === state?.toLowerCase()),
  )
  const ofCountry = findDefault(regions.find(({ parent_id }) => parent_id === null))
  if (!ofProvince) return ofCountry?.rate ?? 0
  return (ofProvince.rate ?? 0) + (ofProvince.is_combinable ? (ofCountry?.rate ?? 0) : 0)
}
