import type { HistoryEntry } from '../history/entry.ts'
import { History } from '../history/history.ts'
import { checkCopies } from './copies.ts'
import { checkEvents } from './events.ts'
import { checkHolds } from './holds.ts'
import { checkOrders } from './orders.ts'
import { checkStock } from './stock.ts'
import { checkVersions } from './versions.ts'
import { anomalies, type Violation } from './violation.ts'

/** How much there was to judge. Where nothing happened, nothing can be wrong. */
export interface HistoryCounts {
  readonly orders: number
  /** The submits that a client was told to have succeeded. */
  readonly submits: number
  /** The holds of which a client was told. */
  readonly holds: number
  readonly skus: number
  readonly transactions: number
  readonly copies: number
  readonly events: number
}

/** What a history contains, and every violation that was found. */
export interface HistoryVerdict extends HistoryCounts {
  readonly entries: number
  /** What could not be decided is a violation, too. Empty if the history holds. */
  readonly violations: readonly Violation[]
}

/** Judges a history. Throws `HistoryError` if the entries are none. */
export function checkHistory(entries: readonly HistoryEntry[]): HistoryVerdict {
  const history = new History(entries)
  const [orders, stock, versions] = [checkOrders(history), checkStock(history), checkVersions(history)]
  const [copies, events] = [checkCopies(history), checkEvents(history)]
  return {
    entries: history.length,
    orders: orders.orders,
    submits: countConfirmed(history, 'order.submit'),
    holds: countConfirmed(history, 'hold.place'),
    skus: stock.skus,
    transactions: versions.transactions,
    copies: copies.copies,
    events: events.events,
    violations: [
      ...[orders, stock, versions, copies, events].flatMap(({ violations }) => violations),
      ...checkHolds(history),
    ],
  }
}

const countConfirmed = (history: History, name: 'order.submit' | 'hold.place') =>
  history.list(name).filter(({ type }) => type === 'ok').length

const maxShown = 10
const maxWitnessLines = 12
const maxLineCharacters = 300

/** Formats a verdict for people: what was judged, and the first violations, each with its witness. */
export function formatVerdict(verdict: HistoryVerdict): string {
  const { violations } = verdict
  const judged = `${verdict.entries} lines: ${verdict.orders} orders, ${verdict.submits} submits and ${verdict.holds} holds that succeeded, ${verdict.skus} SKUs, ${verdict.transactions} transactions, ${verdict.copies} copies, ${verdict.events} events`
  const shown = violations.slice(0, maxShown).flatMap(formatViolation)
  const more = violations.length > maxShown ? [`and ${violations.length - maxShown} more`] : []
  const end =
    violations.length === 0 ? 'The history holds.' : `The history has ${violations.length} violations.`
  return `${[judged, ...shown, ...more, end].join('\n')}\n`
}

function formatViolation({ anomaly, key, story, witness }: Violation): string[] {
  const last = witness.slice(-maxWitnessLines)
  const left = witness.length - last.length
  return [
    `${anomaly}: ${key}: ${story} (${anomalies[anomaly]})`,
    ...(left > 0 ? [`  … ${left} earlier operations`] : []),
    ...last.map((line) => `  ${line.slice(0, maxLineCharacters)}`),
  ]
}
