/** Records the books of a trial, which are part of its history. */
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { Books } from './finding.ts'
import type { StockByWarehouse } from './replay-erp.ts'

/** Records the units of each SKU with which the ERP opens. */
export function recordOpening(history: HistoryRecorder, opening: StockByWarehouse): void {
  const units = new Map<string, number>()
  for (const stock of opening.values())
    for (const [sku, quantity] of stock) units.set(sku, (units.get(sku) ?? 0) + quantity)
  for (const [sku, quantity] of units) history.observe('erp', 'erp.opening', { sku, quantity })
}

/** Records the orders that the gateway shows, and all that the ERP has. Nothing else may happen afterwards. */
export function recordBooks(history: HistoryRecorder, { gateway, erp }: Books): void {
  for (const { client_order_number: order, status, in_doubt } of gateway.orders) {
    if (order === null || in_doubt) continue
    history.begin('reader', 'order.read', { order })({ type: 'ok', output: { status } })
  }
  const documents = erp.documents.filter(({ kind }) => kind === 'order')
  for (const { id, copy, client_order_number, status, lines } of documents) {
    history.observe('erp', 'erp.order', {
      order: client_order_number ?? '',
      document: `${id}.${copy}`,
      status: status === 'open' || status === 'shipped' ? 'live' : 'cancelled',
      lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
    })
  }
  const left = new Map<string, number>()
  for (const stock of erp.stock.values())
    for (const [sku, { available }] of stock) left.set(sku, (left.get(sku) ?? 0) + available)
  for (const [sku, available] of left) history.observe('erp', 'erp.stock', { sku, available })
  history.observe('erp', 'erp.books', { documents: documents.length })
}
