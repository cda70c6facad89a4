/**
 * What Tryton's forms fill in: what a sale gets from its customer, and the taxes of a line. They create nothing. Tryton takes
 * 20 ms and more for each, and most forms of a busy minute are the same.
 */
import { CachedByKey } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import type { Environment } from './environment.ts'
import type { Rpc } from './rpc.ts'
import { ids } from './values.ts'

/** What staff change of a customer or a tax is in quotes and orders after this time; later if Tryton takes long (`Cached`). */
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

  constructor(rpc: Rpc, environment: Environment) {
    this.#rpc = rpc
    this.#parties = new CachedByKey(environment, { maxAgeMs, maxKeys })
    this.#taxes = new CachedByKey(environment, { maxAgeMs, maxKeys })
  }

  /** Fills a sale as the form does when its customer is chosen. */
  fillParty(sale: Header): Promise<PartyChange | undefined> {
    return this.#parties.get(JSON.stringify(sale), async () => {
      const params = [sale, ['party']]
      const [change] = await this.#rpc.call('model.sale.sale.on_change', params, z.array(partyChange))
      return change
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
