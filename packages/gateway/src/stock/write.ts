import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Incoming, StockFigure } from '@trade-gateway/connector'
import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { type Bulk, executePipelined, type Lease, type Tx } from '../store/store.ts'
import { type StockRow, stockColumns } from '../store/tables.ts'
import { isFigureNumber } from './figure-numbers.ts'

/**
 * The only writer of the stock table. One transaction per batch:
 *
 * 1. lock the warehouse's counter row;
 * 2. compare the ERP's figures with the stored rows;
 * 3. take one version for each changed row, in one update of the counter row;
 * 4. write only the changed rows, under these versions.
 *
 * The row lock lasts until the commit. So versions become visible in ascending order, and a reader of the rows above a
 * version misses none. A transaction locks views after real warehouses, each in the order of their codes, so that two
 * writers never deadlock. The codes are sorted here and not by the database, whose order depends on its collation.
 */
export interface StockChange {
  readonly warehouse_code: string
  /** The ERP's newest figures. */
  readonly rows: readonly StockFigure[]
  /** The SKUs that the ERP no longer carries in this warehouse. */
  readonly gone: readonly string[]
  /** The ERP's counter at the time when it no longer listed the SKUs in `gone`. */
  readonly gone_seq: number | null
  /** Whether the ERP's counter may have restarted, so that it is not comparable with the stored one. */
  readonly seqMayRestart?: boolean
  /**
   * The warehouse's version before the figures were read. A row that was written since is not older than a figure with a
   * lower counter, also if the counter may have restarted.
   */
  readonly readAfter?: number
  /**
   * Whether numbers of the gateway (`figure-numbers.ts`) are stored only with rows that change. A comparison of a whole
   * warehouse would otherwise write each row. What changed in it is hinted too, or compared again a minute later.
   */
  readonly leavesUnchanged?: boolean
  /** The lease of the sync that read the figures. If another process has taken over, they are not written. */
  readonly lease?: Lease
}

/**
 * Writes the rows that differ and returns their SKUs, without the rows of views. Each transaction is small enough
 * not to block the event loop, and the loop runs between two of them.
 */
export async function writeStock(gateway: Gateway, change: StockChange): Promise<string[]> {
  const { batchRows } = gateway.store
  const written: string[] = []
  // An ERP that names a row twice: one statement can write it once, and the last one is the newest.
  const all = [...new Map(change.rows.map((row) => [row.sku, row])).values()]
  for (let from = 0; from < all.length || from < change.gone.length; from += batchRows) {
    const rows = all.slice(from, from + batchRows)
    const gone = change.gone.slice(from, from + batchRows)
    written.push(...(await writeBatch(gateway, { ...change, rows, gone })))
    await yieldToLoop()
  }
  if (written.length > 0) {
    gateway.memory.metrics.stockChanges.inc({ warehouse: change.warehouse_code }, written.length)
  }
  return written
}

async function writeBatch(gateway: Gateway, change: StockChange): Promise<string[]> {
  const { bulk } = gateway.store
  return gateway.store.db.transaction().execute(async (tx) => {
    const skus = [...change.rows.map((row) => row.sku), ...change.gone]
    const [counter, stored, views] = await executePipelined(tx, [
      buildCounterLock(tx, change.warehouse_code),
      buildStoredRowsQuery({ tx, bulk }, change.warehouse_code, skus),
      buildViewsQuery(tx),
    ])
    const version = requireVersion(counter, change.warehouse_code)
    const now = gateway.clock.now()
    // A late figure in a retired warehouse would be counted by its views for ever.
    const isRetired = counter[0]?.kind === 'retired'
    const accepted = isRetired ? { ...change, rows: [] } : change
    const { changed, confirmed } = compareRows(accepted, indexBySku(stored), now)
    if (confirmed.length > 0) await saveNewerCounters({ tx, bulk }, change.warehouse_code, confirmed)
    if (changed.length + confirmed.length === 0) return []
    const changedSkus = changed.map((row) => row.sku)
    if (changed.length > 0) {
      await writeRows({ tx, bulk }, { warehouse_code: change.warehouse_code, version }, changed)
      for (const view of findViewsOf(change.warehouse_code, views)) {
        await recomputeViewRows({ tx, bulk, now }, view, changedSkus)
      }
    }
    await change.lease?.requireHeld(tx)
    return changedSkus
  })
}

type Fields = Omit<StockRow, 'version'>

/** A row whose published fields did not change, with its newer counter. */
interface ConfirmedRow {
  readonly sku: string
  readonly stock_seq: number
}

