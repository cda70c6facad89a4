import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { StockFigure } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { type Bulk, type Tx, together } from '../store/store.ts'
import { type StockRow, stockColumns } from '../store/tables.ts'

/**
 * The only way into the stock table. One transaction per batch: lock the warehouse's counter row, compare the
 * ERP's figures with what is stored, take as many versions as rows changed in one update of that row, and write
 * just those rows under them. The row lock lasts until the commit, so versions become visible in their order and
 * a reader that follows `version > mine` can miss none. Views come after their members in the same transaction,
 * always in the order of their codes, so that no two writers wait for each other in a circle.
 */
export interface StockChange {
  readonly warehouse_code: string
  /** The ERP's newest figures. */
  readonly rows: readonly StockFigure[]
  /** SKUs that the ERP no longer carries there. */
  readonly gone: readonly string[]
  /** The ERP's counter when it said that they are gone. */
  readonly gone_seq: number | null
  /** Whether the ERP's counter may have begun anew, so that it cannot be compared with what is stored. */
  readonly anew?: boolean
  /**
   * When the ERP was asked, by our clock, where its figures carry no counter: what was written since is newer than
   * the answer.
   */
  readonly asked_at?: number
}

/**
 * Writes what differs; answers how many rows changed, views not counted. However many rows come, each transaction is
 * small enough not to hold up the loop, and the loop goes round between two.
 */
export async function writeStock(gateway: Gateway, change: StockChange): Promise<number> {
  const { batchRows } = gateway.store
  let written = 0
  for (let from = 0; from < change.rows.length || from < change.gone.length; from += batchRows) {
    const rows = change.rows.slice(from, from + batchRows)
    const gone = change.gone.slice(from, from + batchRows)
    written += await writeBatch(gateway, { ...change, rows, gone })
    await yieldToLoop()
  }
  return written
}

async function writeBatch(gateway: Gateway, change: StockChange): Promise<number> {
  const { bulk } = gateway.store
  return gateway.store.db.transaction().execute(async (tx) => {
    const skus = [...change.rows.map((row) => row.sku), ...change.gone]
    const [counter, stored] = await together(tx, [
      lockedCounter(tx, change.warehouse_code),
      storedRows({ tx, bulk }, change.warehouse_code, skus),
    ])
    const version = versionOf(counter, change.warehouse_code)
    const { changed, confirmed } = compared(change, bySku(stored), gateway.clock.now())
    await confirm(tx, change.warehouse_code, confirmed)
    if (changed.length === 0) return 0
    await writeRows({ tx, bulk }, change.warehouse_code, version, changed)
    const changedSkus = changed.map((row) => row.sku)
    for (const [view, members] of viewsOf(gateway, change.warehouse_code)) {
      await refreshView({ tx, bulk }, view, members, changedSkus, gateway.clock.now())
    }
    return changed.length
  })
}

type Fields = Omit<StockRow, 'version'>

/** A row whose published fields stand, and the ERP's counter under which it said so. */
interface Confirmed {
  readonly sku: string
  readonly stock_seq: number
}

/**
 * Which rows differ from what is stored. An older figure (by the ERP's counter) never overwrites a newer one: nor
 * one that came back to what it was, so a newer counter is kept even where nothing else changed.
 */
function compared(change: StockChange, stored: ReadonlyMap<string, StockRow>, now: number) {
  const changed: Fields[] = []
  const confirmed: Confirmed[] = []
  const isOlder = (seq: number | null, { stock_seq, updated_at }: StockRow) => {
    if (seq === null) return change.asked_at !== undefined && updated_at > change.asked_at
    return !change.anew && stock_seq !== null && seq < stock_seq
  }
  const confirm = ({ sku, stock_seq }: StockRow, seq: number | null) => {
    if (seq !== null && seq !== stock_seq) confirmed.push({ sku, stock_seq: seq })
  }
  for (const figure of change.rows) {
    const fields = fieldsOf(change.warehouse_code, figure, now)
    const before = stored.get(figure.sku)
    if (before && isOlder(figure.stock_seq, before)) continue
    if (before && isSame(before, fields)) confirm(before, figure.stock_seq)
    else changed.push(fields)
  }
  for (const sku of change.gone) {
    const before = stored.get(sku)
    if (!before || isOlder(change.gone_seq, before)) continue
    if (before.removed === 1) confirm(before, change.gone_seq)
    else changed.push({ ...withdrawn(before, now), stock_seq: change.gone_seq })
  }
  return { changed, confirmed }
}

