import type { ErpAddress, ErpProduct, ErpShippingMethod } from '@trade-gateway/connector'
import { SharedTurn } from '../kernel/shared-turn.ts'
import { settlePatiently, withoutPatience } from '../store/patience.ts'
import type { Store } from '../store/store.ts'
import type { ReferenceRow, ReferenceSource } from '../store/tables.ts'
import { readEpoch, referenceCounter } from './epoch.ts'

/** The SKUs that a customer may order. */
interface SellableRule {
  readonly rule: 'only' | 'all_but'
  readonly skus: ReadonlySet<string>
}

/** A style and the text to search it by. */
export interface SearchableProduct {
  readonly product: ErpProduct
  /** Codes, SKUs and names, lower case. */
  readonly haystack: string
}

const sliceRows = 500

/**
 * Reference data in memory. Like the stock mirror, it repeatedly reads the records whose version is higher than the
 * newest one that it has.
 */
export class ReferenceMirror {
  readonly #store: Store
  /** A request may start a turn, but many wait for it. */
  readonly #turns = new SharedTurn(() => withoutPatience(() => this.#follow()))
  #version = 0
  #filled: ReadonlySet<ReferenceSource> = new Set()
  readonly #products = new Map<string, SearchableProduct>()
  readonly #styleOfSku = new Map<string, string>()
  readonly #shippingMethods = new Map<string, ErpShippingMethod>()
  readonly #addresses = new Map<string, Map<string, ErpAddress>>()
  readonly #sellable = new Map<string, SellableRule>()
  #codes: readonly string[] = []

  constructor(store: Store) {
    this.#store = store
  }

  /** Whether the products have been read from the ERP once. */
  get isFilled(): boolean {
    return this.#filled.has('products')
  }

  /**
   * Whether the shipping methods have been read from the ERP once. Earlier gateways stored the methods without a mark.
   */
  get knowsShippingMethods(): boolean {
    return this.#shippingMethods.size > 0 || this.#filled.has('shipping_methods')
  }

  /** The newest version of all records, which increases with every change. */
  get version(): number {
    return this.#version
  }

  /** Iterates over every style, sorted by code. */
  *products(): Generator<SearchableProduct> {
    for (const code of this.#codes) {
      const entry = this.#products.get(code)
      if (entry) yield entry
    }
  }

  /** Finds a style and the text to search it by. */
  findSearchable(code: string): SearchableProduct | undefined {
    return this.#products.get(code)
  }

  findProduct(code: string): ErpProduct | undefined {
    return this.#products.get(code)?.product
  }

  findProductOfSku(sku: string): ErpProduct | undefined {
    const code = this.#styleOfSku.get(sku)
    return code === undefined ? undefined : this.findProduct(code)
  }

  shippingMethods(): ErpShippingMethod[] {
    return sortById(this.#shippingMethods)
  }

  addresses(customer: string): ErpAddress[] {
    return sortById(this.#addresses.get(customer) ?? new Map())
  }

  /**
   * Whether a customer's addresses and catalogue have been read from the ERP once. The catalogue is stored last, and
   * also for a customer that the ERP does not know.
   */
  knowsCustomer(customer: string): boolean {
    return this.#sellable.has(customer)
  }

  /** Whether a customer may order a SKU. A customer that `knowsCustomer` does not know may order none. */
  maySell(customer: string, sku: string): boolean {
    const rule = this.#sellable.get(customer)
    if (!rule) return false
    return rule.skus.has(sku) === (rule.rule === 'only')
  }

  /**
   * Reads everything up to the database's newest version; one turn of the worker. Turns never overlap. Calls during a
   * turn share the next one.
   */
  follow(): Promise<void> {
    return settlePatiently(this.#turns.request())
  }

  async #follow(): Promise<void> {
    // Read before the records: every record up to this version is visible.
    const counter = await this.#store.db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', referenceCounter)
      .executeTakeFirst()
    const newest = counter?.value ?? 0
    // The database was restored from an older state: any record may differ.
    if (newest < this.#version || readEpoch(newest) !== readEpoch(this.#version)) this.#forget()
    for (let full = true; full; ) {
      const rows = await this.#store.db
        .selectFrom('reference_records')
        .selectAll()
        .where('version', '>', this.#version)
        .orderBy('version')
        .limit(sliceRows)
        .execute()
      for (const row of rows) this.#apply(row)
      full = rows.length === sliceRows
      if (rows.some(({ kind }) => kind === 'product')) this.#codes = [...this.#products.keys()].sort()
    }
    this.#version = Math.max(this.#version, newest)
    if (this.isFilled && this.knowsShippingMethods) return
    const sources = await this.#store.db.selectFrom('reference_sources').select('source').execute()
    this.#filled = new Set(sources.map(({ source }) => source))
  }

  /** Begins again without records. Until they are read, requests fail as at a first start. */
  #forget() {
    this.#version = 0
    this.#filled = new Set()
    this.#codes = []
    for (const map of [
      this.#products,
      this.#styleOfSku,
      this.#shippingMethods,
      this.#addresses,
      this.#sellable,
    ])
      map.clear()
  }

  #apply(row: ReferenceRow) {
    this.#version = row.version
    const removed = row.removed === 1
    if (row.kind === 'product') this.#applyProduct(row.id, removed ? undefined : JSON.parse(row.body))
    else if (row.kind === 'shipping_method')
      upsert(this.#shippingMethods, row.id, removed ? undefined : JSON.parse(row.body))
    else if (row.kind === 'address') {
      const own = this.#addresses.get(row.owner) ?? new Map<string, ErpAddress>()
      upsert(own, row.id, removed ? undefined : JSON.parse(row.body))
      this.#addresses.set(row.owner, own)
    } else if (row.kind === 'sellable') {
      const { rule, skus } = JSON.parse(row.body)
      this.#sellable.set(row.owner, { rule, skus: new Set(skus) })
    }
  }

  #applyProduct(code: string, product: ErpProduct | undefined) {
    for (const { sku } of this.#products.get(code)?.product.skus ?? []) {
      if (this.#styleOfSku.get(sku) === code) this.#styleOfSku.delete(sku)
    }
    if (!product) {
      this.#products.delete(code)
      return
    }
    for (const { sku } of product.skus) this.#styleOfSku.set(sku, code)
    const { en = '', zh = '', ko = '' } = product.names
    const haystack = [code, en, zh, ko, ...product.skus.map(({ sku }) => sku)].join('\n').toLowerCase()
    this.#products.set(code, { product, haystack })
  }
}

function upsert<T>(map: Map<string, T>, key: string, value: T | undefined) {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function sortById<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
