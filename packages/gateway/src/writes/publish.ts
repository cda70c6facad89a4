import type { StockFigure } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { writeStock } from '../stock/write.ts'
import { settlePatiently, withPatience } from '../store/patience.ts'
import { isSilence } from '../store/trouble.ts'
import type { Figures } from './intent.ts'

/**
 * Stores the stock figures that the ERP returned for a write, and updates this process's snapshot, so that the change
 * feed has them before the client gets its response. (Without a counter of the ERP, a SKU that was requested again
 * meanwhile has its figure with the next hint.) Each store of figures locks the warehouse's row. The figures of
 * writes that end at the same time are therefore stored together, in one turn.
 *
 * If that takes longer than a request may wait, as while a process that has just started reads its whole stock, the
 * response does not wait for it: the write is done, and its outcome is known. The figures follow.
 */
export async function publishFigures(gateway: Gateway, figures: Figures): Promise<void> {
  if (figures.length === 0) return
  try {
    await settlePatiently(writeFigures(gateway, figures))
    gateway.nudge('stock')
    await gateway.mirror.stock.follow()
  } catch (error) {
    if (!isSilence(error)) throw error
    gateway.nudge('stock')
  }
}

/** Resolves once these figures, or newer ones, have been written. */
function writeFigures(gateway: Gateway, figures: Figures): Promise<void> {
  const queue = gateway.memory.figures
  for (const { warehouse_code, rows } of figures) {
    const waiting = queue.waiting.get(warehouse_code) ?? new Map<string, StockFigure>()
    for (const row of rows) {
      const known = waiting.get(row.sku)
      if (!known || (row.stock_seq ?? 0) >= (known.stock_seq ?? 0)) waiting.set(row.sku, row)
    }
    queue.waiting.set(warehouse_code, waiting)
  }
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

async function writeWaitingFigures(gateway: Gateway): Promise<void> {
  const { figures } = gateway.memory
  const all = figures.waiting
  figures.waiting = new Map()
  for (const [warehouse_code, rows] of all) {
    await writeStock(gateway, { warehouse_code, rows: [...rows.values()], gone: [], gone_seq: null })
  }
}
