import { type Erp, type ErpResult, ok, rejected, type StockFigure } from '@trade-gateway/connector'
import { stock } from './example.ts'
import { withoutHints } from './hints.ts'
import { takePage } from './pages.ts'

/** The figures of a warehouse. Snapshot and read must build them from the same query, or they disagree. */
export const readStock: Pick<Erp, 'stock.snapshot' | 'stock.read' | 'stock.changed'> = {
  'stock.snapshot': async ({ warehouse_code, ...request }) =>
    inWarehouse(warehouse_code, (figures) => {
      const { part, next } = takePage(figures, ({ sku }) => sku, request)
      return { rows: part, next, stock_seq: null }
    }),

  'stock.read': async ({ warehouse_code, skus }) =>
    inWarehouse(warehouse_code, (figures) => {
      const wanted = new Set(skus)
      return { rows: figures.filter(({ sku }) => wanted.has(sku)), stock_seq: null }
    }),

  'stock.changed': async ({ warehouse_code, cursor }) =>
    inWarehouse(warehouse_code, () => ({ ...withoutHints(cursor), skus: [] })),
}

function inWarehouse<T>(code: string, work: (figures: readonly StockFigure[]) => T): ErpResult<T> {
  const figures = stock.get(code)
  if (figures === undefined) return rejected('not_found', `There is no warehouse ${code}.`)
  return ok(work(figures))
}
