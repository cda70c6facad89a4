/**
 * The list of warehouses: the real ones from the ERP, and the views over them from the configuration. A warehouse that
 * the ERP no longer lists, and a view that is no longer configured, is retired: it is not served any more. Its row
 * remains, so that its versions never start again if it comes back.
 */

import { type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { computeStartVersion } from '../snapshot/epoch.ts'
import type { Lease } from '../store/store.ts'
import { readLiveSkus } from './live-skus.ts'
import { readTimeoutMs } from './reread.ts'
import { writeStock } from './write.ts'

/**
 * For how long every listing must lack a warehouse before it is retired: longer than an ERP that starts may list too
 * few.
 */
const missingMs = 10 * 60_000

/** Updates the list from the ERP and the configuration. */
export async function syncWarehouses(gateway: Gateway, lease: Lease): Promise<void> {
  const { warehouses } = unwrap(await gateway.erp.warehouses({}, withTimeout(readTimeoutMs)))
  const version = computeStartVersion(gateway.clock.now())
  const real = warehouses.map((warehouse) => ({ ...warehouse, kind: 'warehouse', members: '[]' }))
  const views = listViews(gateway, warehouses)
  const stored = await gateway.store.db.selectFrom('warehouses').selectAll().execute()
  const byCode = new Map(stored.map((row) => [row.warehouse_code, row]))
  for (const row of [...real, ...views]) {
    const before = byCode.get(row.warehouse_code)
    if (before && descriptiveFields.every((field) => before[field] === row[field])) continue
    // A view with other members is another view, and a warehouse that comes back has missed changes: reads fail until
    // the gateway has read or computed its rows again.
    const isOther = before?.members !== row.members || before.kind !== row.kind
    const fields = {
      ...Object.fromEntries(descriptiveFields.map((field) => [field, row[field]])),
      ...(isOther ? { filled_at: null, cursor: null } : {}),
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
  await retireMissing(gateway, new Set(warehouses.map(({ warehouse_code }) => warehouse_code)))
  await withdrawRetired(gateway, lease)
}

/** Lists the configured views of which the ERP lists a member. */
function listViews(gateway: Gateway, warehouses: Output<'warehouses'>['warehouses']) {
  const listed = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
  return Object.entries(gateway.config.views).flatMap(([code, members]) => {
    const first = warehouses.find(({ warehouse_code }) => members.includes(warehouse_code))
    if (listed.has(code)) {
      // A row cannot be both: it would be read and summed in turns, and never be complete.
      reportView(gateway, code, () =>
        gateway.log.error(
          { warehouse_code: code },
          'WAREHOUSE_VIEWS has a view with the code of a warehouse; the view is left out',
        ),
      )
      return []
    }
    if (!first) return []
    const missing = members.filter((member) => !listed.has(member))
    if (missing.length > 0)
      reportView(gateway, `${code} ${missing}`, () =>
        gateway.log.warn(
          { warehouse_code: code, subject: missing.join(', ') },
          'the ERP does not list all warehouses of a view; the view sums the others',
        ),
      )
    const view = { warehouse_code: code, name: code, kind: 'company', status: 'active' }
    return [{ ...first, ...view, members: JSON.stringify(members) }]
  })
}

/** Reports a problem of a view once, because the list is read again every second. */
function reportView({ memory }: Gateway, problem: string, report: () => void): void {
  if (memory.viewProblems.has(problem)) return
  memory.viewProblems.add(problem)
  report()
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

/**
 * Retires the warehouses that every listing of the last ten minutes lacks. An empty listing says nothing: an ERP that has
 * lost its data is more likely than one without a warehouse, and all stock would be withdrawn at once.
 */
async function retireMissing(gateway: Gateway, listed: ReadonlySet<string>): Promise<void> {
  if (listed.size === 0) return
  const { clock, store, log, memory } = gateway
  const now = clock.monotonic()
  const rows = await store.db
    .selectFrom('warehouses')
    .select('warehouse_code')
    .where('kind', '=', 'warehouse')
    .execute()
  const absent = rows.map((row) => row.warehouse_code).filter((code) => !listed.has(code))
  memory.missingSince = new Map(absent.map((code) => [code, memory.missingSince.get(code) ?? now]))
  for (const [warehouse_code, began] of memory.missingSince) {
    if (now - began < missingMs) continue
    log.warn({ warehouse_code }, 'the ERP no longer lists a warehouse; its stock is withdrawn')
    await store.db
      .updateTable('warehouses')
      .set({ kind: 'retired', filled_at: clock.now() })
      .where('warehouse_code', '=', warehouse_code)
      .execute()
  }
}

/**
 * Withdraws the stock of retired warehouses, so that the views over them no longer count it. A retired warehouse takes
 * no figures (`writeStock`), so nothing is added meanwhile. Its `filled_at` says that stock is still to be withdrawn.
 * Retired views keep their rows.
 */
async function withdrawRetired(gateway: Gateway, lease: Lease): Promise<void> {
  const { db } = gateway.store
  const rows = await db
    .selectFrom('warehouses')
    .select('warehouse_code')
    .where('kind', '=', 'retired')
    .where('members', '=', '[]')
    .where('filled_at', 'is not', null)
    .execute()
  for (const { warehouse_code } of rows) {
    const gone = await readLiveSkus(gateway, warehouse_code)
    await writeStock(gateway, { warehouse_code, rows: [], gone, gone_seq: null, lease })
    await db
      .updateTable('warehouses')
      .set({ filled_at: null, cursor: null })
      .where('warehouse_code', '=', warehouse_code)
      .where('kind', '=', 'retired')
      .execute()
  }
}

/** Retires views that are no longer configured, each by itself: a statement for all would lock them in any order. */
export async function retireViews({ store: { db }, config }: Gateway): Promise<void> {
  const views = await db
    .selectFrom('warehouses')
    .select('warehouse_code')
    .where('kind', '=', 'company')
    .where('warehouse_code', 'not in', Object.keys(config.views))
    .execute()
  for (const { warehouse_code } of views) {
    await db
      .updateTable('warehouses')
      .set({ kind: 'retired' })
      .where('warehouse_code', '=', warehouse_code)
      .where('kind', '=', 'company')
      .execute()
  }
}
