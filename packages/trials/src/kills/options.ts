import {
  parseNumber,
  parseOptions,
  parseOutputFile,
  requireDifferentFiles,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import type { HistoryPlace } from '../judged-history.ts'
import { type FaultName, faultNames, faults } from './faults.ts'

/** The default number of kills, and of seconds for which SIGSTOP stops a process. */
const usual = { kills: 200, stop: 20, seed: 1, buyers: 4 } as const
const bounds = {
  kills: { min: 1, max: 100_000 },
  stop: { min: 1, max: 600 },
  seed: { min: 0, max: 999_999_999 },
  buyers: { min: 1, max: 64 },
} as const

export const usage = `Kills random processes of a whole installation while clients work, and compares the records at the end.

  npm run kills -- [options]

Starts four gateway processes on one PostgreSQL and one Redis: two below a supervisor (PROCESSES=2) and two alone,
behind nginx if it is installed. Also starts the sandbox ERP and a receiver of webhooks. Buyers place and void orders,
a client holds and releases stock, followers read the change feed and the events from another process with each request,
and the ERP's stock moves. Meanwhile one fault after another happens. At the end everything is shipped, and the records
of the ERP, the gateway, the clients and the receiver must agree. Everything runs in a temporary directory and on
127.0.0.1.

  --kills N     the number of faults, 1 to ${bounds.kills.max}; default ${usual.kills}
  --stop N      the seconds for which SIGSTOP stops a process, 1 to ${bounds.stop.max}; default ${usual.stop}
  --seed N      seed of the faults, of the times and of the orders, 0 to ${bounds.seed.max}; default ${usual.seed}
  --faults LIST only these faults, separated by commas; default all:
${faultNames.map((name) => `                  ${name.padEnd(16)} ${faults[name].title}`).join('\n')}
  --buyers N    the number of clients that order at once, 1 to ${bounds.buyers.max}; default ${usual.buyers}
  --report FILE writes the verdict and all figures to a JSON file
  --history FILE keeps the history of calls, stock, books and inboxes, as npm run check-history reads it
  --help        prints this text

Requires PostgreSQL and redis-server (or valkey-server) and, as root, the user postgres.
Exit codes: 0 nothing was lost, 1 something was, or the trial failed, 64 wrong usage.

  npm run kills -- --kills 20 --stop 3
  npm run kills -- --kills 10 --faults redis-kill,redis-stop
`

/** The options of the trial. */
export interface KillOptions {
  readonly kills: number
  readonly stop_ms: number
  readonly seed: number
  readonly faults: readonly FaultName[]
  readonly buyers: number
  readonly report: string | undefined
  readonly history: HistoryPlace
}

/** Parses the arguments. Throws `UsageError`. */
export function readOptions(args: readonly string[]): KillOptions | 'usage' {
  const values = parseOptions(args, {
    kills: { type: 'string', default: String(usual.kills) },
    stop: { type: 'string', default: String(usual.stop) },
    seed: { type: 'string', default: String(usual.seed) },
    faults: { type: 'string', default: faultNames.join(',') },
    buyers: { type: 'string', default: String(usual.buyers) },
    report: { type: 'string' },
    history: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const files = {
    report: parseOutputFile('report', values.report),
    history: parseOutputFile('history', values.history),
  }
  requireDifferentFiles(files)
  return {
    kills: parseNumber('kills', values.kills, bounds.kills),
    stop_ms: parseNumber('stop', values.stop, bounds.stop) * 1000,
    seed: parseNumber('seed', values.seed, bounds.seed),
    faults: values.faults.split(',').map(readFault),
    buyers: parseNumber('buyers', values.buyers, bounds.buyers),
    ...files,
  }
}

function readFault(text: string): FaultName {
  const name = faultNames.find((known) => known === text.trim())
  if (name) return name
  throw new UsageError(`--faults has no fault "${text}". The faults are ${faultNames.join(', ')}.`)
}
