import type { Row } from '../resources/shapes.ts'

/** A row of stock as the gateway publishes it. */
export type StockRow = Row<'stock.list'>

/**
 * The copies of a warehouse. Readers see `live`. A full sync fills `shadow` beside it, and replaces `live` at once when
 * it is complete and proven.
 */
export type CopyName = 'live' | 'shadow'

/** How far a copy is. */
export interface Place {
  /** The version from which the change feed continues. */
  readonly version: number
  /** The next page of the pull; null once all pages are there. */
  readonly nextPage: number | null
}

/** What is known of a warehouse. */
export type Places = Readonly<Partial<Record<CopyName, Place>>>

/** A page of rows, with the places of the copy before and after it. */
export interface PageWrite {
  readonly copy: CopyName
  readonly from: Place
  readonly to: Place
  readonly rows: readonly StockRow[]
  /** SKUs that are withdrawn. */
  readonly removed: readonly string[]
}

/**
 * Where a mirror keeps its copies. Each method is atomic: after a kill at any moment, all of it is there, or nothing.
 * The rows that it returns are the reader's own: changing one changes no copy.
 * Implement it for another database; the tests of the package show what it must keep.
 */
export interface MirrorStore {
  /** Prepares the store, such as its tables. May be called again. */
  open(): Promise<void>
  readPlaces(warehouse: string): Promise<Places>
  /** Discards the shadow, and begins another one at page 1. */
  beginShadow(warehouse: string, version: number): Promise<void>
  /**
   * Writes rows and moves the copy's place with them. A row of an older version never replaces a newer one. Returns
   * false, and writes nothing, if the copy is not at `from`: another process was faster.
   */
  writePage(warehouse: string, page: PageWrite): Promise<boolean>
  /** Makes the shadow live, if it is complete and at this version. Returns whether it did. */
  swap(warehouse: string, version: number): Promise<boolean>
  /** Reads a row of the live copy. */
  get(warehouse: string, sku: string): Promise<StockRow | undefined>
  /** Reads all rows of a copy, as they were at one moment, by SKU. */
  list(warehouse: string, copy?: CopyName): Promise<StockRow[]>
  /** Counts the rows of the live copy. */
  count(warehouse: string): Promise<number>
  /** Releases what the store itself opened. */
  close(): Promise<void>
}
