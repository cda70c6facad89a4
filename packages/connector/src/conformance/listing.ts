/**
 * Stock of one warehouse and the catalogue of styles are both listings: pages in ascending order of a key, a read by
 * keys, and hints. The checks of snapshot, read and hints are written once, for any listing.
 *
 * A large ERP is sampled. At most three warehouses are looked at: the first, the middle and the last. Rows are
 * sampled by jumps: from the first key, each of its beginnings followed by "~" leads past all keys that begin so,
 * and thus ever farther into the list.
 */
import type { Erp } from '../erp.ts'
import type { ErpProduct, ErpWarehouse, StockFigure } from '../operations.ts'
import { asked } from './ask.ts'
import { type Check, type Skipped, skip } from './check.ts'

const mostWarehouses = 3
const mostJumps = 12
const rowsPerJump = 50

/** A row without what may differ between two answers of one moment: its counter stands apart. */
export interface Row<Value extends object = object> {
  readonly key: string
  readonly value: Value
  readonly seq: number | null
}

interface Rows<Value extends object> {
  readonly rows: readonly Row<Value>[]
  /** The counter of the answer as a whole. */
  readonly seq: number | null
}

export interface Page<Value extends object = object> extends Rows<Value> {
  readonly next: string | null
}

export interface Hints {
  readonly cursor: string
  readonly everything: boolean
  readonly keys: readonly string[]
  readonly more: boolean
}

export interface Listing<Value extends object = object> {
  /** What is listed, for sentences. */
  readonly of: string
  /** False where the ERP has said that it cannot tell what changed. */
  readonly tellsChanges: boolean
  page(after: string | null, limit: number): Promise<Page<Value>>
  read(keys: readonly string[]): Promise<Rows<Value>>
  changed(cursor: string | null): Promise<Hints>
}

export interface StockListing extends Listing<Omit<StockFigure, 'sku' | 'stock_seq'>> {
  readonly warehouse: ErpWarehouse
}

export type ProductListing = Listing<Omit<ErpProduct, 'product_code'>>

/** What the checks of snapshot, read and hints are run on. */
export interface Subject {
  readonly id: 'stock' | 'products'
  /** What a key is called, for sentences. */
  readonly key: string
  listings(erp: Erp): Promise<readonly Listing[]>
}

export const stockSubject: Subject = { id: 'stock', key: 'SKU', listings: stockListings }
export const productSubject: Subject = { id: 'products', key: 'product_code', listings: productListings }

/** The stock of the sampled warehouses. */
export async function stockListings(erp: Erp): Promise<readonly StockListing[]> {
  const tellsChanges = await doesTellChanges(erp)
  return (await sampledWarehouses(erp)).map((warehouse) => stockListing(erp, warehouse, tellsChanges))
}

/** The one catalogue of styles. */
export async function productListings(erp: Erp): Promise<readonly ProductListing[]> {
  const rowOf = ({ product_code, ...value }: ErpProduct) => ({ key: product_code, value, seq: null })
  return [
    {
      of: 'the catalogue',
      tellsChanges: await doesTellChanges(erp),
      async page(after, limit) {
        const { products, next } = await asked(erp, 'products.snapshot', { after, limit })
        return { rows: products.map(rowOf), next, seq: null }
      },
      async read(keys) {
        const { products } = await asked(erp, 'products.read', { product_codes: [...keys] })
        return { rows: products.map(rowOf), seq: null }
      },
      async changed(cursor) {
        const { product_codes, ...hints } = await asked(erp, 'products.changed', { cursor })
        return { ...hints, keys: product_codes }
      },
    },
  ]
}

function stockListing(erp: Erp, warehouse: ErpWarehouse, tellsChanges: boolean): StockListing {
  const { warehouse_code } = warehouse
  const rowOf = ({ sku, stock_seq, ...value }: StockFigure) => ({ key: sku, value, seq: stock_seq })
  return {
    of: `warehouse ${warehouse_code}`,
    warehouse,
    tellsChanges,
    async page(after, limit) {
      const { rows, next, stock_seq } = await asked(erp, 'stock.snapshot', { warehouse_code, after, limit })
      return { rows: rows.map(rowOf), next, seq: stock_seq }
    },
    async read(keys) {
      const { rows, stock_seq } = await asked(erp, 'stock.read', { warehouse_code, skus: [...keys] })
      return { rows: rows.map(rowOf), seq: stock_seq }
    },
    async changed(cursor) {
      const { skus, ...hints } = await asked(erp, 'stock.changed', { warehouse_code, cursor })
      return { ...hints, keys: skus }
    },
  }
}

async function doesTellChanges(erp: Erp): Promise<boolean> {
  return (await asked(erp, 'describe', {})).capabilities.changes !== 'none'
}

async function sampledWarehouses(erp: Erp): Promise<ErpWarehouse[]> {
  const { warehouses } = await asked(erp, 'warehouses', {})
  const distinct = [...new Map(warehouses.map((one) => [one.warehouse_code, one])).values()]
  const step = (distinct.length - 1) / (mostWarehouses - 1)
  const picked = distinct.filter((_, index) =>
    [0, 1, 2].some((number) => Math.round(number * step) === index),
  )
  return distinct.length <= mostWarehouses ? distinct : picked
}

/** Rows from near and far, each once, at most `rowsPerJump` per jump. */
export async function sampleOf<Value extends object>(listing: Listing<Value>): Promise<Row<Value>[]> {
  const sample = new Map<string, Row<Value>>()
  const start = await listing.page(null, rowsPerJump)
  const first = start.rows[0]?.key ?? ''
  for (const row of start.rows) sample.set(row.key, row)
  for (let length = 0; length < Math.min(first.length, mostJumps); length++) {
    const { rows } = await listing.page(`${first.slice(0, length)}~`, rowsPerJump)
    for (const row of rows) sample.set(row.key, row)
  }
  return [...sample.values()]
}

/** A check of a subject that looks at each of its listings; skipped where each of them skips. */
export function eachListing(
  subject: Subject,
  { id, states }: { id: string; states: string },
  look: (listing: Listing) => Promise<Skipped | undefined>,
): Check {
  return {
    id: `${subject.id}.${id}`,
    states,
    run: async (erp) => overEach(await subject.listings(erp), look),
  }
}

/** Looks at each of the listings; the reason of the first skip, where all of them skip. */
export async function overEach<L extends Listing>(
  listings: readonly L[],
  look: (listing: L) => Promise<Skipped | undefined>,
): Promise<Skipped | undefined> {
  const skipped: Skipped[] = []
  for (const listing of listings) {
    const outcome = await look(listing)
    if (outcome) skipped.push(outcome)
  }
  if (skipped.length < listings.length) return undefined
  return skipped[0] ?? skip('The ERP has no warehouse.')
}

/** The order of keys: by code point, as the bytes of UTF-8. */
export function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** A key that no ERP has, different for each number. */
export function noSuchKey(number: number): string {
  return `NO-SUCH-KEY-${number}`
}
