import type { StockFigure } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { FigureQueue } from '../memory.ts'
import { writeStock } from '../stock/write.ts'
import { settlePatiently, withPatience } from '../store/patience.ts'
import { findStorageTrouble, isSilence } from '../store/trouble.ts'
import type { Figures } from './intent.ts'

/**
 * Stores the stock figures that the ERP returned for a write, and updates this process's snapshot, so that the change
 * feed has them before the client gets its response. (Without a counter of the ERP, a SKU that was requested again
 * meanwhile has its figure with the next hint.) Each store of figures locks the warehouse's row. The figures of
 * writes that end at the same time are therefore stored together, in one turn.
 *
 * The write is done and its outcome is known, so nothing that happens to its figures changes the response: not if they
 * take longer than a request may wait, as while a process that has just started reads its whole stock, nor if the
 * database cancels their statement behind another process. The figures follow.
 */
export async function publishFigures(gateway: Gateway, figures: Figures): Promise<void> {
  if (figures.length === 0) return
  try {
    await settlePatiently(writeFigures(gateway, figures))
    gateway.nudge('stock')
    await gateway.mirror.stock.follow()
  } catch (error) {
    if (!isPassing(error))
      gateway.log.error({ error }, 'the stock figures of a write were not stored; the next sync has them')
    gateway.nudge('stock')
  }
}

/** Resolves once these figures, or newer ones, have been written. */
function writeFigures(gateway: Gateway, figures: Figures): Promise<void> {
  const queue = gateway.memory.figures
  for (const { warehouse_code, rows } of figures) addWaiting(queue, warehouse_code, rows)
  queue.next ??= queue.turn
    .catch(() => {})
    .then(() => {
      queue.next = undefined
      // Several requests wait for the turn, so none of them lends it its own limit.
      queue.turn = withPatience(() => writeWaitingFigures(gateway))
      return queue.turn
    })
  return queue.next
}

function addWaiting({ waiting }: FigureQueue, warehouse_code: string, rows: Iterable<StockFigure>): void {
  const known = waiting.get(warehouse_code) ?? new Map<string, StockFigure>()
  for (const row of rows) {
    const other = known.get(row.sku)
    if (!other || (row.stock_seq ?? 0) >= (other.stock_seq ?? 0)) known.set(row.sku, row)
  }
  waiting.set(warehouse_code, known)
}

/** Stores what waits. What a passing trouble of the database has kept back waits for the next turn. */
async function writeWaitingFigures(gateway: Gateway): Promise<void> {
  const { figures: queue } = gateway.memory
  const all = queue.waiting
  queue.waiting = new Map()
  let failure: unknown
  for (const [warehouse_code, rows] of all) {
    try {
      await writeStock(gateway, { warehouse_code, rows: [...rows.values()], gone: [], gone_seq: null })
    } catch (error) {
      failure ??= error
      if (isPassing(error)) addWaiting(queue, warehouse_code, rows.values())
    }
  }
  if (failure !== undefined) throw failure
}

function isPassing(error: unknown): boolean {
  return isSilence(error) || findStorageTrouble(error) !== undefined
}
