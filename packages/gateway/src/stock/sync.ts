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
import {
  type Input,
  maxPerCall,
  type Output,
  type StockFigure,
  unwrap,
  withTimeout,
} from '@trade-gateway/connector'
import { type RawBuilder, sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { computeNextHistoryStart, computeStartVersion } from '../snapshot/epoch.ts'
import type { Lease } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { judgeDifferences, recordDifferences } from './differences.ts'
import { numberFigures, takeFigureNumber } from './figure-numbers.ts'
import { maxHintPages, readTimeoutMs, rereadSkus } from './reread.ts'
import { rebuildView, type StockChange, writeStock } from './write.ts'

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
  await gateway.store.withLease('sync warehouses', async () => {
    await syncWarehouses(gateway)
    await retireViews(gateway)
    await fillViews(gateway)
  })
  const rows = await gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('kind', '=', 'warehouse')
    .orderBy('warehouse_code')
    .execute()
  const failures: unknown[] = []
  for (const { warehouse_code } of rows) {
    // A failure of one warehouse must not stop the sync of the others.
    await gateway.store
      .withLease(`sync stock ${warehouse_code}`, (lease) => syncWarehouse(gateway, warehouse_code, lease))
      .catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Updates the warehouses from the ERP and the views over them from the configuration. */
async function syncWarehouses(gateway: Gateway): Promise<void> {
  const { warehouses } = unwrap(await gateway.erp.warehouses({}, withTimeout(readTimeoutMs)))
  const version = computeStartVersion(gateway.clock.now())
  const real = warehouses.map((warehouse) => ({ ...warehouse, kind: 'warehouse', members: '[]' }))
  const views = Object.entries(gateway.config.views).flatMap(([code, members]) => {
    const first = warehouses.find(({ warehouse_code }) => members.includes(warehouse_code))
    return first
      ? [
          {
            ...first,
            warehouse_code: code,
            name: code,
            kind: 'company',
            status: 'active',
            members: JSON.stringify(members),
          },
        ]
      : []
  })
  const stored = await gateway.store.db.selectFrom('warehouses').selectAll().execute()
  const byCode = new Map(stored.map((row) => [row.warehouse_code, row]))
  for (const row of [...real, ...views]) {
    const before = byCode.get(row.warehouse_code)
    if (before && descriptiveFields.every((field) => before[field] === row[field])) continue
    // A view with other members is another view: reads of it fail until the gateway has computed its rows again.
    const isOther = row.kind === 'company' && (before?.members !== row.members || before.kind !== row.kind)
    const fields = {
      ...Object.fromEntries(descriptiveFields.map((field) => [field, row[field]])),
      ...(isOther ? { filled_at: null } : {}),
    }
    await gateway.store.db
      .insertInto('warehouses')
      .values({
        ...row,
        version,
        filled_at: null,
        cursor: null,
        synced_at: null,
        compared_at: null,
        // A cursor below this version belongs to the history of another database.
        horizon: version,
      })
      .onConflict((conflict) => conflict.column('warehouse_code').doUpdateSet(fields))
      .execute()
  }
}

/** Hides views that are no longer configured, and keeps their versions in case they come back. */
async function retireViews(gateway: Gateway): Promise<void> {
  await gateway.store.db
    .updateTable('warehouses')
    .set({ kind: 'retired' })
    .where('kind', '=', 'company')
    .where('warehouse_code', 'not in', Object.keys(gateway.config.views))
    .execute()
}

const descriptiveFields = [
  'name',
  'kind',
  'country_code',
  'timezone',
  'currency',
  'members',
  'status',
] as const

async function syncWarehouse(gateway: Gateway, code: string, lease: Lease): Promise<void> {
  // Prometheus sees no increase in a counter that begins with its first event.
  gateway.memory.metrics.compareDifferences.inc({ warehouse: code }, 0)
  const row = await gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('warehouse_code', '=', code)
    .executeTakeFirstOrThrow()
  const began = gateway.clock.now()
  const isApplied = await updateFromErp(gateway, { row, now: began, lease })
  await judgeDifferences(gateway, code)
  if (!isApplied) return
  await gateway.store.db
    .updateTable('warehouses')
    .set({ synced_at: began })
    .where('warehouse_code', '=', code)
    .execute()
  gateway.nudge('stock')
}

/**
 * Reads the SKUs that the ERP reports as changed. Reads the whole warehouse instead if there is no cursor, or if a full
 * comparison is due. Returns whether the stored stock is now up to date.
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
  if (!isDue) return since === null || readHints(gateway, turn, since)
  // The hints so far are followed first, so that the comparison finds only what they did not name.
  if (since !== null && !(await readHints(gateway, turn, since))) return false
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

async function* readSnapshotPages(gateway: Gateway, code: string) {
  let after: string | null = null
  for (let pages = 0; pages < maxSnapshotPages; pages++) {
    const input: Input<'stock.snapshot'> = { warehouse_code: code, after, limit: maxPerCall }
    const number = await takeFigureNumber(gateway)
    const page: Output<'stock.snapshot'> = unwrap(
      await gateway.erp['stock.snapshot'](input, withTimeout(pageTimeoutMs)),
    )
    const rows = numberFigures(page.rows, number)
    yield { rows, stock_seq: page.stock_seq ?? number ?? null }
    if (page.next === null) return
    if (page.next === after) break
    after = page.next
  }
  throw new Error(`The ERP's snapshot of ${code} does not end.`)
}

async function writeFigures(
  gateway: Gateway,
  target: Target,
  rows: readonly StockFigure[],
): Promise<string[]> {
  return writeStock(gateway, { ...target, rows, gone: [], gone_seq: null })
}

async function readLiveSkus(gateway: Gateway, code: string): Promise<string[]> {
  const sliceRows = 2000
  const skus: string[] = []
  for (;;) {
    const slice = await gateway.store.db
      .selectFrom('stock')
      .select('sku')
      .where('warehouse_code', '=', code)
      .where('removed', '=', 0)
      .where('sku', '>', skus.at(-1) ?? '')
      .orderBy('sku')
      .limit(sliceRows)
      .execute()
    skus.push(...slice.map(({ sku }) => sku))
    if (slice.length < sliceRows) return skus
  }
}

/**
 * Computes the rows of each view whose members have all been read; from then on the gateway serves the view. Its members
 * are those of the database: a process with an older configuration must not fill it with other sums.
 */
async function fillViews(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const rows = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'kind', 'members', 'filled_at'])
    .orderBy('warehouse_code')
    .execute()
  const filled = new Set(rows.flatMap((row) => (row.filled_at === null ? [] : [row.warehouse_code])))
  const known = new Set(rows.map(({ warehouse_code }) => warehouse_code))
  for (const { warehouse_code, members: text } of rows.filter(({ kind }) => kind === 'company')) {
    const members: string[] = JSON.parse(text)
    const present = members.filter((code) => known.has(code))
    if (filled.has(warehouse_code) || present.length === 0 || !present.every((code) => filled.has(code)))
      continue
    const skus = new Set<string>()
    for (const code of [warehouse_code, ...members])
      for (const sku of await readLiveSkus(gateway, code)) skus.add(sku)
    await rebuildView(gateway, { warehouse_code, members }, [...skus])
    await db
      .updateTable('warehouses')
      .set({ filled_at: gateway.clock.now() })
      .where('warehouse_code', '=', warehouse_code)
      // Another process may have given it other members meanwhile.
      .where('members', '=', text)
      .execute()
  }
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
