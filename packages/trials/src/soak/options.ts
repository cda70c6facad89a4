import { parseNumber, parseOptions, UsageError } from '@trade-gateway/connector-kit/command-line'
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
receiver of webhooks. Buyers, followers and agents work, and the ERP's stock moves. Every minute something is killed:
a gateway process, the supervisor, Redis, PostgreSQL, the receiver or the ERP. One gateway process is never killed.

At the end the records of the ERP, the gateway, the clients and the receiver must agree, as after npm run kills. The
memory of the spared gateway in the last quarter must be at most 1.05 times that in the second one. The 99th percentile
of its one-row reads in the last hour must be at most 1.2 times that of the first one; in a run of less than two hours,
the halves are compared.

  --hours H     how long; default ${usual.hours}; 0.05 is three minutes
  --every N     the seconds between two kills; default ${usual.every}
  --seed N      seed of the faults, of the times and of the orders; default ${usual.seed}
  --buyers N    the number of clients that order at once; default ${usual.buyers}
  --report FILE writes the verdict and all figures to a JSON file
  --history FILE keeps the history of calls, books and inboxes, as npm run check-history reads it
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
  readonly history: string | undefined
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
  return {
    soak_ms: parseHours(values.hours),
    every_ms: parseNumber('every', values.every, bounds.every) * 1000,
    seed: parseNumber('seed', values.seed, bounds.seed),
    buyers: parseNumber('buyers', values.buyers, bounds.buyers),
    report: values.report,
    history: values.history,
  }
}

function parseHours(text: string): number {
  const hours = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (hours * hourMs >= minMs && hours <= maxHours) return hours * hourMs
  throw new UsageError(`--hours must be a number from 0.017 (a minute) to ${maxHours}, not "${text}".`)
}
