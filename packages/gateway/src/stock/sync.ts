/**
 * Stock sync, from the ERP into the database. The ERP lists SKUs that may have changed, called hints. The gateway reads
 * these SKUs again, compares them with the stored rows and writes the rows that differ.
 *
 * If a warehouse has no cursor, or the ERP no longer knows it, the gateway reads the whole warehouse. It takes the new
 * cursor before the first page, so that it reads again whatever changes in the meantime. One process syncs a
 * warehouse, and asks the ERP for its changes, for all of them (a lease).
 *
 * A full comparison counts the rows that it had to correct (`differences.ts`).
 */

import { createHash } from 'node:crypto'
import { type Input, type Output, type StockFigure, unwrap, withTimeout } from '@trade-gateway/connector'
import { type RawBuilder, sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { computeNextHistoryStart } from '../snapshot/epoch.ts'
import type { Lease } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { readPages } from '../upstream/unreadable.ts'
import { judgeDifferences, recordDifferences } from './differences.ts'
import { numberFigures, takeFigureNumber } from './figure-numbers.ts'
import { readLiveSkus } from './live-skus.ts'
import { maxHintPages, readTimeoutMs, rereadSkus, rereadUnreadable } from './reread.ts'
import { retireViews, syncWarehouses } from './sync-warehouses.ts'
import { completeViews, fillViews } from './views.ts'
import { type StockChange, writeStock } from './write.ts'

/** The time limit for one page of a whole warehouse. */
const pageTimeoutMs = 60_000
/** The largest number of pages of a snapshot, enough for 20 million rows. */
const maxSnapshotPages = 10_000
/**
 * The time between two comparisons of a whole warehouse. They happen even if the ERP gives hints, because it may lose
 * one.
 */
const compareIntervalMs = 24 * 60 * 60 * 1000
const compareIntervalWithoutHintsMs = 60_000
/** How much the clocks of two processes may differ. */
const maxClockDifferenceMs = 60_000

/** Syncs all real warehouses; one turn of the worker. */
export async function syncStock(gateway: Gateway): Promise<void> {
  const failures: unknown[] = []
  // A failure of the list or of one warehouse must not stop the sync of the others.
  const attempt = (name: string, work: (lease: Lease) => Promise<void>) =>
    gateway.store.withLease(name, work).catch((error: unknown) => failures.push(error))
  await attempt('sync warehouses', async (lease) => {
    await syncWarehouses(gateway, lease)
    await retireViews(gateway)
    await fillViews(gateway)
  })
  const rows = await gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('kind', '=', 'warehouse')
    .orderBy('warehouse_code')
    .execute()
  for (const { warehouse_code } of rows) {
    await attempt(`sync stock ${warehouse_code}`, (lease) => syncWarehouse(gateway, warehouse_code, lease))
  }
  if (failures.length > 0) throw failures[0]
}

async function syncWarehouse(gateway: Gateway, code: string, lease: Lease): Promise<void> {
  // Prometheus sees no increase in a counter that begins with its first event.
  gateway.memory.metrics.compareDifferences.inc({ warehouse: code }, 0)
  const row = await gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('warehouse_code', '=', code)
    .executeTakeFirstOrThrow()
  const began = gateway.clock.now()
  const turn = { row, now: began, lease }
  const isApplied = await updateFromErp(gateway, turn)
  await judgeDifferences(gateway, code)
  if (isApplied) await noteSynced(gateway, turn)
}

/** Notes that the stored stock is what the ERP had when the turn began. */
async function noteSynced(gateway: Gateway, { row, now }: SyncTurn): Promise<void> {
  await gateway.store.db
    .updateTable('warehouses')
    .set({ synced_at: now })
    .where('warehouse_code', '=', row.warehouse_code)
    .execute()
  gateway.nudge('stock')
}

/**
 * Reads the SKUs that the ERP reports as changed. Reads the whole warehouse instead if there is no cursor, or if a full
 * comparison is due. Returns whether the stored stock is now known to be up to date.
 */
async function updateFromErp(gateway: Gateway, turn: SyncTurn): Promise<boolean> {
  const { row, now } = turn
  const { changes } = await gateway.upstream.capabilities()
  const age = now - (row.compared_at ?? 0)
  const interval = changes === 'none' ? compareIntervalWithoutHintsMs : compareIntervalMs
  // A comparison of the future was noted by a clock that was ahead.
  const isDue = row.compare_requested_at !== null || age >= interval || age < -maxClockDifferenceMs
  const since = changes === 'none' ? null : row.cursor
  if (row.filled_at === null || row.cursor === null) return readWholeWarehouse(gateway, turn, since)
  await rereadUnreadable(gateway, { warehouse_code: row.warehouse_code, lease: turn.lease })
  // Without hints, a turn between two comparisons reads nothing that would confirm the stock.
  if (!isDue) return since !== null && readHints(gateway, turn, since)
  if (since !== null) {
    // The hints so far are followed first, so that the comparison finds only what they did not name.
    if (!(await readHints(gateway, turn, since))) return false
    // The stock is up to date also if the ERP has a row that keeps the comparison from its end.
    await noteSynced(gateway, turn)
  }
  return readWholeWarehouse(gateway, turn, since)
}

interface SyncTurn {
  readonly row: WarehouseRow
  readonly now: number
  readonly lease: Lease
}

async function readHints(gateway: Gateway, turn: SyncTurn, since: string): Promise<boolean> {
  const { row, lease } = turn
  let cursor = since
  for (let page = 0; page < maxHintPages; page++) {
    const input = { warehouse_code: row.warehouse_code, cursor }
    const hints = unwrap(await gateway.erp['stock.changed'](input, withTimeout(readTimeoutMs)))
    if (hints.everything) return readWholeWarehouse(gateway, turn, cursor)
    await rereadSkus(gateway, { warehouse_code: row.warehouse_code, lease }, hints.skus)
    const isKept = hints.cursor === cursor || (await saveProgress(gateway, row, { cursor: hints.cursor }))
    if (!isKept) return false
    cursor = hints.cursor
    if (!hints.more) return true
    // The snapshot takes these rows while the gateway asks for the next ones.
    gateway.nudge('stock')
  }
  return false
}

/**
 * Reads a whole warehouse. The first read is written page by page; a later snapshot is checked before it is applied. If
 * the ERP does not know the gateway's cursor, the ERP may have been restored with an older counter. Then the gateway
 * ignores the stored counters, because they do not show which figure is newer.
 */
async function readWholeWarehouse(
  gateway: Gateway,
  { row, now, lease }: SyncTurn,
  since: string | null,
): Promise<boolean> {
  const code = row.warehouse_code
  const input = { warehouse_code: code, cursor: since }
  const { cursor, everything } = unwrap(await gateway.erp['stock.changed'](input, withTimeout(readTimeoutMs)))
  const { changes } = await gateway.upstream.capabilities()
  const isComparison = since !== null && !everything
  const target = {
    warehouse_code: code,
    seqMayRestart: everything || since === null,
    readAfter: row.version,
    leavesUnchanged: changes === 'none' || isComparison,
    lease,
  }
  if (row.filled_at === null) {
    await fillFirstTime(gateway, target)
  } else {
    const corrected = await applySnapshot(gateway, target)
    if (!corrected) return false
    // `everything` names every row of a warehouse that gives hints.
    const isNamed = everything && since !== null
    await recordDifferences(gateway, code, {
      corrected: isNamed ? [] : corrected,
      cursor: since === null ? null : cursor,
    })
  }
  const { filled_at, compare_requested_at: requested } = row
  // A request that came meanwhile stays open.
  const answered = sql<number | null>`case when compare_requested_at = ${requested} then null
    else compare_requested_at end`
  const reached = {
    // The hints since a cursor are still to be followed.
    ...(isComparison ? {} : { cursor }),
    ...{ compared_at: now, filled_at: filled_at ?? now, compare_requested_at: answered },
  }
  if (!(await saveProgress(gateway, row, reached))) return false
  await fillViews(gateway)
  await completeViews(gateway, code)
  return true
}

/** The warehouse to which a snapshot is written, and whether the ERP's counter may have restarted. */
type Target = Pick<
  StockChange,
  'warehouse_code' | 'seqMayRestart' | 'readAfter' | 'leavesUnchanged' | 'lease'
>

/**
 * Reads a warehouse for the first time and writes it page by page. Withdraws rows of an earlier, interrupted first read
 * that the ERP no longer carries.
 */
async function fillFirstTime(gateway: Gateway, target: Target): Promise<void> {
  const code = target.warehouse_code
  const seen = new Set<string>()
  let gone_seq: number | null = null
  for await (const { rows, stock_seq } of readAhead(readSnapshotPages(gateway, code))) {
    gone_seq ??= stock_seq
    for (const { sku } of rows) seen.add(sku)
    await writeFigures(gateway, target, rows)
  }
  const stale = (await readLiveSkus(gateway, code)).filter((sku) => !seen.has(sku))
  await writeStock(gateway, { ...target, rows: [], gone: stale, gone_seq })
}

/**
 * Applies a snapshot to existing stock. If more than half of the rows are missing from a snapshot, a fault in the ERP
 * is more likely than an empty warehouse. The gateway applies such a snapshot only if a second one has the same SKUs.
 * Returns the SKUs whose rows it corrected; undefined if it was not applied.
 */
async function applySnapshot(gateway: Gateway, target: Target): Promise<string[] | undefined> {
  const code = target.warehouse_code
  const first = await readSnapshot(gateway, code)
  const stored = await readLiveSkus(gateway, code)
  const lost = stored.filter((sku) => !first.rows.has(sku))
  if (lost.length * 2 > stored.length) {
    const second = await readSnapshot(gateway, code)
    if (second.digest !== first.digest) {
      gateway.log.warn(
        { warehouse_code: code, rows: lost.length },
        'a stock snapshot is ignored: it lost more than half of the rows, and a second snapshot differs',
      )
      return undefined
    }
  }
  const differing = await writeFigures(gateway, target, [...first.rows.values()])
  const gone = await writeStock(gateway, { ...target, rows: [], gone: lost, gone_seq: first.stock_seq })
  return [...differing, ...gone]
}

async function readSnapshot(gateway: Gateway, code: string) {
  const rows = new Map<string, StockFigure>()
  const digest = createHash('sha256')
  let seq: number | null = null
  for await (const page of readSnapshotPages(gateway, code)) {
    seq ??= page.stock_seq
    for (const row of page.rows) {
      rows.set(row.sku, row)
      digest.update(`${row.sku}\n`)
    }
  }
  return { rows, stock_seq: seq, digest: digest.digest('hex') }
}

function readSnapshotPages(gateway: Gateway, code: string): AsyncGenerator<Output<'stock.snapshot'>, void> {
  return readPages({
    read: (after, limit) => readNumberedPage(gateway, { warehouse_code: code, after, limit }),
    maxPages: maxSnapshotPages,
    list: `snapshot of ${code}`,
    nameRow: (after) => (after === null ? `first row of ${code}` : `row after ${after} of ${code}`),
  })
}

async function readNumberedPage(
  gateway: Gateway,
  input: Input<'stock.snapshot'>,
): Promise<Output<'stock.snapshot'>> {
  const number = await takeFigureNumber(gateway)
  const page = unwrap(await gateway.erp['stock.snapshot'](input, withTimeout(pageTimeoutMs)))
  return {
    rows: numberFigures(page.rows, number),
    next: page.next,
    stock_seq: page.stock_seq ?? number ?? null,
  }
}

async function writeFigures(
  gateway: Gateway,
  target: Target,
  rows: readonly StockFigure[],
): Promise<string[]> {
  return writeStock(gateway, { ...target, rows, gone: [], gone_seq: null })
}

type Progress = Partial<Pick<WarehouseRow, 'cursor' | 'compared_at' | 'filled_at'>> & {
  readonly compare_requested_at?: RawBuilder<number | null>
}

/**
 * Saves the position up to which the gateway has read the ERP's changes. Returns false if a new history began in the
 * meantime: the rows that were read before may be lost with the old history, so the next turn must read the whole
 * warehouse.
 */
async function saveProgress(
  gateway: Gateway,
  { warehouse_code, version }: WarehouseRow,
  reached: Progress,
): Promise<boolean> {
  const { numUpdatedRows } = await gateway.store.db
    .updateTable('warehouses')
    .set(reached)
    .where('warehouse_code', '=', warehouse_code)
    .where('version', '<', computeNextHistoryStart(version))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
