import type { HistoryEntry } from '../src/history/entry.ts'
import { HistoryRecorder } from '../src/history/recorder.ts'

/** Records a history in memory, and returns its entries with the last line. */
export function historyOf(write: (recorder: HistoryRecorder) => void): HistoryEntry[] {
  const texts: string[] = []
  let now = 0
  const sink = { write: (written: string) => void texts.push(written), close: () => {} }
  const recorder = new HistoryRecorder(sink, () => now++)
  write(recorder)
  recorder.end()
  return texts
    .join('')
    .trimEnd()
    .split('\n')
    .map((line): HistoryEntry => JSON.parse(line))
}

export const lines = (sku: string, quantity: number) => [{ sku, quantity }]

/**
 * Records the closed books: a document for each live order, and what is left of each SKU. `recorded` says how many
 * documents were recorded before.
 */
export function closeBooks(
  recorder: HistoryRecorder,
  orders: Readonly<Record<string, readonly [sku: string, quantity: number]>>,
  left: Readonly<Record<string, number>>,
  recorded = 0,
): void {
  for (const [order, [sku, quantity]] of Object.entries(orders))
    recorder.observe('erp', 'erp.order', {
      ...{ order, document: `doc-${order}`, status: 'live' as const },
      lines: lines(sku, quantity),
    })
  for (const [sku, available] of Object.entries(left))
    recorder.observe('erp', 'erp.stock', { sku, available })
  recorder.observe('erp', 'erp.books', { documents: Object.keys(orders).length + recorded })
}
