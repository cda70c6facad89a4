/**
 * The mirror keeps every warehouse's stock in memory. It repeatedly reads the rows whose version is higher than the
 * newest one that it has, whichever process wrote them.
 *
 * A turn reads slices until one is shorter than the limit. Only then do the rows form the state at one version, because
 * a row that changed in the meantime was read again with a higher version. The version of that state is the newest
 * row's: each version that was taken belongs to a row. A counter whose row is not there is not believed. One assignment replaces the old snapshot with
 * the new one, so a version that was ever sent denotes the same state in every process.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { CompiledQuery } from 'kysely'
import { formatInstant } from '../kernel/clock.ts'
import { minorUnits } from '../kernel/money.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { SharedTurn } from '../kernel/shared-turn.ts'
import { settlePatiently, withoutPatience } from '../store/patience.ts'
import type { Db, Store } from '../store/store.ts'
import { type StockRow, stockColumns, type WarehouseRow, warehouseColumns } from '../store/tables.ts'
import type { SnapshotRow } from './block.ts'
import { hashStoredRow } from './checksum.ts'
import { readEpoch } from './epoch.ts'
import type { HighWater } from './high-water.ts'
import { SnapshotBuilder } from './snapshot-builder.ts'
import { applyBatch, emptySnapshot, type StockSnapshot } from './stock-snapshot.ts'

/** A warehouse or view, as the API describes it. */
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

interface MirroredWarehouse {
  warehouse: Warehouse
  snapshot: StockSnapshot
}

/** The number of rows per slice. A slice of 1,000 rows blocks the event loop for about two milliseconds. */
const sliceRows = 1000

export class StockMirror {
  readonly #store: Store
  readonly #highWater: HighWater
  readonly #beginHistory: (above: number) => Promise<unknown>
  /** Built once, because each later page that is asked for by its number waits for a turn. */
  readonly #warehousesQuery: CompiledQuery<WarehouseRow>
  readonly #warehouses = new Map<string, MirroredWarehouse>()
  /** A request may start a turn, but many wait for it. */
  readonly #turns = new SharedTurn(() => withoutPatience(() => this.#follow()))
  /** Undefined until the first turn. */
  #isReady: boolean | undefined

  /**
   * `beginHistory` is called if the database has not reached a version that was sent, because it was restored from a
   * backup.
   */
  constructor(store: Store, highWater: HighWater, beginHistory: (above: number) => Promise<unknown>) {
    this.#store = store
    this.#highWater = highWater
    this.#beginHistory = beginHistory
    this.#warehousesQuery = store.db
      .selectFrom('warehouses')
      .select(warehouseColumns)
      .where('kind', '!=', 'retired')
      .orderBy('warehouse_code')
      .compile()
  }

  /** Lists every known warehouse and view, sorted by code. */
  warehouses(): Warehouse[] {
    const known = [...this.#warehouses.values()].map(({ warehouse }) => warehouse)
    return known.sort((a, b) => (a.warehouse_code < b.warehouse_code ? -1 : 1))
  }

  warehouse(code: string): Warehouse | undefined {
    return this.#warehouses.get(code)?.warehouse
  }

  /** Returns the stock of a warehouse; undefined until it has been read completely once. */
  snapshot(code: string): StockSnapshot | undefined {
    const mirrored = this.#warehouses.get(code)
    return mirrored?.warehouse.filled ? mirrored.snapshot : undefined
  }

  /** Whether the stock of every warehouse has been read completely once. */
  get isFilled(): boolean {
    return this.#warehouses.size > 0 && this.warehouses().every(({ filled }) => filled)
  }

  /**
   * Whether the first read of the stock is over: the first turn found stock in the database, or the stock of every
   * warehouse has been read since. It stays true. A warehouse or view that is added later fails alone until it is filled;
   * otherwise it would make every process unready at once.
   */
  get isReady(): boolean {
    return this.#isReady === true
  }

  /**
   * Reads each warehouse up to the database's newest version; one turn of the worker. Turns never overlap, so a
   * snapshot's version never decreases. Calls during a turn share the next turn, which sees everything that was
   * committed before those calls.
   */
  follow(): Promise<void> {
    return settlePatiently(this.#turns.request())
  }

  async #follow(): Promise<void> {
    const rows = await this.#readWarehousesAndRepairHistory()
    for (const code of this.#warehouses.keys()) {
      if (!rows.some((row) => row.warehouse_code === code)) this.#warehouses.delete(code)
    }
    for (const row of rows) {
      // Adds each warehouse to the list before its rows are read: until then, requests for it would get
      // WAREHOUSE_UNKNOWN.
      if (this.#warehouses.has(row.warehouse_code)) continue
      this.#warehouses.set(row.warehouse_code, {
        warehouse: { ...toWarehouse(row), filled: false },
        snapshot: emptySnapshot,
      })
    }
    for (const row of rows) {
      const known = this.#warehouses.get(row.warehouse_code)?.snapshot ?? emptySnapshot
      // After a restore, any row of another epoch may differ, so the mirror reads the warehouse from the start.
      const snapshot = readEpoch(known.version) === readEpoch(row.version) ? known : emptySnapshot
      const next = row.version > snapshot.version ? await this.#advance(row, snapshot) : snapshot
      if (next.version > this.#highWater.findNewest(row.warehouse_code)) {
        this.#highWater.record(row.warehouse_code, next.version)
      }
      this.#warehouses.set(row.warehouse_code, { warehouse: toWarehouse(row), snapshot: next })
    }
    this.#highWater.retry()
    const hasStock = rows.some((row) => row.filled_at !== null)
    this.#isReady ||= this.#isReady === undefined ? hasStock : this.isFilled
  }