function fieldsOf(warehouse: string, figure: StockFigure, now: number): Fields {
  return {
    warehouse_code: warehouse,
    sku: figure.sku,
    product_code: figure.product_code,
    quantity_on_hand: Math.max(0, figure.quantity_on_hand),
    quantity_available: Math.max(0, figure.quantity_available),
    price_wholesale: figure.price_wholesale,
    price_retail: figure.price_retail,
    currency: figure.currency,
    incoming: JSON.stringify(figure.incoming),
    removed: 0,
    updated_at: now,
    stock_seq: figure.stock_seq,
  }
}

function withdrawn(before: StockRow, now: number): Fields {
  const { version: _version, ...fields } = before
  return {
    ...fields,
    quantity_on_hand: 0,
    quantity_available: 0,
    incoming: '[]',
    removed: 1,
    updated_at: now,
  }
}

const published = [
  'product_code',
  'quantity_on_hand',
  'quantity_available',
  'price_wholesale',
  'price_retail',
  'currency',
  'incoming',
  'removed',
] as const

function isSame(before: Fields, after: Fields): boolean {
  return published.every((field) => before[field] === after[field])
}

/** Takes the warehouse's lock; answers the version of its newest row. What is read after it stands. */
function lockedCounter(tx: Tx, warehouse: string) {
  return tx
    .updateTable('warehouses')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('warehouse_code', '=', warehouse)
    .returning('version')
}

function versionOf([counter]: readonly { version: number }[], warehouse: string): number {
  if (!counter) throw new Error(`The warehouse ${warehouse} has no row.`)
  return counter.version
}

/** A writing transaction, and how many rows go through it. */
interface Writing {
  readonly tx: Tx
  readonly bulk: Bulk
}

function storedRows({ tx, bulk }: Writing, warehouse: string, skus: readonly string[]) {
  return tx
    .selectFrom('stock')
    .select(stockColumns)
    .where('warehouse_code', '=', warehouse)
    .where('sku', 'in', bulk.texts(skus))
}

function bySku(rows: readonly StockRow[]): Map<string, StockRow> {
  return new Map(rows.map((row) => [row.sku, row]))
}

/** Few at a time: only rows that changed and changed back since they were read. */
async function confirm(tx: Tx, warehouse: string, rows: readonly Confirmed[]): Promise<void> {
  for (const { sku, stock_seq } of rows) {
    await tx
      .updateTable('stock')
      .set({ stock_seq })
      .where('warehouse_code', '=', warehouse)
      .where('sku', '=', sku)
      .execute()
  }
}

/** Writes the rows under the versions that follow on the one that the locked counter row had. */
async function writeRows(
  { tx, bulk }: Writing,
  warehouse: string,
  version: number,
  rows: readonly Fields[],
): Promise<void> {
  const versioned = rows.map((row, index) => ({ ...row, version: version + 1 + index }))
  const counted = tx
    .updateTable('warehouses')
    .set({ version: version + rows.length })
    .where('warehouse_code', '=', warehouse)
  const written = tx
    .insertInto('stock')
    .columns(stockColumns)
    .expression(bulk.rows('stock', stockColumns, versioned))
    .onConflict((conflict) =>
      conflict.columns(['warehouse_code', 'sku']).doUpdateSet((eb) => ({
        product_code: eb.ref('excluded.product_code'),
        quantity_on_hand: eb.ref('excluded.quantity_on_hand'),
        quantity_available: eb.ref('excluded.quantity_available'),
        price_wholesale: eb.ref('excluded.price_wholesale'),
        price_retail: eb.ref('excluded.price_retail'),
        currency: eb.ref('excluded.currency'),
        incoming: eb.ref('excluded.incoming'),
        removed: eb.ref('excluded.removed'),
        version: eb.ref('excluded.version'),
        updated_at: eb.ref('excluded.updated_at'),
        stock_seq: eb.ref('excluded.stock_seq'),
      })),
    )
  await together(tx, [counted, written])
}

