/**
 * Stock sync, from the ERP into the database. The ERP lists SKUs that may have changed, called hints. The gateway reads
 * these SKUs again, compares them with the stored rows and writes the rows that differ.
 *
 * If a warehouse has no cursor, or the ERP no longer knows it, the gateway reads the whole warehouse. It also compares
 * each warehouse as a whole from time to time (`read-whole.ts`). That takes minutes, so another worker does it, and the
 * hints of every other warehouse are followed meanwhile (decision 95).
 *
 * One process syncs a warehouse, and asks the ERP for its changes, for all of them (a lease).
 */

import type { Gateway } from '../gateway.ts'
import { runSteps } from '../kernel/steps.ts'
import { type Lease, LeaseLost } from '../store/store.ts'
import type { WarehouseRow } from '../store/tables.ts'
import { unhintedIntervalMs } from '../upstream/description.ts'
import { findAttempt, forgetAttempt } from './attempts.ts'
import { judgeDifferences } from './differences.ts'
import { demandRead, followHints, noteSynced, type SyncTurn } from './hints.ts'
import { readWholeWarehouse } from './read-whole.ts'
import { rereadUnreadable } from './reread.ts'
import { retireViews, syncWarehouses } from './sync-warehouses.ts'
import { fillViews } from './views.ts'

/**
 * The time between two comparisons of a whole warehouse. They happen even if the ERP gives hints, because it may lose
 * one.
 */
const compareIntervalMs = 24 * 60 * 60 * 1000
/** How much the clocks of two processes may differ. */
const maxClockDifferenceMs = 60_000
/** The pause after a comparison that failed. The hints keep the stock up to date meanwhile. */
const comparePauseMs = 10 * 60_000
/** The pause after a first read that failed: shorter, because nothing of the warehouse is served without it. */
const firstReadPauseMs = 15_000
/** The signal of a caller that never stops. */
const never = new AbortController().signal

/** Updates the list of warehouses, and follows the hints of all of them; one turn of the worker. */
export async function followWarehouses(gateway: Gateway, stopping = never): Promise<void> {
  const followAll = async () => {
    const rows = await listWarehouses(gateway)
    await runSteps(rows.map((row) => () => followWarehouse(gateway, row, stopping)))
  }
  await runSteps([() => updateList(gateway), followAll])
}

function updateList(gateway: Gateway): Promise<unknown> {
  return gateway.store.withLease('sync warehouses', async (lease) => {
    await syncWarehouses(gateway, lease)
    await retireViews(gateway)
    await fillViews(gateway)
  })
}

/** Reads the warehouses that are due as a whole; one turn of the worker, which ends early when the process stops. */
export async function compareWarehouses(gateway: Gateway, stopping = never): Promise<void> {
  const rows = await listWarehouses(gateway)
  // What is not served at all comes before what is compared.
  const [unfilled, filled] = [rows.filter(isUnfilled), rows.filter((row) => !isUnfilled(row))]
  const steps = [...unfilled, ...filled].flatMap((row) => [
    () => compareWarehouse(gateway, row, stopping),
    () => judgeDifferences(gateway, row.warehouse_code),
  ])
  await runSteps(steps)
}

const isUnfilled = (row: WarehouseRow) => row.filled_at === null

function listWarehouses({ store }: Gateway): Promise<WarehouseRow[]> {
  return store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('kind', '=', 'warehouse')
    .orderBy('warehouse_code')
    .execute()
}

type Held = Pick<SyncTurn, 'lease' | 'stopping'>

async function beginTurn({ store, clock }: Gateway, code: string, held: Held): Promise<SyncTurn> {
  const row = await store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('warehouse_code', '=', code)
    .executeTakeFirstOrThrow()
  return { row, now: clock.now(), ...held }
}

/** The leases under which this process follows the hints of warehouses. */
const following = new WeakMap<Gateway['memory'], Map<string, Lease>>()

/** The warehouses that this process reads as a whole while their hints wait. */
const readingAlone = new WeakMap<Gateway['memory'], Set<string>>()

async function followWarehouse(gateway: Gateway, listed: WarehouseRow, stopping: AbortSignal): Promise<void> {
  const code = listed.warehouse_code
  // Prometheus sees no increase in a counter that begins with its first event.
  gateway.memory.metrics.compareDifferences.inc({ warehouse: code }, 0)
  // The other worker has the lease for that.
  if (readingAlone.get(gateway.memory)?.has(code)) return
  const leases = following.get(gateway.memory) ?? new Map<string, Lease>()
  following.set(gateway.memory, leases)
  const isHeld = await gateway.store.withLease(`sync stock ${code}`, async (lease) => {
    leases.set(code, lease)
    const turn = await beginTurn(gateway, code, { lease, stopping })
    if (await updateFromHints(gateway, turn)) await noteSynced(gateway, turn)
    return true
  })
  // Another process does it now.
  if (!isHeld) leases.delete(code)
}

/** Returns whether the stored stock is now known to be up to date. */
async function updateFromHints(gateway: Gateway, turn: SyncTurn): Promise<boolean> {
  const { row, lease } = turn
  const { changes } = await gateway.upstream.capabilities()
  if (row.filled_at === null || row.cursor === null) return false
  await rereadUnreadable(gateway, { warehouse_code: row.warehouse_code, lease })
  // Without hints, a turn between two comparisons reads nothing that would confirm the stock.
  if (changes === 'none') return false
  const { extent } = await followHints(gateway, turn, row.cursor)
  if (extent === 'everything') await demandRead(gateway, row)
  return extent === 'all'
}

