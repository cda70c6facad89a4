/**
 * What each commit wrote into the stock, so that the checker knows who wrote what clients read. It is read from the
 * database and not from the gateway: a process that shows rows of a transaction that never ended is found so.
 */

import type { StockRow } from './history/operations.ts'
import type { HistoryRecorder } from './history/recorder.ts'
import type { SharedDatabase } from './shared-database.ts'

const newest = 'select warehouse_code, version from warehouses'
const since = `select warehouse_code, sku, version, quantity_available as quantity from stock
  where warehouse_code = ? and version > ? order by version`

function toStockRow({ warehouse_code, sku, version, quantity }: Record<string, unknown>): StockRow {
  return {
    ...{ warehouse_code: String(warehouse_code), sku: String(sku) },
    ...{ version: Number(version), quantity: Number(quantity) },
  }
}

export class StockWrites {
  readonly #database: SharedDatabase
  /** The newest version of each warehouse. */
  #known: ReadonlyMap<string, number>
  #commits: StockRow[][] = []

  /** Begins with the next commit. */
  constructor(database: SharedDatabase) {
    this.#database = database
    this.#known = this.#readNewest()
    database.onCommit(() => this.#note())
  }

  /** Forgets what an older copy of the database, which has replaced it, does not have. */
  forgetLost() {
    this.#known = this.#readNewest()
    const isKept = ({ warehouse_code, version }: StockRow) => version <= this.#find(warehouse_code)
    this.#commits = this.#commits.map((rows) => rows.filter(isKept)).filter((rows) => rows.length > 0)
  }

  record(recorder: HistoryRecorder): void {
    for (const writes of this.#commits) recorder.begin('database', 'stock.write', { writes })({ type: 'ok' })
  }

  #note() {
    const before = this.#known
    this.#known = this.#readNewest()
    const changed = [...this.#known].filter(([code, version]) => version > (before.get(code) ?? 0))
    const rows = changed.flatMap(([code]) => this.#database.read(since, code, before.get(code) ?? 0))
    if (rows.length > 0) this.#commits.push(rows.map(toStockRow))
  }

  #readNewest(): ReadonlyMap<string, number> {
    const rows = this.#database.read(newest)
    return new Map(rows.map(({ warehouse_code, version }) => [String(warehouse_code), Number(version)]))
  }

  #find(warehouse: string): number {
    return this.#known.get(warehouse) ?? 0
  }
}