/**
 * Compares the rows with the stored ones. By its counter, an older figure never overwrites a newer one. The gateway
 * stores a newer counter even if nothing else changed: otherwise a late, older figure could overwrite a row that changed
 * and changed back.
 */
function compareRows(change: StockChange, stored: ReadonlyMap<string, StockRow>, now: number) {
  const changed: Fields[] = []
  const confirmed: ConfirmedRow[] = []
  const isOlder = (seq: number | null, { stock_seq, version }: StockRow) => {
    // An ERP that begins or ceases to have a counter: nothing says which figure is newer, and the last one wins.
    if (seq === null || stock_seq === null || isFigureNumber(seq) !== isFigureNumber(stock_seq)) return false
    const isComparable =
      isFigureNumber(seq) || !change.seqMayRestart || version > (change.readAfter ?? version)
    return isComparable && seq < stock_seq
  }
  const confirmUnchanged = ({ sku, stock_seq }: StockRow, seq: number | null) => {
    if (seq === null || seq === stock_seq || (change.leavesUnchanged && isFigureNumber(seq))) return
    confirmed.push({ sku, stock_seq: seq })
  }
  for (const figure of change.rows) {
    const fields = toStockFields(change.warehouse_code, figure, now)
    const before = stored.get(figure.sku)
    if (before && isOlder(figure.stock_seq, before)) continue
    if (before && isSame(before, fields)) confirmUnchanged(before, figure.stock_seq)
    else changed.push(fields)
  }
  for (const sku of change.gone) {
    const before = stored.get(sku)
    if (!before || isOlder(change.gone_seq, before)) continue
    if (before.removed === 1) confirmUnchanged(before, change.gone_seq)
    else changed.push({ ...toWithdrawnRow(before, now), stock_seq: change.gone_seq })
  }
  return { changed, confirmed }
}