function viewsOf(gateway: Gateway, warehouse: string): [string, readonly string[]][] {
  return Object.entries(gateway.config.views)
    .filter(([, members]) => members.includes(warehouse))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Brings the named SKUs of a view to what its members have; one transaction a batch, as all writing. */
export async function rebuildView(
  gateway: Gateway,
  view: string,
  members: readonly string[],
  skus: readonly string[],
): Promise<void> {
  const { batchRows, db, bulk } = gateway.store
  for (let from = 0; from < skus.length; from += batchRows) {
    const batch = skus.slice(from, from + batchRows)
    const now = gateway.clock.now()
    await db.transaction().execute((tx) => refreshView({ tx, bulk }, view, members, batch, now))
    await yieldToLoop()
  }
}

/** Recomputes the view's rows of the changed SKUs from its members' published rows. */
async function refreshView(
  { tx, bulk }: Writing,
  view: string,
  members: readonly string[],
  skus: readonly string[],
  now: number,
): Promise<void> {
  const [counter, own, ofMembers] = await together(tx, [
    lockedCounter(tx, view),
    storedRows({ tx, bulk }, view, skus),
    tx
      .selectFrom('stock')
      .select(stockColumns)
      .where('warehouse_code', 'in', bulk.texts(members))
      .where('sku', 'in', bulk.texts(skus)),
  ])
  const stored = bySku(own)
  const rowsOf = Map.groupBy(ofMembers, (row) => row.sku)
  const changed: Fields[] = []
  for (const sku of skus) {
    const before = stored.get(sku)
    const left = before?.removed === 0 ? withdrawn(before, now) : undefined
    const merged = mergedRow(view, members, rowsOf.get(sku) ?? [], now) ?? left
    if (merged && !(before && isSame(before, merged))) changed.push(merged)
  }
  if (changed.length > 0) await writeRows({ tx, bulk }, view, versionOf(counter, view), changed)
}

/** The sums of the members; prices and style of the first member that carries the SKU; withdrawn when all are. */
export function mergedRow(
  view: string,
  members: readonly string[],
  rows: readonly StockRow[],
  now: number,
): Fields | undefined {
  const inOrder = rows.toSorted(
    (a, b) => members.indexOf(a.warehouse_code) - members.indexOf(b.warehouse_code),
  )
  const carried = inOrder.filter((row) => row.removed === 0)
  const first = carried[0] ?? inOrder[0]
  if (!first) return undefined
  const { version: _version, ...fields } = first
  const sum = (of: (row: StockRow) => number) => carried.reduce((total, row) => total + of(row), 0)
  return {
    ...fields,
    warehouse_code: view,
    quantity_on_hand: sum((row) => row.quantity_on_hand),
    quantity_available: sum((row) => row.quantity_available),
    incoming: mergedIncoming(carried),
    removed: carried.length === 0 ? 1 : 0,
    updated_at: now,
    stock_seq: null,
  }
}

function mergedIncoming(rows: readonly StockRow[]): string {
  const all: StockFigure['incoming'] = rows.flatMap((row) => JSON.parse(row.incoming))
  const byDate = (a: (typeof all)[number], b: (typeof all)[number]) =>
    a.earliest_date < b.earliest_date ? -1 : a.earliest_date > b.earliest_date ? 1 : 0
  return JSON.stringify(all.sort(byDate))
}
