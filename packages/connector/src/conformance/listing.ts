/**
 * The stock of one warehouse and the catalogue of styles are both listings: pages in ascending order of a key, reads by
 * keys, and reports of changed keys ("hints"). The checks of snapshots, reads and hints are written once for any
 * listing.
 *
 * A large ERP is sampled. At most three warehouses are checked: the first, the middle and the last. Rows are sampled by
 * jumps. Each jump takes a prefix of the first key, appends "~", and reads the page after it. A shorter prefix skips
 * more keys, so the samples spread over the list.
 */
import type { Erp } from '../erp.ts'
import type { ErpProduct, ErpWarehouse, StockFigure } from '../operations.ts'
import { callOk } from './call.ts'
import { type Check, type Skipped, skip } from './check.ts'

const maxWarehouses = 3
const maxJumps = 12
const rowsPerJump = 50

/**
 * A row of a listing. `seq`, the ERP's change counter, is not a part of `value`, because it may differ between two
 * reads of the same state.
 */
export interface Row<Value extends object = object> {
  readonly key: string
  readonly value: Value
  readonly seq: number | null
}

interface Rows<Value extends object> {
  readonly rows: readonly Row<Value>[]
  /** The ERP's change counter, such as `stock_seq`, as of this response; null if the ERP has none. */
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
  /** The name of the listing in messages. */
  readonly name: string
  /** Whether the ERP declares that it can report changes. */
  readonly hasHints: boolean
  readPage(after: string | null, limit: number): Promise<Page<Value>>
  read(keys: readonly string[]): Promise<Rows<Value>>
  readHints(cursor: string | null): Promise<Hints>
}

export interface StockListing extends Listing<Omit<StockFigure, 'sku' | 'stock_seq'>> {
  readonly warehouse: ErpWarehouse
}

export type ProductListing = Listing<Omit<ErpProduct, 'product_code'>>

/** A kind of listing: stock or products. The checks of snapshots, reads and hints run on each. */
export interface Subject {
  readonly id: 'stock' | 'products'
  /** The name of the listing's key in messages. */
  readonly key: string
  listings(erp: Erp): Promise<readonly Listing[]>
}

export const stockSubject: Subject = { id: 'stock', key: 'SKU', listings: listStockListings }
export const productSubject: Subject = { id: 'products', key: 'product_code', listings: listProductListings }

/** Returns a listing for the stock of each sampled warehouse. */
export async function listStockListings(erp: Erp): Promise<readonly StockListing[]> {
  const hasHints = await declaresHints(erp)
  return (await sampleWarehouses(erp)).map((warehouse) => createStockListing(erp, warehouse, hasHints))
}

/** Returns the catalogue of styles as the only listing. */
export async function listProductListings(erp: Erp): Promise<readonly ProductListing[]> {
  const toRow = ({ product_code, ...value }: ErpProduct) => ({ key: product_code, value, seq: null })
  return [
    {
      name: 'the catalogue',
      hasHints: await declaresHints(erp),
      async readPage(after, limit) {
        const { products, next } = await callOk(erp, 'products.snapshot', { after, limit })
        return { rows: products.map(toRow), next, seq: null }
      },
      async read(keys) {
        const { products } = await callOk(erp, 'products.read', { product_codes: [...keys] })
        return { rows: products.map(toRow), seq: null }
      },
      async readHints(cursor) {
        const { product_codes, ...hints } = await callOk(erp, 'products.changed', { cursor })
        return { ...hints, keys: product_codes }
      },
    },
  ]
}

function createStockListing(erp: Erp, warehouse: ErpWarehouse, hasHints: boolean): StockListing {
  const { warehouse_code } = warehouse
  const toRow = ({ sku, stock_seq, ...value }: StockFigure) => ({ key: sku, value, seq: stock_seq })
  return {
    name: `warehouse ${warehouse_code}`,
    warehouse,
    hasHints,
    async readPage(after, limit) {
      const { rows, next, stock_seq } = await callOk(erp, 'stock.snapshot', { warehouse_code, after, limit })
      return { rows: rows.map(toRow), next, seq: stock_seq }
    },
    async read(keys) {
      const { rows, stock_seq } = await callOk(erp, 'stock.read', { warehouse_code, skus: [...keys] })
      return { rows: rows.map(toRow), seq: stock_seq }
    },
    async readHints(cursor) {
      const { skus, ...hints } = await callOk(erp, 'stock.changed', { warehouse_code, cursor })
      return { ...hints, keys: skus }
    },
  }
}

async function declaresHints(erp: Erp): Promise<boolean> {
  return (await callOk(erp, 'describe', {})).capabilities.changes !== 'none'
}

async function sampleWarehouses(erp: Erp): Promise<ErpWarehouse[]> {
  const { warehouses } = await callOk(erp, 'warehouses', {})
  const distinct = [...new Map(warehouses.map((one) => [one.warehouse_code, one])).values()]
  const step = (distinct.length - 1) / (maxWarehouses - 1)
  const picked = distinct.filter((_, index) =>
    [0, 1, 2].some((number) => Math.round(number * step) === index),
  )
  return distinct.length <= maxWarehouses ? distinct : picked
}

/** Samples rows across a listing, at most `rowsPerJump` rows at each of several positions. No row occurs twice. */
export async function sampleRows<Value extends object>(listing: Listing<Value>): Promise<Row<Value>[]> {
  const sample = new Map<string, Row<Value>>()
  const start = await listing.readPage(null, rowsPerJump)
  const first = start.rows[0]?.key ?? ''
  for (const row of start.rows) sample.set(row.key, row)
  for (let length = 0; length < Math.min(first.length, maxJumps); length++) {
    const { rows } = await listing.readPage(`${first.slice(0, length)}~`, rowsPerJump)
    for (const row of rows) sample.set(row.key, row)
  }
  return [...sample.values()]
}

/** Defines a check that runs on each listing of a subject. It is skipped if `look` skips every listing. */
export function checkEachListing(
  subject: Subject,
  { id, states }: { id: string; states: string },
  look: (listing: Listing) => Promise<Skipped | undefined>,
): Check {
  return {
    id: `${subject.id}.${id}`,
    states,
    run: async (erp) => checkEach(await subject.listings(erp), look),
  }
}

/** Runs a check on each listing. If the check skips every listing, returns the first reason. */
export async function checkEach<L extends Listing>(
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

/** Whether a key sorts before another by code point, which is the order of the UTF-8 bytes. */
export function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

/** Returns a key that no ERP has, different for each number. */
export function createUnknownKey(number: number): string {
  return `NO-SUCH-KEY-${number}`
}