/** Converts the ERP's figure to the fields of a stored row. Negative quantities count as 0. */
export function toStockFields(warehouse: string, figure: StockFigure, now: number): Fields {
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

function toWithdrawnRow(before: StockRow, now: number): Fields {
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

const publishedFields = [
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
  return publishedFields.every((field) => before[field] === after[field])
}

/**
 * Builds the statement that locks the warehouse and returns its newest version. Rows that are read after the lock
 * cannot change before the commit.
 */
function buildCounterLock(tx: Tx, warehouse: string) {
  return tx
    .updateTable('warehouses')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('warehouse_code', '=', warehouse)
    .returning(['version', 'members', 'kind'])
}

function requireVersion([counter]: readonly { readonly version: number }[], warehouse: string): number {
  if (!counter) throw new Error(`The warehouse ${warehouse} has no row.`)
  return counter.version
}

interface WriteContext {
  readonly tx: Tx
  readonly bulk: Bulk
}

/** The row of a warehouse that this transaction has locked, and its newest version. */
interface LockedCounter {
  readonly warehouse_code: string
  readonly version: number
}

/** A company view and the codes of the warehouses that it sums. */
interface View {
  readonly warehouse_code: string
  readonly members: readonly string[]
}

/** The largest quantity that every reader of JSON and of the database can tell from its neighbours. */
const maxQuantity = Number.MAX_SAFE_INTEGER

function buildStoredRowsQuery({ tx, bulk }: WriteContext, warehouse: string, skus: readonly string[]) {
  return tx
    .selectFrom('stock')
    .select(stockColumns)
    .where('warehouse_code', '=', warehouse)
    .where('sku', 'in', bulk.texts(skus))
}

function indexBySku(rows: readonly StockRow[]): Map<string, StockRow> {
  return new Map(rows.map((row) => [row.sku, row]))
}

/** Stores the newer counters of rows that did not change otherwise. */
async function saveNewerCounters(
  { tx, bulk }: WriteContext,
  warehouse: string,
  rows: readonly ConfirmedRow[],
): Promise<void> {
  const newer = bulk.rows('stock', ['sku', 'stock_seq'], rows)
  await sql`update stock set stock_seq = n.stock_seq from (${newer}) as n
    where stock.warehouse_code = ${warehouse} and stock.sku = n.sku`.execute(tx)
}

/** Writes the rows with the versions that follow the locked counter. */
async function writeRows(
  { tx, bulk }: WriteContext,
  { warehouse_code, version }: LockedCounter,
  rows: readonly Fields[],
): Promise<void> {
  const versioned = rows.map((row, index) => ({ ...row, version: version + 1 + index }))
  const counted = tx
    .updateTable('warehouses')
    .set({ version: version + rows.length })
    .where('warehouse_code', '=', warehouse_code)
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
  await executePipelined(tx, [counted, written])
}

function buildViewsQuery(tx: Tx) {
  return tx.selectFrom('warehouses').select(['warehouse_code', 'members']).where('kind', '=', 'company')
}

/**
 * Finds the views that sum a warehouse, in the order of their codes. They are those of the database and not of this
 * process's configuration: while processes are replaced one by one, an older one would sum other members than a newer
 * one.
 */
function findViewsOf(
  warehouse: string,
  views: readonly { warehouse_code: string; members: string }[],
): string[] {
  return views
    .filter(({ members }) => JSON.parse(members).includes(warehouse))
    .map(({ warehouse_code }) => warehouse_code)
    .toSorted()
}

/**
 * Waits until the running writers of the warehouses have ended: one that began before a view was there does not know it,
 * and may still add a SKU. Later writers know the view.
 */
export async function awaitWriters({ store }: Gateway, warehouses: readonly string[]): Promise<void> {
  await store.db.transaction().execute((tx) => lockCounters(tx, warehouses))
}

/** Locks the counters of warehouses in the order of their codes, so that two writers never deadlock. */
export async function lockCounters(tx: Tx, warehouses: readonly string[]): Promise<void> {
  for (const warehouse of warehouses.toSorted()) await buildCounterLock(tx, warehouse).execute()
}

/** Recomputes the given SKUs of a view from its members; one transaction per batch, as for every write. */
export async function rebuildView(gateway: Gateway, view: View, skus: readonly string[]): Promise<void> {
  const { batchRows, db, bulk } = gateway.store
  for (let from = 0; from < skus.length; from += batchRows) {
    const batch = skus.slice(from, from + batchRows)
    const now = gateway.clock.now()
    await db.transaction().execute(async (tx) => {
      await lockCounters(tx, view.members)
      await recomputeViewRows({ tx, bulk, now }, view.warehouse_code, batch)
    })
    await yieldToLoop()
  }
}

/** Recomputes the view's rows for the changed SKUs from its members' published rows. */
async function recomputeViewRows(
  context: WriteContext & { readonly now: number },
  warehouse_code: string,
  skus: readonly string[],
): Promise<void> {
  const { tx, bulk, now } = context
  // The members may have changed until the lock, and not after it.
  const locked = await buildCounterLock(tx, warehouse_code).execute()
  const members: string[] = JSON.parse(locked[0]?.members ?? '[]')
  const view = { warehouse_code, members }
  const [own, ofMembers] = await executePipelined(tx, [
    buildStoredRowsQuery(context, warehouse_code, skus),
    tx
      .selectFrom('stock')
      .select(stockColumns)
      .where('warehouse_code', 'in', bulk.texts(members))
      .where('sku', 'in', bulk.texts(skus)),
  ])
  const stored = indexBySku(own)
  const rowsOf = Map.groupBy(ofMembers, (row) => row.sku)
  const changed: Fields[] = []
  for (const sku of skus) {
    const before = stored.get(sku)
    const withdrawn = before?.removed === 0 ? toWithdrawnRow(before, now) : undefined
    const row = mergeViewRow(view, rowsOf.get(sku) ?? [], now) ?? withdrawn
    if (row && !(before && isSame(before, row))) changed.push(row)
  }
  if (changed.length === 0) return
  const version = requireVersion(locked, warehouse_code)
  await writeRows(context, { warehouse_code, version }, changed)
}

/**
 * Sums the rows of the members, with price and style of the first member that carries the SKU. The result is withdrawn
 * if every member's row is.
 */
function mergeViewRow(
  { warehouse_code, members }: View,
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
  const sum = (of: (row: StockRow) => number) =>
    Math.min(
      maxQuantity,
      carried.reduce((total, row) => total + of(row), 0),
    )
  return {
    ...fields,
    warehouse_code,
    quantity_on_hand: sum((row) => row.quantity_on_hand),
    quantity_available: sum((row) => row.quantity_available),
    incoming: mergeIncoming(carried),
    removed: carried.length === 0 ? 1 : 0,
    updated_at: now,
    stock_seq: null,
  }
}

/** Merges goods on their way, earliest first. Those that arrive in the same days are one entry. */
function mergeIncoming(rows: readonly StockRow[]): string {
  const all: StockFigure['incoming'] = rows.flatMap((row) => JSON.parse(row.incoming))
  const byDays = new Map<string, Incoming>()
  for (const { quantity, earliest_date, latest_date } of all) {
    const days = `${earliest_date} ${latest_date}`
    const sum = Math.min(maxQuantity, quantity + (byDays.get(days)?.quantity ?? 0))
    byDays.set(days, { quantity: sum, earliest_date, latest_date })
  }
  const sorted = [...byDays].sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(sorted.map(([, incoming]) => incoming))
}
