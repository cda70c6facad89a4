/**
 * What an order gets from its customer and its goods: what Tryton's forms fill in, the taxes of a line, the address, and
 * the price of its carrier. Nothing is created. Tryton takes 10 ms and more for each, and most of a busy minute are the same.
 */
import { CachedByKey } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import type { Environment } from './environment.ts'
import type { Rpc } from './rpc.ts'
import { decimal, ids } from './values.ts'

/**
 * What staff change of a customer, a tax or a carrier is in quotes and orders after this time; later if Tryton takes long
 * (`Cached`).
 */
const maxAgeMs = 10_000
const maxKeys = 10_000

const partyChange = z.looseObject({
  invoice_address: z.int().nullish(),
  payment_term: z.int().nullish(),
  price_list: z.int().nullish(),
})
const lineChange = z.looseObject({
  taxes: z.object({ add: z.array(z.tuple([z.int(), z.object({ id: z.int() })])) }).nullish(),
})

const pricedRow = z.object({ list_price: decimal.nullish() })

export type PartyChange = z.output<typeof partyChange>
/** The values of a sale that are the same for pricing and for creating it. */
export type Header = Readonly<Record<string, unknown>>

export interface TaxedLine {
  readonly product: number
  readonly unit: number | null
  /** What decides about its taxes: the accounting category, or a product of its own. */
  readonly taxedAs: string
}

export class Forms {
  readonly #rpc: Rpc
  readonly #parties: CachedByKey<PartyChange | undefined>
  readonly #taxes: CachedByKey<readonly number[]>
  readonly #addresses: CachedByKey<number | undefined>
  readonly #freightPrices: CachedByKey<string>

  constructor(rpc: Rpc, environment: Environment) {
    this.#rpc = rpc
    this.#parties = new CachedByKey(environment, { maxAgeMs, maxKeys })
    this.#taxes = new CachedByKey(environment, { maxAgeMs, maxKeys })
    this.#addresses = new CachedByKey(environment, { maxAgeMs, maxKeys })
    this.#freightPrices = new CachedByKey(environment, { maxAgeMs, maxKeys })
  }

  /** Fills a sale as the form does when its customer is chosen. */
  fillParty(sale: Header): Promise<PartyChange | undefined> {
    return this.#parties.get(JSON.stringify(sale), async () => {
      const params = [sale, ['party']]
      const [change] = await this.#rpc.call('model.sale.sale.on_change', params, z.array(partyChange))
      return change
    })
  }

  /** Finds the address to which a customer's orders go unless they name one. */
  findDeliveryAddress(party: number): Promise<number | undefined> {
    return this.#addresses.get(String(party), async () => {
      const domain = [
        ['party', '=', party],
        ['delivery', '=', true],
      ]
      const settings = { limit: 1, order: [['id', 'ASC']] as const }
      const [found] = await this.#rpc.search('party.address', domain, settings)
      return found
    })
  }

  /** Reads the price of a carrier's product, as a decimal: that is what Tryton charges for freight. */
  readFreightPrice(product: number): Promise<string> {
    return this.#freightPrices.get(String(product), async () => {
      const params = [[product], ['list_price']]
      const [found] = await this.#rpc.call('model.product.product.read', params, z.array(pricedRow))
      return found?.list_price ?? '0'
    })
  }

  /** Fills in the form of a line, and returns its taxes. */
  readTaxes(sale: Header, { product, unit, taxedAs }: TaxedLine): Promise<readonly number[]> {
    return this.#taxes.get(JSON.stringify([sale, taxedAs]), async () => {
      const values = { product, unit, type: 'line', quantity: 1, unit_price: null, taxes: [], sale }
      const params = [values, ['product']]
      const [change] = await this.#rpc.call('model.sale.line.on_change', params, z.array(lineChange))
      return ids.parse((change?.taxes?.add ?? []).map(([, tax]) => tax.id))
    })
  }
}
