import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { instant } from '../kernel/clock.ts'
import { minorUnits } from '../kernel/money.ts'
import type { Store } from '../store/store.ts'
import { type StockRow, stockColumns, type WarehouseRow, warehouseColumns } from '../store/tables.ts'
import type { ShelfRow } from './block.ts'
import { ShelfBuilder } from './bulk.ts'
import { digestOf } from './checksum.ts'
import { epochOf } from './epoch.ts'
import type { HighWater } from './high-water.ts'
import { emptyShelf, type Shelf, stocked } from './shelf.ts'

/**
 * The mirror keeps every warehouse's stock in memory and follows the database by `version > mine`; it knows
 * nothing of who wrote. A turn reads slices until one comes back short: then, and only then, what was read is the
 * state at one version (a row that changed meanwhile came again with a higher one): the newest row's, or the
 * counter's as it stood before the first slice. The new shelf replaces the old in one assignment, so a version that
 * was ever answered stands for one state, in every process.
 */
export interface Warehouse {
  readonly warehouse_code: string
  readonly name: string
  readonly kind: 'warehouse' | 'company'
  readonly country_code: string
  readonly timezone: string
  readonly currency: string
  readonly members: readonly string[]
  readonly status: string
  readonly filled: boolean
  readonly synced_at: number | null
  readonly horizon: number
}

interface Followed {
  warehouse: Warehouse
  shelf: Shelf
}

/** Rows per slice: a slice blocks the loop for about two milliseconds. */
const sliceRows = 2000

export class StockMirror {
  readonly #store: Store
  readonly #highWater: HighWater
  readonly #restored: (above: number) => Promise<void>
  readonly #followed = new Map<string, Followed>()
  /** The turn under way, or the last one. */
  #turn: Promise<void> = Promise.resolve()
  /** The turn that has not begun yet. */
  #next: Promise<void> | undefined

  /** `restored` begins a new history when the database turns out to be behind what was answered before. */
  constructor(store: Store, highWater: HighWater, restored: (above: number) => Promise<void>) {
    this.#store = store
    this.#highWater = highWater
    this.#restored = restored
  }

