import { parseNumber, parseOptions } from '@trade-gateway/connector-kit/command-line'

/** What a run measures, and for how long. */
export interface Options {
  readonly quick: boolean
  /** The names of the subjects to measure; empty means all. */
  readonly only: readonly string[]
  /** The commit to compare this tree with, instead of the references. */
  readonly against: string | undefined
  /** Whether to compare this tree with itself, once without metrics and request log. */
  readonly measuring: boolean
  readonly profile: boolean
  /** A PostgreSQL server on which the run may create and drop databases. */
  readonly databaseUrl: string | undefined
  readonly rounds: number
  /** The maximum number of rounds that are added if repeated measurements of a figure differ too much. */
  readonly maxExtraRounds: number
  /** Duration of one slice (one run of load) in seconds. */
  readonly seconds: number
  /** CPU time in seconds that a server must use before it is measured. */
  readonly warmSeconds: number
  /** The number of stock rows by size. */
  readonly sizes: Readonly<Record<Size, number>>
  /** How often a start of the gateway and a refresh of its stock are measured. */
  readonly repeats: number
}

export type Size = 'empty' | 'small' | 'middle' | 'large'

const full = { rounds: 9, maxExtraRounds: 18, seconds: 1, warmSeconds: 5, repeats: 9, large: 1_000_000 }
const quick = { rounds: 3, maxExtraRounds: 0, seconds: 1, warmSeconds: 2, repeats: 4, large: 100_000 }

const maxRounds = 99

/**
 * The number of rows that the targets for `large` assume. A run with fewer rows reports the figures without comparing
 * them with the targets.
 */
export const targetRows = full.large

/** Reads the command line and `TEST_DATABASE_URL`. Returns undefined for `--help`. Throws `UsageError`. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options | undefined {
  const values = parseOptions(args, {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
    measuring: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  const { large, ...time } = values.quick ? quick : full
  const rounds =
    values.rounds === undefined
      ? time.rounds
      : parseNumber('rounds', values.rounds, { min: 1, max: maxRounds })
  return {
    quick: values.quick,
    only: values.only.flatMap((names) => names.split(',')),
    against: values.against,
    measuring: values.measuring,
    profile: values.profile,
    databaseUrl: environment.TEST_DATABASE_URL || undefined,
    ...time,
    rounds,
    sizes: { empty: 0, small: 10_000, middle: 100_000, large },
  }
}

interface Subjects {
  readonly all: readonly string[]
  readonly against: readonly string[]
  readonly measuring: readonly string[]
}

/** Formats the text of `--help`. */
export function formatUsage(subjects: Subjects): string {
  return `Usage: npm run bench -- [options]

Measures the gateway against references that it starts: bare node:http, nginx, a bare submit, a constant MCP tool and
a bare loop of signed POSTs. Reference and gateway take turns on one core. The load runs on another core.
Prints tables and writes bench/out/results.json. bench/README.md explains the figures.

  --quick        a short run: ${quick.rounds} rounds instead of ${full.rounds}, at most ${quick.large.toLocaleString('en')} rows; its verdicts are provisional
  --rounds N     another number of rounds, from 1 to ${maxRounds}
  --only NAMES   measures only these subjects, separated by commas: ${subjects.all.join(', ')}
  --against REV  compares this tree with another commit instead of the references. Both take turns in one run.
                 Subjects: ${subjects.against.join(', ')}
  --measuring    compares this tree with itself, once without metrics and request log. Both take turns in one run.
                 Subjects: ${subjects.measuring.join(', ')}
  --profile      runs each kind of request once more under the CPU profiler and prints where the time goes
  --help         prints this text

If TEST_DATABASE_URL is set, the subjects start, refresh, submit and webhooks also run on PostgreSQL, in databases
that the bench creates and drops.

A figure whose repeat differs by more than 10 % is printed as "not judged".
Exit code 1: a subject failed, as when a response differs from the reference, a full run could not judge a figure, or
\`tgw stock pull\` broke its promise of 20 s and 200 MB. A subject that fails does not end the run. A missed target does
not change the exit code.
`
}
