/**
 * Judges transactions over stock figures. The versions of a row are the order in which it was written, so the
 * dependencies between transactions need not be searched (Adya's anomalies, as Elle finds them): a writer precedes the
 * writer of the next version (ww) and the readers of its own (wr), and a reader precedes the writer of the version after
 * the one that it read (rw). A serializable history has no circle of them.
 */
import type { History, Operation } from '../history/history.ts'
import type { StockRow } from '../history/operations.ts'
import { findCircle, type Graph } from './circles.ts'
import { describeOperation } from './describe.ts'
import type { Anomaly, Violation } from './violation.ts'

interface Transaction {
  readonly operation: Operation
  readonly reads: readonly StockRow[]
  readonly writes: readonly StockRow[]
  readonly told: string
}

const toKey = ({ warehouse_code, sku }: StockRow) => `${sku} in ${warehouse_code}`
const toVersionKey = (row: StockRow) => `${toKey(row)} at ${row.version}`

/** Finds the anomalies of transactions, and clients that were shown an older version than before. */
export function checkVersions(history: History): {
  readonly transactions: number
  readonly violations: Violation[]
} {
  const all = history.list('stock.write', 'stock.read').map(toTransaction)
  const refused = all.filter(({ operation }) => operation.type === 'refused')
  const kept = all.filter(({ operation }) => operation.type !== 'refused')
  const violations = [
    ...findValueConflicts(kept),
    ...findAborted(kept, refused),
    ...(history.listSeen('database.restored').length > 0 ? [] : findUnwritten(kept)),
    ...findIntermediate(kept),
    ...findLostUpdates(kept),
    ...findCircles(kept),
    ...findStepsBack(kept),
  ]
  return { transactions: all.length, violations }
}

function toTransaction(operation: Operation<'stock.write' | 'stock.read'>): Transaction {
  const { input, output } = operation
  const told = describeOperation(operation)
  if (operation.name === 'stock.read')
    return { operation, reads: hasRows(output) ? output.rows : [], writes: [], told }
  const { reads = [], writes } = input as { reads?: StockRow[]; writes: StockRow[] }
  return { operation, reads, writes, told }
}

const hasRows = (output: unknown): output is { rows: StockRow[] } =>
  typeof output === 'object' && output !== null && 'rows' in output

function createViolation(
  anomaly: Anomaly,
  key: string,
  story: string,
  concerned: readonly Transaction[],
): Violation {
  return { anomaly, key, story, witness: [...new Set(concerned)].map(({ told }) => told) }
}

function findValueConflicts(kept: readonly Transaction[]): Violation[] {
  const values = new Map<string, { readonly quantity: number; readonly by: Transaction }>()
  return kept.flatMap((by) =>
    [...by.writes, ...by.reads].flatMap((row) => {
      const key = toVersionKey(row)
      const known = values.get(key)
      if (!known) values.set(key, { quantity: row.quantity, by })
      if (!known || known.quantity === row.quantity) return []
      return [createViolation('two-values', key, `${known.quantity} and ${row.quantity}`, [known.by, by])]
    }),
  )
}

function findAborted(kept: readonly Transaction[], refused: readonly Transaction[]): Violation[] {
  const written = indexWriters(kept)
  const aborted = indexWriters(refused)
  return kept.flatMap((by) =>
    by.reads.flatMap((row) => {
      const writer = aborted.get(toVersionKey(row))
      if (!writer || written.has(toVersionKey(row))) return []
      return [createViolation('G1a', toVersionKey(row), 'its writer was refused', [writer, by])]
    }),
  )
}

/**
 * Finds versions that were read and never written, from the first written one of their warehouse on: a history knows no
 * writers from before its beginning. After a restore, what was written before it may be missing.
 */
function findUnwritten(kept: readonly Transaction[]): Violation[] {
  const writers = indexWriters(kept)
  const first = new Map<string, number>()
  for (const { writes } of kept)
    for (const { warehouse_code, version } of writes)
      first.set(warehouse_code, Math.min(version, first.get(warehouse_code) ?? version))
  const isKnown = (row: StockRow) =>
    row.version >= (first.get(row.warehouse_code) ?? Number.POSITIVE_INFINITY)
  return kept.flatMap((by) =>
    by.reads
      .filter((row) => isKnown(row) && !writers.has(toVersionKey(row)))
      .map((row) => createViolation('unwritten', toVersionKey(row), 'nobody wrote it', [by])),
  )
}

function indexWriters(transactions: readonly Transaction[]): Map<string, Transaction> {
  return new Map(transactions.flatMap((by) => by.writes.map((row) => [toVersionKey(row), by] as const)))
}

