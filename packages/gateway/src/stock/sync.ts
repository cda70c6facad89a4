import { createHash } from 'node:crypto'
import {
  accepted,
  type Input,
  mostPerCall,
  type Output,
  type StockFigure,
  within,
} from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { nextHistory, startVersion } from './epoch.ts'
import { rebuildView, type StockChange, writeStock } from './write.ts'

/**
 * Stock sync: from the ERP into the database. The ERP's changes are hints; the named SKUs are read again and
 * compared, and only what differs is written. A warehouse without a cursor, or whose cursor the ERP no longer
 * knows, is read whole: the cursor is taken before the first page, so that what changes meanwhile is read again
 * afterwards. One process at a time syncs a warehouse.
 */
const pageTimeoutMs = 60_000
/** 20 million rows. */
const mostSnapshotPages = 10_000
const readTimeoutMs = 20_000
const skusPerRead = 500
/** How often a warehouse is compared whole, with hints and without. */
const compareMs = 24 * 60 * 60 * 1000
const compareWithoutHintsMs = 60_000
/** Hint pages in one turn; the next turn goes on from the cursor. */
const mostHintPages = 20

/** One turn over all real warehouses. */
export async function syncStock(gateway: Gateway): Promise<void> {
  await gateway.store.withLock('sync warehouses', 0, async () => {
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
    // One warehouse in trouble does not keep the others from being read.
    await gateway.store
      .withLock(`sync stock ${warehouse_code}`, 0, () => syncWarehouse(gateway, warehouse_code))
      .catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Brings the list of warehouses, and the views over them, to what the ERP and the configuration say. */
async function syncWarehouses(gateway: Gateway): Promise<void> {
  const { warehouses } = accepted(await gateway.erp.warehouses({}, within(readTimeoutMs)))
  const version = startVersion(gateway.clock.now())
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
    if (before && described.every((field) => before[field] === row[field])) continue
    // A view of other members is another view: it is not served until its rows were made anew.
    const isOther = row.kind === 'company' && (before?.members !== row.members || before.kind !== row.kind)
    const fields = {
      ...Object.fromEntries(described.map((field) => [field, row[field]])),
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
        // A cursor from below is of another database's history.
        horizon: version,
      })
      .onConflict((conflict) => conflict.column('warehouse_code').doUpdateSet(fields))
      .execute()
  }
}

/** Views that are no longer configured are kept with their versions, and not shown. */
async function retireViews(gateway: Gateway): Promise<void> {
  await gateway.store.db
    .updateTable('warehouses')
    .set({ kind: 'retired' })
    .where('kind', '=', 'company')
    .where('warehouse_code', 'not in', Object.keys(gateway.config.views))
    .execute()
}

const described = ['name', 'kind', 'country_code', 'timezone', 'currency', 'members', 'status'] as const

async function syncWarehouse(gateway: Gateway, code: string): Promise<void> {
  const row = await gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('warehouse_code', '=', code)
    .executeTakeFirstOrThrow()
  const began = gateway.clock.now()
  const isApplied = await brought(gateway, row, began)
  if (!isApplied) return
  await gateway.store.db
    .updateTable('warehouses')
    .set({ synced_at: began })
    .where('warehouse_code', '=', code)
    .execute()
  gateway.nudge('stock')
}

/** Reads hints, or the whole where there are none to follow, and now and then in any case: an ERP may forget a hint. */
async function brought(gateway: Gateway, row: WarehouseRow, now: number): Promise<boolean> {
  const { changes } = await gateway.upstream.capabilities()
  const compared = row.compared_at ?? 0
  const isDue = now - compared >= (changes === 'none' ? compareWithoutHintsMs : compareMs)
  const since = changes === 'none' ? null : row.cursor
  if (row.filled_at === null || row.cursor === null || isDue) return readWhole(gateway, row, since, now)
  return changes === 'none' || readHints(gateway, row, row.cursor, now)
}

async function readHints(gateway: Gateway, row: WarehouseRow, since: string, now: number): Promise<boolean> {
  let cursor = since
  for (let page = 0; page < mostHintPages; page++) {
    const input = { warehouse_code: row.warehouse_code, cursor }
    const hints = accepted(await gateway.erp['stock.changed'](input, within(readTimeoutMs)))
    if (hints.everything) return readWhole(gateway, row, cursor, now)
    await rereadSkus(gateway, row.warehouse_code, hints.skus)
    const isKept = hints.cursor === cursor || (await kept(gateway, row, { cursor: hints.cursor }))
    if (!isKept) return false
    cursor = hints.cursor
    if (!hints.more) return true
  }
  return false
}

/** Reads the named SKUs again and writes what differs; those that the ERP no longer carries are withdrawn. */
export async function rereadSkus(
  gateway: Gateway,
  warehouse: string,
  skus: readonly string[],
): Promise<void> {
  for (let from = 0; from < skus.length; from += skusPerRead) {
    const batch = [...new Set(skus.slice(from, from + skusPerRead))]
    const input = { warehouse_code: warehouse, skus: batch }
    const asked_at = gateway.clock.now()
    const answer = accepted(await gateway.erp['stock.read'](input, within(readTimeoutMs)))
    const carried = new Set(answer.rows.map(({ sku }) => sku))
    await writeStock(gateway, {
      warehouse_code: warehouse,
      rows: answer.rows,
      gone: batch.filter((sku) => !carried.has(sku)),
      gone_seq: answer.stock_seq,
      asked_at,
    })
  }
}

/**
 * Reads a whole warehouse. A first fill is written page by page; a later one is judged before it is applied. An ERP
 * that does not know our cursor may have been restored, its counter run back: then the counter of what is stored
 * says nothing about the age of what comes.
 */
async function readWhole(
  gateway: Gateway,
  row: WarehouseRow,
  since: string | null,
  now: number,
): Promise<boolean> {
  const code = row.warehouse_code
  const input = { warehouse_code: code, cursor: since }
  const { cursor, everything } = accepted(await gateway.erp['stock.changed'](input, within(readTimeoutMs)))
  const target = { warehouse_code: code, anew: everything || since === null, asked_at: now }
  if (row.filled_at === null) {
    await firstFill(gateway, target)
  } else if (!(await applySnapshot(gateway, target))) {
    return false
  }
  const reached = { cursor, compared_at: now, filled_at: row.filled_at ?? now }
  if (!(await kept(gateway, row, reached))) return false
  await fillViews(gateway)
  return true
}

/** Where a snapshot goes, and whether the ERP's counter may have begun anew. */
type Target = Pick<StockChange, 'warehouse_code' | 'anew' | 'asked_at'>

/** Writes page by page; what an earlier, interrupted fill wrote and the ERP no longer carries is withdrawn. */
async function firstFill(gateway: Gateway, target: Target): Promise<void> {
  const code = target.warehouse_code
  const seen = new Set<string>()
  for await (const { rows } of snapshotPages(gateway, code)) {
    for (const { sku } of rows) seen.add(sku)
    await writeFigures(gateway, target, rows)
  }
  const stale = (await liveSkus(gateway, code)).filter((sku) => !seen.has(sku))
  await withdraw(gateway, target, stale, null)
}

/**
 * Applies a snapshot over stock that is there already. One that lost more than half of the rows is a sign of a
 * fault in the ERP rather than of an empty warehouse: it is applied only when a second one says the same.
 */
async function applySnapshot(gateway: Gateway, target: Target): Promise<boolean> {
  const code = target.warehouse_code
  const first = await wholeSnapshot(gateway, code)
  const stored = await liveSkus(gateway, code)
  const lost = stored.filter((sku) => !first.rows.has(sku))
  if (lost.length * 2 > stored.length) {
    const second = await wholeSnapshot(gateway, code)
    if (second.digest !== first.digest) {
      gateway.log.warn(
        { warehouse_code: code, rows: lost.length },
        'a snapshot lost more than half of the rows and the next one differs; it is not applied',
      )
      return false
    }
  }
  await writeFigures(gateway, target, [...first.rows.values()])
  await withdraw(gateway, target, lost, first.stock_seq)
  return true
}

async function withdraw(
  gateway: Gateway,
  target: Target,
  skus: readonly string[],
  seq: number | null,
): Promise<void> {
  await writeStock(gateway, { ...target, rows: [], gone: skus, gone_seq: seq })
}

async function wholeSnapshot(gateway: Gateway, code: string) {
  const rows = new Map<string, StockFigure>()
  const digest = createHash('sha256')
  let seq: number | null = null
  for await (const page of snapshotPages(gateway, code)) {
    seq ??= page.stock_seq
    for (const row of page.rows) {
      rows.set(row.sku, row)
      digest.update(`${row.sku}\n`)
    }
  }
  return { rows, stock_seq: seq, digest: digest.digest('hex') }
}

async function* snapshotPages(gateway: Gateway, code: string) {
  let after: string | null = null
  for (let pages = 0; pages < mostSnapshotPages; pages++) {
    const input: Input<'stock.snapshot'> = { warehouse_code: code, after, limit: mostPerCall }
    const page: Output<'stock.snapshot'> = accepted(
      await gateway.erp['stock.snapshot'](input, within(pageTimeoutMs)),
    )
    yield page
    if (page.next === null) return
    if (page.next === after) break
    after = page.next
  }
  throw new Error(`The ERP's snapshot of ${code} does not end.`)
}

async function writeFigures(gateway: Gateway, target: Target, rows: readonly StockFigure[]): Promise<void> {
  await writeStock(gateway, { ...target, rows, gone: [], gone_seq: null })
}

async function liveSkus(gateway: Gateway, code: string): Promise<string[]> {
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

/** A view is filled once all of its members are: its rows are made, then it is shown. */
async function fillViews(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  for (const [view, members] of Object.entries(gateway.config.views)) {
    const rows = await db
      .selectFrom('warehouses')
      .select(['warehouse_code', 'filled_at'])
      .where('warehouse_code', 'in', [view, ...members])
      .execute()
    const isOpen = rows.some(({ warehouse_code, filled_at }) => warehouse_code === view && filled_at === null)
    const areFilled = rows.every(
      ({ warehouse_code, filled_at }) => warehouse_code === view || filled_at !== null,
    )
    if (!isOpen || !areFilled || rows.length === 1) continue
    const skus = new Set<string>()
    for (const code of [view, ...members]) for (const sku of await liveSkus(gateway, code)) skus.add(sku)
    await rebuildView(gateway, view, members, [...skus])
    await db
      .updateTable('warehouses')
      .set({ filled_at: gateway.clock.now() })
      .where('warehouse_code', '=', view)
      .execute()
  }
}

/**
 * Keeps how far the ERP was read; false where a new history was begun meanwhile: what was read before may be lost with
 * the old one, so the ERP is to be read whole.
 */
async function kept(
  gateway: Gateway,
  { warehouse_code, version }: WarehouseRow,
  reached: Partial<Pick<WarehouseRow, 'cursor' | 'compared_at' | 'filled_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await gateway.store.db
    .updateTable('warehouses')
    .set(reached)
    .where('warehouse_code', '=', warehouse_code)
    .where('version', '<', nextHistory(version))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
