/**
 * The read of a whole warehouse: for the first time, as a comparison, or because the ERP no longer knows the gateway's
 * cursor. The gateway takes the new cursor before the first page, so that it reads again whatever changes in the
 * meantime. Each page is written as it arrives, because its rows are figures in their own right; what the pages lack is
 * withdrawn at the end. So the memory holds SKUs and no figures.
 *
 * A comparison counts the rows that it had to correct (`differences.ts`).
 */

import { createHash } from 'node:crypto'
import { type Input, type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import { sql } from 'kysely'
import type { Gateway } from '../gateway.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { LeaseLost } from '../store/store.ts'
import { readDeadlineMs } from '../upstream/guarded.ts'
import { readPages } from '../upstream/unreadable.ts'
import { forgetAttempt, noteFailure } from './attempts.ts'
import { recordDifferences } from './differences.ts'
import { numberFigures, takeFigureNumber } from './figure-numbers.ts'
import { demandRead, type SyncTurn, saveProgress } from './hints.ts'
import { readLiveSkus } from './live-skus.ts'
import { readTimeoutMs, rereadSkus } from './reread.ts'
import { completeViews, fillViews } from './views.ts'
import { type StockChange, writeStock } from './write.ts'

/** The largest number of pages of a snapshot, enough for 20 million rows. */
const maxSnapshotPages = 10_000

/** A turn that reads the whole warehouse. */
export interface WholeTurn extends SyncTurn {
  /** The cursor up to which the hints were followed; null if the ERP gives none. */
  readonly since: string | null
  /** Whether the hints are followed at the same time. */
  readonly isBeside: boolean
}

/**
 * Reads a whole warehouse. If the ERP does not know the gateway's cursor, the ERP may have been restored with an older
 * counter. Then the gateway ignores the stored counters, because they do not show which figure is newer. Returns whether
 * the stored stock is what the ERP has.
 */
export async function readWholeWarehouse(gateway: Gateway, turn: WholeTurn): Promise<boolean> {
  const { row, now, lease, since, isBeside } = turn
  const code = row.warehouse_code
  const input = { warehouse_code: code, cursor: since }
  const { cursor, everything } = unwrap(await gateway.erp['stock.changed'](input, withTimeout(readTimeoutMs)))
  if (everything && isBeside) {
    await demandRead(gateway, row)
    return false
  }
  const { changes, hint_lag_ms } = await gateway.upstream.capabilities()
  const isComparison = since !== null && !everything
  const target = {
    warehouse_code: code,
    seqMayRestart: everything || since === null,
    readAfter: row.version,
    leavesUnchanged: changes === 'none' || isComparison,
    lease,
  }
  // `everything` names every row of a warehouse that gives hints. A comparison beside the hints may find a row before
  // its hint is followed.
  const named = { isAll: everything && since !== null, cursor: isBeside || since === null ? since : cursor }
  if (!(await storeSnapshot(gateway, turn, { target, named, hint_lag_ms }))) return false
  // A request that came meanwhile stays open.
  const { filled_at, compare_requested_at: requested } = row
  const answered = sql<number | null>`case when compare_requested_at = ${requested} then null
    else compare_requested_at end`
  const reached = {
    // The hints since a cursor are still to be followed.
    ...(isComparison ? {} : { cursor }),
    // A warehouse that was retired and came back in the meantime is not filled.
    ...(filled_at === null ? { filled_at: now } : {}),
    ...{ compared_at: now, compare_requested_at: answered },
  }
  if (!(await saveProgress(gateway, row, reached))) return false
  await fillViews(gateway)
  await completeViews(gateway, code)
  gateway.nudge('stock')
  return true
}

/** The warehouse to which a snapshot is written, and whether the ERP's counter may have restarted. */
type Target = Pick<
  StockChange,
  'warehouse_code' | 'seqMayRestart' | 'readAfter' | 'leavesUnchanged' | 'lease'
>

interface Storing {
  readonly target: Target
  /** Whether the ERP names every row as changed, and otherwise the cursor since which its hints name rows. */
  readonly named: { readonly isAll: boolean; readonly cursor: string | null }
  readonly hint_lag_ms: number
}

/**
 * Stores a snapshot, and counts what it corrected, also if it ends before its last page. Returns whether it was applied
 * as a whole. Notes an attempt that fails, so that it is not repeated at once.
 */
async function storeSnapshot(
  gateway: Gateway,
  { row, isBeside, stopping }: WholeTurn,
  { target, named, hint_lag_ms }: Storing,
): Promise<boolean> {
  const isFirst = row.filled_at === null
  // A row that two pages name counts once.
  const corrected = new Set<string>()
  let isApplied = false
  try {
    isApplied = await applySnapshot(gateway, { target, corrected, isFirst, isBeside, stopping })
    if (isApplied) forgetAttempt(gateway, row)
    else noteFailure(gateway, row)
  } catch (error) {
    // A process that has taken over begins by itself.
    if (!(error instanceof LeaseLost)) noteFailure(gateway, row, error)
    throw error
  } finally {
    const counted = named.isAll ? [] : [...corrected]
    const corrections = { corrected: counted, cursor: named.cursor }
    if (!isFirst && (isApplied || counted.length > 0))
      recordDifferences(gateway, row.warehouse_code, { ...corrections, hint_lag_ms })
  }
  return isApplied
}

interface Applying {
  readonly target: Target
  /** Collects the SKUs whose rows were corrected. */
  readonly corrected: Set<string>
  /** Whether the warehouse is read for the first time. An earlier read may have been interrupted. */
  readonly isFirst: boolean
  readonly isBeside: boolean
  readonly stopping: AbortSignal
}

/**
 * Writes a snapshot page by page, and withdraws the SKUs that it lacks. If these are more than half, a fault in the ERP
 * is more likely than an empty warehouse: they are withdrawn only if a second snapshot has the same SKUs. Returns whether
 * the stored stock is the snapshot.
 */
async function applySnapshot(
  gateway: Gateway,
  { target, corrected, isFirst, isBeside, stopping }: Applying,
): Promise<boolean> {
  const code = target.warehouse_code
  // Of before the first page: what others add in the meantime is not missing.
  const missing = new Set(await readLiveSkus(gateway, code))
  const stored = missing.size
  const added: string[] = []
  const digest = createHash('sha256')
  let gone_seq: number | null = null
  for await (const { rows, stock_seq } of readAhead(readSnapshotPages(gateway, code, stopping))) {
    gone_seq ??= stock_seq
    const unknown = new Set<string>()
    for (const { sku } of rows) {
      if (!missing.delete(sku)) unknown.add(sku)
      digest.update(`${sku}\n`)
    }
    for (const sku of await writeStock(gateway, { ...target, rows, gone: [], gone_seq: null })) {
      corrected.add(sku)
      if (unknown.has(sku)) added.push(sku)
    }
  }
  // A hint that withdrew such a SKU after its page was read found no row to withdraw.
  if (isBeside) await rereadSkus(gateway, target, added)
  const isSuspect = !isFirst && missing.size * 2 > stored
  if (isSuspect && (await readDigest(gateway, code, stopping)) !== digest.digest('hex')) {
    gateway.log.warn(
      { warehouse_code: code, rows: missing.size },
      'a stock snapshot withdraws nothing: it lost more than half of the rows, and a second snapshot differs',
    )
    return false
  }
  const gone = await writeStock(gateway, { ...target, rows: [], gone: [...missing], gone_seq })
  for (const sku of gone) corrected.add(sku)
  return true
}

/** Reads a snapshot once more, for its SKUs alone. */
async function readDigest(gateway: Gateway, code: string, stopping: AbortSignal): Promise<string> {
  const digest = createHash('sha256')
  for await (const { rows } of readSnapshotPages(gateway, code, stopping))
    for (const { sku } of rows) digest.update(`${sku}\n`)
  return digest.digest('hex')
}

function readSnapshotPages(
  gateway: Gateway,
  code: string,
  stopping: AbortSignal,
): AsyncGenerator<Output<'stock.snapshot'>, void> {
  return readPages({
    async read(after, limit) {
      stopping.throwIfAborted()
      return readNumberedPage(gateway, { warehouse_code: code, after, limit })
    },
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
  const page = unwrap(await gateway.erp['stock.snapshot'](input, withTimeout(readDeadlineMs)))
  return {
    rows: numberFigures(page.rows, number),
    next: page.next,
    stock_seq: page.stock_seq ?? number ?? null,
  }
}