  /**
   * Reads the warehouses with their counters. If a counter is below a version that was sent, begins a new history and
   * reads them again.
   */
  async #readWarehousesAndRepairHistory(): Promise<WarehouseRow[]> {
    const { rows } = await this.#store.db.executeQuery(this.#warehousesQuery)
    const behind = rows.filter((row) => row.version < this.#highWater.findNewest(row.warehouse_code))
    if (behind.length === 0) return rows
    await this.#beginHistory(Math.max(...behind.map((row) => this.#highWater.findNewest(row.warehouse_code))))
    return (await this.#store.db.executeQuery(this.#warehousesQuery)).rows
  }

  async #advance(row: WarehouseRow, known: StockSnapshot): Promise<StockSnapshot> {
    const snapshot = known === emptySnapshot ? await this.#loadWhole(row) : known
    const changes = new Map<string, SnapshotRow>()
    let { version } = snapshot
    const slices = readSlices(this.#store.db, row.warehouse_code, { order: 'version', after: version })
    for await (const rows of readAhead(slices)) {
      for (const each of rows) changes.set(each.sku, toSnapshotRow(each))
      version = rows.at(-1)?.version ?? version
      await yieldToLoop()
    }
    if (changes.size === 0) return snapshot
    return applyBatch(snapshot, { changes: [...changes.values()], version }, yieldToLoop)
  }

  /**
   * Reads a whole warehouse in the order of its SKUs. Some rows may be newer than the counter was at the start; the
   * slices that follow contain them again.
   */
  async #loadWhole({ warehouse_code, version }: WarehouseRow): Promise<StockSnapshot> {
    const builder = new SnapshotBuilder()
    const { db } = this.#store.forBackground()
    for await (const rows of readAhead(readSlices(db, warehouse_code, { order: 'sku', after: '' }))) {
      for (const row of rows) builder.add(toSnapshotRow(row))
      await yieldToLoop()
    }
    return builder.finish(version, yieldToLoop)
  }
}

/** Where slices begin: after the row with this SKU or version, in the order of SKUs or versions. */
type SliceStart =
  | { readonly order: 'sku'; readonly after: string }
  | { readonly order: 'version'; readonly after: number }

/** Reads the rows of a warehouse slice by slice. The last slice is shorter than the limit, and may be empty. */
async function* readSlices(
  db: Db,
  warehouse: string,
  { order, after }: SliceStart,
): AsyncGenerator<StockRow[], void> {
  let last: string | number = after
  for (let full = true; full; ) {
    const rows: StockRow[] = await db
      .selectFrom('stock')
      .select(stockColumns)
      .where('warehouse_code', '=', warehouse)
      .where(order, '>', last)
      .orderBy(order)
      .limit(sliceRows)
      .execute()
    yield rows
    last = rows.at(-1)?.[order] ?? last
    full = rows.length === sliceRows
  }
}

function toWarehouse(row: WarehouseRow): Warehouse {
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

/**
 * Converts a row to the form in which the API sends it. `incoming` is already JSON; prices are converted from minor
 * units.
 */
export function toSnapshotRow(row: StockRow): SnapshotRow {
  const scale = minorUnits(row.currency)
  const { sku, product_code, version } = row
  const fields = JSON.stringify({
    sku,
    product_code,
    quantity_on_hand: row.quantity_on_hand,
    quantity_available: row.quantity_available,
    price_wholesale: row.price_wholesale / scale,
    price_retail: row.price_retail / scale,
    currency: row.currency,
    warehouse_code: row.warehouse_code,
    version,
    updated_at: formatInstant(row.updated_at),
  })
  const json = `${fields.slice(0, -1)},"incoming":${row.incoming}}`
  return { sku, product_code, removed: row.removed === 1, version, json, digest: hashStoredRow(row) }
}
