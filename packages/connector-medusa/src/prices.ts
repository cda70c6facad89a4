/** What a customer pays: Medusa's own calculation with the price lists of the customer's groups, and tax. */

import { CachedByKey } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import { toMinor } from './amounts.ts'
import type { Customers } from './customers.ts'
import type { Environment } from './environment.ts'
import type { Good } from './goods.ts'
import type { MedusaHttp } from './http.ts'
import type { Places } from './places.ts'

const variantsPerCall = 100
const maxTaxAgeMs = 30_000
const maxCountries = 1_000

const variants = z.object({
  variants: z.array(
    z.object({
      id: z.string(),
      calculated_price: z
        .object({
          calculated_amount: z.number().nullable(),
          calculated_amount_with_tax: z.number().nullish(),
        })
        .nullish(),
    }),
  ),
})

const taxRegions = z.object({
  tax_regions: z.array(
    z.object({
      parent_id: z.string().nullable(),
      tax_rates: z.array(z.object({ rate: z.number().nullable(), is_default: z.boolean() })).nullish(),
    }),
  ),
})

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
  readonly #freightTaxes: CachedByKey<number>

  constructor(http: MedusaHttp, open: MedusaHttp, { places, customers, environment }: PriceSources) {
    this.#http = http
    this.#open = open
    this.#places = places
    this.#customers = customers
    this.#freightTaxes = new CachedByKey(environment, { maxAgeMs: maxTaxAgeMs, maxKeys: maxCountries })
  }

  /** Reads the customer's prices by SKU. A good that the customer's shop does not sell is left out. */
  async read(
    token: string,
    { goods, country }: { readonly goods: readonly Good[]; readonly country: string },
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
          country_code: country.toLowerCase(),
          // Without the type of the product, Medusa returns no tax.
          fields: 'id,product.id,product.type_id,calculated_price.*',
        },
        schema: variants,
        headers: this.#customers.toHeaders(token),
      })
      for (const { id, calculated_price } of found) {
        const sku = skuOf.get(id)
        const amount = calculated_price?.calculated_amount
        if (sku === undefined || typeof amount !== 'number') continue
        const tax = (calculated_price?.calculated_amount_with_tax ?? amount) - amount
        prices.set(sku, { unit: toMinor(amount, currency), tax })
      }
    }
    return prices
  }

  /** Reads the part of its price that freight to a country is taxed with, such as 0.1. */
  readFreightTax(country: string): Promise<number> {
    return this.#freightTaxes.get(country, () => this.#readFreightTaxNow(country))
  }

  async #readFreightTaxNow(country: string): Promise<number> {
    const query = {
      country_code: country.toLowerCase(),
      fields: 'id,parent_id,tax_rates.rate,tax_rates.is_default',
    }
    const { tax_regions } = await this.#http.get('/admin/tax-regions', taxRegions, query)
    const ofCountry = tax_regions.find(({ parent_id }) => parent_id === null)
    return (ofCountry?.tax_rates?.find(({ is_default }) => is_default)?.rate ?? 0) / 100
  }
}
