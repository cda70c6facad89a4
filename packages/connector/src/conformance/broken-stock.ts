import { ok } from '../erp.ts'
import { changed, describedAs, everySecond, type Mutant, once, replaced, tellingNothing } from './broken.ts'

/** By check: the fault of stock that it is there to find. */
export const brokenStock: Readonly<Record<string, Mutant>> = {
  'stock.snapshot.ascending': (erp) =>
    changed(erp, 'stock.snapshot', (page) => {
      const [first, second, third, ...rest] = page.rows
      return first && second && third ? { ...page, rows: [second, first, third, ...rest] } : page
    }),
  'stock.snapshot.pages': (erp) =>
    changed(erp, 'stock.snapshot', (page, { after }) => ({
      ...page,
      rows: after?.endsWith('-A') ? page.rows.slice(1) : page.rows,
    })),
  'stock.snapshot.after': (erp) =>
    changed(erp, 'stock.snapshot', (page, { after }) =>
      after === null || /-[AB]$/.test(after) ? page : { ...page, rows: [], next: null },
    ),
  'stock.snapshot.limit': (erp) =>
    replaced(erp, 'stock.snapshot', (input, run) => run({ ...input, limit: Math.max(input.limit, 3) })),
  'stock.read.agrees': (erp) =>
    changed(erp, 'stock.read', (answer) => ({
      ...answer,
      rows: answer.rows.map((row) => ({ ...row, price_retail: row.price_retail * 100 })),
    })),
  'stock.read.unknown': (erp) =>
    changed(erp, 'stock.read', (answer, { skus }) => {
      const [row] = answer.rows
      const unknown = skus.filter((sku) => !answer.rows.some((known) => known.sku === sku))
      const rows = row ? unknown.slice(0, 5).map((sku) => ({ ...row, sku })) : []
      return { ...answer, rows: [...answer.rows, ...rows] }
    }),
  'stock.read.twice': (erp) =>
    changed(erp, 'stock.read', (answer, { skus }) => ({
      ...answer,
      rows: skus.flatMap((sku) => answer.rows.filter((row) => row.sku === sku)),
    })),
  'stock.read.most': (erp) =>
    replaced(erp, 'stock.read', (input, run) => run({ ...input, skus: input.skus.slice(0, 1000) })),
  'stock.unknown_warehouse': (erp) =>
    replaced(erp, 'stock.read', async (input, run) => {
      const answer = await run(input)
      return 'ok' in answer ? answer : ok({ rows: [], stock_seq: 0 })
    }),
  'stock.seq.rows': (erp) => {
    let seq = 1000
    return changed(erp, 'stock.read', (answer) => ({
      ...answer,
      stock_seq: 1_000_000,
      rows: once(answer.rows, () => ({ stock_seq: --seq })),
    }))
  },
  'stock.seq.answers': (erp) => changed(erp, 'stock.read', (answer) => ({ ...answer, stock_seq: 0 })),
  'stock.seq.absent': (erp) => describedAs(erp, { stock_seq: false }),
  'stock.currency': (erp) =>
    changed(erp, 'warehouses', ({ warehouses }) => ({
      warehouses: warehouses.map((one) => ({ ...one, currency: 'EUR' })),
    })),
  'stock.incoming': (erp) => {
    const incoming = [{ quantity: 1, earliest_date: '2026-12-05', latest_date: '2026-12-01' }]
    const turned = changed(erp, 'stock.snapshot', (page) => ({
      ...page,
      rows: page.rows.map((row) => ({ ...row, incoming })),
    }))
    return changed(turned, 'stock.read', (answer) => ({
      ...answer,
      rows: answer.rows.map((row) => ({ ...row, incoming })),
    }))
  },
  'stock.changed.first': (erp) =>
    changed(erp, 'stock.changed', (hints, { cursor }) => ({
      ...hints,
      everything: cursor === null || hints.everything,
    })),
  'stock.changed.own': (erp) =>
    changed(erp, 'stock.changed', (hints, { cursor }) => ({ ...hints, everything: cursor !== null })),
  'stock.changed.repeatable': (_erp, atWork) => {
    const used = new Set<string>()
    return changed(atWork, 'stock.changed', (hints, { cursor }) => {
      if (cursor === null || hints.everything) return hints
      const isSecond = used.has(cursor)
      used.add(cursor)
      return isSecond ? { ...hints, skus: [] } : hints
    })
  },
  'stock.changed.ends': (erp) =>
    changed(erp, 'stock.changed', (hints, { cursor }) => ({ ...hints, more: cursor !== null })),
  'stock.changed.damaged': (erp) =>
    changed(erp, 'stock.changed', (hints) => ({ ...hints, everything: false })),
  'stock.changed.none': (erp) => ({ ...tellingNothing(erp), 'stock.changed': erp['stock.changed'] }),
  'stock.changed.complete': (_erp, atWork) =>
    changed(atWork, 'stock.changed', (hints) => ({ ...hints, skus: everySecond(hints.skus) })),
}
