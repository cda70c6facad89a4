/**
 * The wholesale prices of SKUs. Tryton takes 2 to 3 ms for each, so they are kept until the product, its style or a
 * price list changes, and for ten minutes at most: a price may also depend on something else, such as a currency's rate.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { maxKeptMs, type Sku } from './catalogue.ts'
import type { Connector } from './connector.ts'
import { decimal, id, instant, toMinor } from './values.ts'

/**
 * Half a second of an idle Tryton. Tryton finishes a call whose reader gave up, and a busy Tryton takes many times as long:
 * with large parts, every reader gives up, asks again, and nothing is ever read.
 */
const maxPricesPerCall = 200
const maxKept = 500_000
/** How long a list counts as unchanged before its newest write is read again. */
const maxListAgeMs = 500
const priceCallMs = 15_000

const stampedRow = z.object({ id, write_date: instant.nullish(), create_date: instant.nullish() })
const lineRow = stampedRow.extend({ 'price_list.': stampedRow })

interface KeptPrice {
  readonly at: number
  readonly version: string
  readonly minor: number
}

export class Prices {
  readonly #connector: Connector
  readonly #kept = new Map<number, KeptPrice>()
  #list: { readonly at: number; readonly version: Promise<string> } | undefined

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Returns the wholesale price of each SKU in minor units, by Tryton's id. */
  async read(skus: readonly Sku[]): Promise<ReadonlyMap<number, number>> {
    const { locks } = this.#connector
    const list = await this.#readListVersion()
    const minors = this.#listKept(skus, list)
    const missing = skus.filter((sku) => !minors.has(sku.id))
    if (this.#kept.size > maxKept) this.#kept.clear()
    for (let from = 0; from < missing.length; from += maxPricesPerCall) {
      const part = missing.slice(from, from + maxPricesPerCall)
      // Tryton computes one price at a time. Whoever waits for its turn finds what the others have read.
      const read = await locks.run(['prices'], () => this.#readPart(part, list))
      for (const [product, minor] of read) minors.set(product, minor)
    }
    return minors
  }

  #listKept(skus: readonly Sku[], list: string): Map<number, number> {
    const oldest = this.#connector.environment.elapsed() - maxKeptMs
    return new Map(
      skus.flatMap((sku) => {
        const kept = this.#kept.get(sku.id)
        const isCurrent = kept && kept.at > oldest && kept.version === `${list} ${sku.version}`
        return isCurrent ? [[sku.id, kept.minor] as const] : []
      }),
    )
  }

  async #readPart(skus: readonly Sku[], list: string): Promise<ReadonlyMap<number, number>> {
    const minors = this.#listKept(skus, list)
    const missing = skus.filter((sku) => !minors.has(sku.id))
    if (missing.length === 0) return minors
    const { rpc, places, environment } = this.#connector
    const at = environment.elapsed()
    const row = z.object({ id, sale_price_uom: decimal.nullish() })
    const context = { price_list: places.priceList, currency: places.currencyId, quantity: 1 }
    const domain = [['id', 'in', missing.map((sku) => sku.id)]]
    const settings = { fields: ['sale_price_uom'], context, maxMs: priceCallMs }
    const rows = await rpc.searchRead('product.product', domain, row, settings)
    const prices = new Map(rows.map((found) => [found.id, found.sale_price_uom]))
    for (const sku of missing) {
      const minor = Math.max(0, toMinor(prices.get(sku.id) ?? sku.listPrice, places.minorUnits))
      this.#kept.set(sku.id, { at, version: `${list} ${sku.version}`, minor })
      minors.set(sku.id, minor)
    }
    return minors
  }

  /** Called when a list was written, before anybody is told: whoever asks from then on gets its new prices. */
  forgetList(): void {
    this.#list = undefined
  }

  /** Those who ask at the same time share one read. Nobody is given a failure of another's. */
  async #readListVersion(): Promise<string> {
    const { environment, places } = this.#connector
    if (places.priceList === null) return ''
    const at = environment.elapsed()
    const known = this.#list
    if (known && at - known.at < maxListAgeMs) {
      const version = await known.version.catch(() => undefined)
      if (version !== undefined) return version
    }
    const list = { at, version: this.#readWrites(places.priceList) }
    this.#list = list
    list.version.catch(() => {
      if (this.#list === list) this.#list = undefined
    })
    return list.version
  }

  /**
   * A price list changes with its own writes and with those of its lines, of which one may also be deleted. Every kept price
   * has the version, so it is short, however many lines there are.
   */
  async #readWrites(priceList: number): Promise<string> {
    const { rpc } = this.#connector
    const fields = ['write_date', 'create_date']
    const settings = { fields: [...fields, ...fields.map((field) => `price_list.${field}`)] }
    const domain = [['price_list', '=', priceList]]
    const lines = await rpc.searchRead('product.price_list.line', domain, lineRow, settings)
    const [first] = lines
    const own = first
      ? [first['price_list.']]
      : await rpc.searchRead('product.price_list', [['id', '=', priceList]], stampedRow, { fields })
    const writes = [...own, ...lines].map((each) => `${each.id}@${each.write_date ?? each.create_date}`)
    return createHash('sha256').update(writes.join()).digest('hex')
  }
}
