import {
  parseNumber,
  parseOptions,
  parseOutputFile,
  requireDifferentFiles,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { maxEntries } from '../../../simulator/src/history/read-history.ts'
import type { HistoryPlace } from '../judged-history.ts'
import type { FaultName } from '../kills/faults.ts'

const usual = { hours: 2, every: 60, seed: 1, buyers: 4 } as const
const bounds = {
  every: { min: 5, max: 3_600 },
  seed: { min: 0, max: 999_999_999 },
  buyers: { min: 1, max: 64 },
} as const
const maxHours = 168
/** The least time in which quarters and halves mean something, in milliseconds. */
const minMs = 60_000
const hourMs = 3_600_000
/**
 * The lines of a history in a second, by the pauses of those who work, with a margin. Movements have 20, copies of the
 * stock 40, the pages that led to them 80, commits of stock 40 and its events 2. Of holds there are at most 2.4, each of 8
 * lines with its release and the commits of both. A buyer begins at most four orders, each of 8.3 lines with its submit,
 * void, documents and events. The rest is for webhooks that are sent again and for the commits of orders.
 */
const maxLinesPerSecond = { shared: 215, perBuyer: 37 } as const

/** The faults of a soak: what is stopped for a while would move the figures of the gateway that is judged. */
export const soakFaults = [
  'process-kill',
  'supervisor-kill',
  'redis-kill',
  'postgres-kill',
  'receiver-kill',
  'erp-kill',
] as const satisfies readonly FaultName[]

export const usage = `Lets a whole installation work for hours while one part after another is killed, and judges a gateway that is spared.

  npm run soak -- [options]

Starts what npm run kills starts: four gateway processes on one PostgreSQL and one Redis, nginx, the sandbox ERP and a
receiver of webhooks. Buyers, a client that holds stock, followers and agents work, and the ERP's stock moves. Every
minute something is killed: a gateway process, the supervisor, Redis, PostgreSQL, the receiver or the ERP. One gateway
process is never killed.

At the end the records of the ERP, the gateway, the clients and the receiver must agree, as after npm run kills. The
memory of the spared gateway in the last quarter must be at most 1.05 times that in the second one. The 99th percentile
of its one-row reads in the last hour must be at most 1.2 times that of the first one; in a run of less than two hours,
the halves are compared.

The history of the run must hold, too. npm run check-history reads at most ${maxEntries.toLocaleString('en')} lines, which is enough for
${formatHours(computeMaxJudgedMs(usual.buyers))} hours with ${usual.buyers} buyers. A longer run records no history.

  --hours H     how long, 0.017 to ${maxHours}; default ${usual.hours}; 0.05 is three minutes
  --every N     the seconds between two kills, ${bounds.every.min} to ${bounds.every.max}; default ${usual.every}
  --seed N      seed of the faults, of the times and of the orders, 0 to ${bounds.seed.max}; default ${usual.seed}
  --buyers N    the number of clients that order at once, 1 to ${bounds.buyers.max}; default ${usual.buyers}
  --report FILE writes the verdict and all figures to a JSON file
  --history FILE keeps the history of calls, stock, books and inboxes, as npm run check-history reads it
  --help        prints this text

Requires PostgreSQL and redis-server (or valkey-server) and, as root, the user postgres.
Exit codes: 0 nothing was lost, grew or slowed down, 1 something did, or the trial failed, 64 wrong usage.

  npm run soak -- --hours 0.5 --report soak.json
`

/** The options of a soak. */
export interface SoakOptions {
  readonly soak_ms: number
  readonly every_ms: number
  readonly seed: number
  readonly buyers: number
  readonly report: string | undefined
  readonly history: HistoryPlace
}

/** The number of kills: one each time but at the end. */
export function countFaults({ soak_ms, every_ms }: Pick<SoakOptions, 'soak_ms' | 'every_ms'>): number {
  return Math.max(1, Math.floor(soak_ms / every_ms) - 1)
}

/** Parses the arguments. Throws `UsageError`. */
export function readOptions(args: readonly string[]): SoakOptions | 'usage' {
  const values = parseOptions(args, {
    hours: { type: 'string', default: String(usual.hours) },
    every: { type: 'string', default: String(usual.every) },
    seed: { type: 'string', default: String(usual.seed) },
    buyers: { type: 'string', default: String(usual.buyers) },
    report: { type: 'string' },
    history: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const soak_ms = parseHours(values.hours)
  const buyers = parseNumber('buyers', values.buyers, bounds.buyers)
  const files = {
    report: parseOutputFile('report', values.report),
    history: parseHistory(values.history, { soak_ms, buyers }),
  }
  requireDifferentFiles(files)
  return {
    soak_ms,
    every_ms: parseNumber('every', values.every, bounds.every) * 1000,
    seed: parseNumber('seed', values.seed, bounds.seed),
    buyers,
    ...files,
  }
}

function parseHours(text: string): number {
  const hours = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (hours * hourMs >= minMs && hours <= maxHours) return hours * hourMs
  throw new UsageError(`--hours must be a number from 0.017 (a minute) to ${maxHours}, not "${text}".`)
}

/**
 * Parses where the history is kept: nowhere (null) for a run whose history may become longer than the checker reads.
 * Throws `UsageError` if such a history is to be kept.
 */
function parseHistory(
  text: string | undefined,
  { soak_ms, buyers }: Pick<SoakOptions, 'soak_ms' | 'buyers'>,
): HistoryPlace {
  const file = parseOutputFile('history', text)
  const maxMs = computeMaxJudgedMs(buyers)
  if (soak_ms <= maxMs) return file
  if (file === undefined) return null
  throw new UsageError(
    `--history is limited to ${formatHours(maxMs)} hours with ${buyers} buyers, not ${soak_ms / hourMs}, because npm run check-history reads at most ${maxEntries.toLocaleString('en')} lines. Choose fewer hours, or leave out --history.`,
  )
}

/** Computes the time within which a history cannot become longer than the checker reads. */
function computeMaxJudgedMs(buyers: number): number {
  return (maxEntries / (maxLinesPerSecond.shared + maxLinesPerSecond.perBuyer * buyers)) * 1000
}

/** Formats a duration that is an upper bound, and is therefore rounded down. */
function formatHours(ms: number): string {
  return (Math.floor((ms / hourMs) * 10) / 10).toFixed(1)
}