function findIntermediate(kept: readonly Transaction[]): Violation[] {
  const replaced = new Map<string, Transaction>()
  for (const by of kept) {
    for (const rows of Map.groupBy(by.writes, toKey).values()) {
      const last = Math.max(...rows.map(({ version }) => version))
      for (const row of rows) if (row.version < last) replaced.set(toVersionKey(row), by)
    }
  }
  return kept.flatMap((by) =>
    by.reads.flatMap((row) => {
      const writer = replaced.get(toVersionKey(row))
      if (!writer || writer === by) return []
      return [createViolation('G1b', toVersionKey(row), 'its writer replaced it itself', [writer, by])]
    }),
  )
}

function findLostUpdates(kept: readonly Transaction[]): Violation[] {
  const updates = new Map<string, Transaction>()
  return kept.flatMap((by) => {
    const keys = new Set(by.writes.map(toKey))
    return by.reads.flatMap((row) => {
      if (!keys.has(toKey(row))) return []
      const other = updates.get(toVersionKey(row))
      updates.set(toVersionKey(row), other ?? by)
      return other && other !== by
        ? [createViolation('lost-update', toVersionKey(row), 'both replaced it', [other, by])]
        : []
    })
  })
}

interface Dependencies {
  readonly ww: Graph
  readonly wr: Graph
  readonly rw: Graph
}

/** Finds at most one circle of each kind: the first kind that has one explains the others. */
function findCircles(kept: readonly Transaction[]): Violation[] {
  const { ww, wr, rw } = collectDependencies(kept)
  const report = (anomaly: Anomaly, circle: readonly number[] | undefined) => {
    if (!circle) return []
    const concerned = circle.flatMap((index) => kept[index] ?? [])
    const key = [...new Set(concerned.flatMap(({ reads, writes }) => [...reads, ...writes].map(toKey)))]
    return [
      createViolation(anomaly, key.slice(0, 4).join(', '), `${concerned.length} transactions`, concerned),
    ]
  }
  const known = [
    ...report('G0', findCircle([ww])),
    ...report('G1c', findCircle([ww, wr], wr)),
    ...report('G-single', findCircle([ww, wr], rw)),
  ]
  return known.length > 0 ? known : report('G2', findCircle([ww, wr, rw], rw))
}

function collectDependencies(kept: readonly Transaction[]): Dependencies {
  const graphs = { ww: new Map(), wr: new Map(), rw: new Map() } satisfies Record<string, Graph>
  const link = (graph: Map<number, Set<number>>, from: number, to: number) => {
    if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  const uses = kept.flatMap(({ reads, writes }, index) => [
    ...reads.map((row) => ({ row, index, isWrite: false })),
    ...writes.map((row) => ({ row, index, isWrite: true })),
  ])
  for (const ofRow of Map.groupBy(uses, ({ row }) => toKey(row)).values()) {
    const writers = ofRow.filter(({ isWrite }) => isWrite).sort((a, b) => a.row.version - b.row.version)
    const versions = writers.map(({ row }) => row.version)
    for (const [at, { index }] of writers.entries()) {
      const next = writers[at + 1]
      if (next) link(graphs.ww, index, next.index)
    }
    for (const { row, index, isWrite } of ofRow) {
      if (isWrite) continue
      const after = findAfter(versions, row.version)
      const before = writers[after - 1]
      const next = writers[after]
      if (before?.row.version === row.version) link(graphs.wr, before.index, index)
      if (next) link(graphs.rw, index, next.index)
    }
  }
  return graphs
}

/** Returns the position of the first version that is greater. */
function findAfter(versions: readonly number[], version: number): number {
  let [low, high] = [0, versions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((versions[middle] ?? 0) > version) high = middle
    else low = middle + 1
  }
  return low
}

/** Compares what each client was shown with what it had been shown or had written before. */
function findStepsBack(kept: readonly Transaction[]): Violation[] {
  return [...Map.groupBy(kept, ({ operation }) => operation.client).values()].flatMap((own) => {
    const done = own.filter(({ operation }) => operation.type === 'ok')
    done.sort((a, b) => a.operation.end - b.operation.end)
    const reads = own.filter(({ operation, reads }) => operation.type === 'ok' && reads.length > 0)
    const known = new Map<
      string,
      { readonly version: number; readonly by: Transaction; readonly isOwn: boolean }
    >()
    let next = 0
    return reads.flatMap((by) => {
      for (let each = done[next]; each && each.operation.end < by.operation.begin; each = done[++next]) {
        const writer = each
        const rows = [
          ...writer.reads.map((row) => ({ row, isOwn: false })),
          ...writer.writes.map((row) => ({ row, isOwn: true })),
        ]
        for (const { row, isOwn } of rows) {
          const version = known.get(toKey(row))?.version ?? -1
          if (row.version > version) known.set(toKey(row), { version: row.version, by: writer, isOwn })
        }
      }
      return by.reads.flatMap((row) => {
        const newest = known.get(toKey(row))
        if (!newest || newest.version <= row.version) return []
        const story = `version ${row.version} after ${newest.version}`
        const anomaly = newest.isOwn ? 'stale-read' : 'version-back'
        return [createViolation(anomaly, toKey(row), story, [newest.by, by])]
      })
    })
  })
}