  /** Every known warehouse and view, in the order of their codes. */
  warehouses(): Warehouse[] {
    const known = [...this.#followed.values()].map(({ warehouse }) => warehouse)
    return known.sort((a, b) => (a.warehouse_code < b.warehouse_code ? -1 : 1))
  }

  warehouse(code: string): Warehouse | undefined {
    return this.#followed.get(code)?.warehouse
  }

  /** The stock of a warehouse; undefined until it was filled once. */
  shelf(code: string): Shelf | undefined {
    const followed = this.#followed.get(code)
    return followed?.warehouse.filled ? followed.shelf : undefined
  }

  /** Whether every warehouse was filled once. */
  get isFilled(): boolean {
    return this.#followed.size > 0 && this.warehouses().every(({ filled }) => filled)
  }

  /**
   * One turn: brings each warehouse to the database's newest version. Turns never overlap, so none goes back; who
   * asks while one is under way shares the next one, which reads all that was committed before the question.
   */
  follow(): Promise<void> {
    this.#next ??= this.#turn
      .catch(() => {})
      .then(() => {
        this.#turn = this.#follow()
        this.#next = undefined
        return this.#turn
      })
    return this.#next
  }

  async #follow(): Promise<void> {
    const rows = await this.#counters()
    for (const code of this.#followed.keys()) {
      if (!rows.some((row) => row.warehouse_code === code)) this.#followed.delete(code)
    }
    for (const row of rows) {
      // Known at once, so that no warehouse is called unknown while another one is still being read.
      if (this.#followed.has(row.warehouse_code)) continue
      this.#followed.set(row.warehouse_code, {
        warehouse: { ...warehouseOf(row), filled: false },
        shelf: emptyShelf,
      })
    }
    for (const row of rows) {
      const known = this.#followed.get(row.warehouse_code)?.shelf ?? emptyShelf
      // A history that is not this shelf's: what was restored may differ anywhere, so it is read from the start.
      const shelf = epochOf(known.version) === epochOf(row.version) ? known : emptyShelf
      const next = row.version > shelf.version ? await this.#advanced(row, shelf) : shelf
      if (next.version > this.#highWater.of(row.warehouse_code)) {
        this.#highWater.note(row.warehouse_code, next.version)
      }
      this.#followed.set(row.warehouse_code, { warehouse: warehouseOf(row), shelf: next })
    }
  }

  /** The warehouses with their counters; where one ran back, after a new history was begun. */
  async #counters(): Promise<WarehouseRow[]> {
    const query = this.#store.db
      .selectFrom('warehouses')
      .select(warehouseColumns)
      .where('kind', '!=', 'retired')
      .orderBy('warehouse_code')
    const rows = await query.execute()
    const behind = rows.filter((row) => row.version < this.#highWater.of(row.warehouse_code))
    if (behind.length === 0) return rows
    await this.#restored(Math.max(...behind.map((row) => this.#highWater.of(row.warehouse_code))))
    return query.execute()
  }

  async #advanced(row: WarehouseRow, known: Shelf): Promise<Shelf> {
    const shelf = known === emptyShelf ? await this.#loaded(row) : known
    const changes = new Map<string, ShelfRow>()
    let version = shelf.version
    for (let full = true; full; ) {
      const rows = await this.#store.db
        .selectFrom('stock')
        .select(stockColumns)
        .where('warehouse_code', '=', row.warehouse_code)
        .where('version', '>', version)
        .orderBy('version')
        .limit(sliceRows)
        .execute()
      for (const each of rows) changes.set(each.sku, shelfRowOf(each))
      version = rows.at(-1)?.version ?? version
      full = rows.length === sliceRows
      await yieldToLoop()
    }
    const reached = Math.max(version, row.version)
    if (changes.size === 0 && reached === shelf.version) return shelf
    return stocked(shelf, [...changes.values()], reached, yieldToLoop)
  }

  /**
   * A whole warehouse from nothing, in the order of its SKUs. It may hold rows that are newer than the counter was
   * when the reading began; they come again with what is read after it.
   */
  async #loaded({ warehouse_code: warehouse, version }: WarehouseRow): Promise<Shelf> {
    const builder = new ShelfBuilder()
    let after = ''
    for (let full = true; full; ) {
      const rows = await this.#store.db
        .selectFrom('stock')
        .select(stockColumns)
        .where('warehouse_code', '=', warehouse)
        .where('sku', '>', after)
        .orderBy('sku')
        .limit(sliceRows)
        .execute()
      for (const row of rows) builder.add(shelfRowOf(row))
      after = rows.at(-1)?.sku ?? after
      full = rows.length === sliceRows
      await yieldToLoop()
    }
    return builder.finish(version, yieldToLoop)
  }
}

function warehouseOf(row: WarehouseRow): Warehouse {
  return {
    warehouse_code: row.warehouse_code,
    name: row.name,
    kind: row.kind === 'company' ? 'company' : 'warehouse',
    country_code: row.country_code,
    timezone: row.timezone,
    currency: row.currency,
    members: JSON.parse(row.members),
    status: row.status,
    filled: row.filled_at !== null,
    synced_at: row.synced_at,
    horizon: row.horizon,
  }
}

/** The row as the API sends it. `incoming` is JSON already; prices leave their minor units here. */
export function shelfRowOf(row: StockRow): ShelfRow {
  const scale = minorUnits(row.currency)
  const json =
    `{"sku":${JSON.stringify(row.sku)},"product_code":${JSON.stringify(row.product_code)},` +
    `"quantity_on_hand":${row.quantity_on_hand},"quantity_available":${row.quantity_available},` +
    `"price_wholesale":${row.price_wholesale / scale},"price_retail":${row.price_retail / scale},` +
    `"currency":${JSON.stringify(row.currency)},"warehouse_code":${JSON.stringify(row.warehouse_code)},` +
    `"version":${row.version},"updated_at":"${instant(row.updated_at)}","incoming":${row.incoming}}`
  const { sku, product_code, version } = row
  return { sku, product_code, removed: row.removed === 1, version, json, digest: digestOf(row) }
}