/**
 * How a warehouse is read as a whole now: `alone`, while its hints wait, or `beside` them; `paused` if an attempt failed a
 * short time ago, and undefined if no read is due. Beside the hints, the figures of two requests arrive in any order. Only
 * an ERP's counter shows which is newer, and only while it does not restart.
 */
type Plan = 'alone' | 'beside' | 'paused' | undefined

async function planRead(gateway: Gateway, row: WarehouseRow): Promise<Plan> {
  const { changes, stock_seq } = await gateway.upstream.capabilities()
  const isFollowed = changes !== 'none' && isUsable(row)
  if (!isReadDue(gateway, row, isFollowed)) return undefined
  if (isPaused(gateway, row, isFollowed)) return 'paused'
  return isFollowed && stock_seq ? 'beside' : 'alone'
}

/** Whether the stored stock is complete, and the ERP knows its cursor as far as the gateway knows. */
function isUsable({ filled_at, cursor, compared_at }: WarehouseRow): boolean {
  return filled_at !== null && cursor !== null && compared_at !== null
}

function isReadDue({ clock }: Gateway, row: WarehouseRow, isFollowed: boolean): boolean {
  if (!isUsable(row) || row.compare_requested_at !== null) return true
  const age = clock.now() - (row.compared_at ?? 0)
  // A comparison of the future was noted by a clock that was ahead.
  return age >= (isFollowed ? compareIntervalMs : unhintedIntervalMs) || age < -maxClockDifferenceMs
}

/**
 * Whether an attempt failed a short time ago. A new request of an operator does not wait: it gets one attempt at once.
 */
function isPaused(gateway: Gateway, row: WarehouseRow, isFollowed: boolean): boolean {
  const attempt = findAttempt(gateway, row)
  if (!attempt) return false
  const { compare_requested_at: requested } = row
  if (requested !== null && requested !== attempt.requested) return false
  const pauseMs = isFollowed ? comparePauseMs : unhintedIntervalMs
  return gateway.clock.monotonic() - attempt.at < (isUnfilled(row) ? firstReadPauseMs : pauseMs)
}

async function compareWarehouse(
  gateway: Gateway,
  listed: WarehouseRow,
  stopping: AbortSignal,
): Promise<void> {
  if (stopping.aborted) return
  const { warehouse_code: code } = listed
  const plan = await planRead(gateway, listed)
  if (plan === 'alone') await holdAlone(gateway, code, stopping)
  else if (plan === 'beside') await readBeside(gateway, code, stopping)
  else if (plan === 'paused') reportAttempt(gateway, listed)
  // Another process may have read it since this one failed.
  else forgetAttempt(gateway, listed)
}

/** Reads a warehouse under its lease, unless the other worker or another process has it. */
async function holdAlone(gateway: Gateway, code: string, stopping: AbortSignal): Promise<void> {
  const reading = readingAlone.get(gateway.memory) ?? new Set()
  readingAlone.set(gateway.memory, reading)
  reading.add(code)
  try {
    await gateway.store.withLease(`sync stock ${code}`, async (lease) => {
      const turn = await beginTurn(gateway, code, { lease, stopping })
      if ((await planRead(gateway, turn.row)) === 'alone') await readAlone(gateway, turn)
    })
  } finally {
    reading.delete(code)
  }
}

/** Throws what the last attempt failed with: until the next one, the log must not say that the turns succeed again. */
function reportAttempt(gateway: Gateway, row: WarehouseRow): void {
  const { error } = findAttempt(gateway, row) ?? {}
  if (error !== undefined) throw error
}

/**
 * Reads a warehouse whose hints wait. They are followed first, so that a comparison finds only what they did not name,
 * and the stock is up to date also if the ERP has a row that keeps the comparison from its end.
 */
async function readAlone(gateway: Gateway, turn: SyncTurn): Promise<void> {
  const { row, lease } = turn
  const { changes } = await gateway.upstream.capabilities()
  let since = changes === 'none' ? null : row.cursor
  if (row.filled_at !== null && row.cursor !== null)
    await rereadUnreadable(gateway, { warehouse_code: row.warehouse_code, lease })
  if (row.filled_at !== null && since !== null) {
    const { extent, cursor } = await followHints(gateway, turn, since)
    if (extent === 'some') return
    if (extent === 'all') await noteSynced(gateway, turn)
    since = cursor
  }
  if (await readWholeWarehouse(gateway, { ...turn, since, isBeside: false })) await noteSynced(gateway, turn)
}

/**
 * Compares a warehouse while its hints are followed, in the process that follows them: its lease also guards what the
 * comparison stores.
 */
async function readBeside(gateway: Gateway, code: string, stopping: AbortSignal): Promise<void> {
  const lease = following.get(gateway.memory)?.get(code)
  if (!lease) return
  const turn = await beginTurn(gateway, code, { lease, stopping })
  if ((await planRead(gateway, turn.row)) !== 'beside') return
  try {
    await readWholeWarehouse(gateway, { ...turn, since: turn.row.cursor, isBeside: true })
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}
