import { ok } from '../erp.ts'
import {
  changeCapabilities,
  changeFirstRow,
  changeOutput,
  type Mutant,
  removeHints,
  replaceOperation,
} from './broken.ts'

/** Faulty ERPs for the stock checks, by the id of the check that must detect each one. */
export const brokenStock: Readonly<Record<string, Mutant>> = {
  'stock.snapshot.ascending': (erp) =>
    changeOutput(erp, 'stock.snapshot', (page) => {
      const [first, second, third, ...rest] = page.rows
      return first && second && third ? { ...page, rows: [second, first, third, ...rest] } : page
    }),
  'stock.snapshot.pages': (erp) =>
    changeOutput(erp, 'stock.snapshot', (page, { after }) => ({
      ...page,
      rows: after?.endsWith('-A') ? page.rows.slice(1) : page.rows,
    })),
  'stock.snapshot.after': (erp) =>
    changeOutput(erp, 'stock.snapshot', (page, { after }) =>
      after === null || /-[AB]$/.test(after) ? page : { ...page, rows: [], next: null },
    ),
  'stock.snapshot.limit': (erp) =>
    replaceOperation(erp, 'stock.snapshot', (input, run) =>
      run({ ...input, limit: Math.max(input.limit, 3) }),
    ),
  'stock.read.agrees': (erp) =>
    changeOutput(erp, 'stock.read', (result) => ({
      ...result,
      rows: result.rows.map((row) => ({ ...row, price_retail: row.price_retail * 100 })),
    })),
  'stock.read.unknown': (erp) =>
    changeOutput(erp, 'stock.read', (result, { skus }) => {
      const [row] = result.rows
      const unknown = skus.filter((sku) => !result.rows.some((known) => known.sku === sku))
      const rows = row ? unknown.slice(0, 5).map((sku) => ({ ...row, sku })) : []
      return { ...result, rows: [...result.rows, ...rows] }
    }),
  'stock.read.twice': (erp) =>
    changeOutput(erp, 'stock.read', (result, { skus }) => ({
      ...result,
      rows: skus.flatMap((sku) => result.rows.filter((row) => row.sku === sku)),
    })),
  'stock.read.most': (erp) =>
    replaceOperation(erp, 'stock.read', (input, run) => run({ ...input, skus: input.skus.slice(0, 1000) })),
  'stock.unknown_warehouse': (erp) =>
    replaceOperation(erp, 'stock.read', async (input, run) => {
      const result = await run(input)
      return 'ok' in result ? result : ok({ rows: [], stock_seq: 0 })
    }),
  'stock.seq.rows': (erp) => {
    let seq = 1000
    return changeOutput(erp, 'stock.read', (result) => ({
      ...result,
      stock_seq: 1_000_000,
      rows: changeFirstRow(result.rows, () => ({ stock_seq: --seq })),
    }))
  },
  'stock.seq.answers': (erp) => changeOutput(erp, 'stock.read', (result) => ({ ...result, stock_seq: 0 })),
  'stock.seq.absent': (erp) => changeCapabilities(erp, { stock_seq: false }),
  'stock.currency': (erp) =>
    changeOutput(erp, 'warehouses', ({ warehouses }) => ({
      warehouses: warehouses.map((one) => ({ ...one, currency: 'EUR' })),
    })),
  'stock.incoming': (erp) => {
    const incoming = [{ quantity: 1, earliest_date: '2026-12-05', latest_date: '2026-12-01' }]
    const turned = changeOutput(erp, 'stock.snapshot', (page) => ({
      ...page,
      rows: page.rows.map((row) => ({ ...row, incoming })),
    }))
    return changeOutput(turned, 'stock.read', (result) => ({
      ...result,
      rows: result.rows.map((row) => ({ ...row, incoming })),
    }))
  },
  'stock.changed.first': (erp) =>
    changeOutput(erp, 'stock.changed', (hints, { cursor }) => ({
      ...hints,
      everything: cursor === null || hints.everything,
    })),
  'stock.changed.own': (erp) =>
    changeOutput(erp, 'stock.changed', (hints, { cursor }) => ({ ...hints, everything: cursor !== null })),
  'stock.changed.repeatable': (_erp, atWork) => {
    const used = new Set<string>()
    return changeOutput(atWork, 'stock.changed', (hints, { cursor }) => {
      if (cursor === null || hints.everything) return hints
      const isSecond = used.has(cursor)
      used.add(cursor)
      return isSecond ? { ...hints, skus: [] } : hints
    })
  },
  'stock.changed.ends': (erp) =>
    changeOutput(erp, 'stock.changed', (hints, { cursor }) => ({ ...hints, more: cursor !== null })),
  'stock.changed.damaged': (erp) =>
    changeOutput(erp, 'stock.changed', (hints) => ({ ...hints, everything: false })),
  'stock.changed.none': (erp) => ({ ...removeHints(erp), 'stock.changed': erp['stock.changed'] }),
  'stock.changed.followed': (_erp, atWork) => {
    // What is committed after its timestamp is older than every cursor that was returned in the meantime.
    const later = new Set<string>()
    return changeOutput(atWork, 'stock.changed', (hints, { cursor }) => {
      const isFollowing = cursor !== null && later.has(cursor)
      if (cursor !== null) later.add(hints.cursor)
      return isFollowing ? { ...hints, skus: [] } : hints
    })
  },
  'stock.changed.complete': (_erp, atWork) =>
    changeOutput(atWork, 'stock.changed', (hints) => ({
      ...hints,
      skus: hints.skus.filter((sku) => sku.endsWith('A')),
    })),
}

/** Returns `everything` once to a caller that continues with each new cursor, and then forgets hints. */
export const forgetAfterEverything: Mutant = (_erp, atWork) => {
  const polls = new Map<string, number>()
  return changeOutput(atWork, 'stock.changed', (hints, { cursor }) => {
    const count = cursor === null ? 0 : (polls.get(cursor) ?? 0) + 1
    polls.set(hints.cursor, count)
    if (count === 2) return { ...hints, everything: true, skus: [] }
    // To the cursor that was returned with it, what has changed since is hinted.
    return count > 3 ? { ...hints, skus: [] } : hints
  })
}
