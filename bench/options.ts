import { parseArgs } from 'node:util'

/** What one run measures, and for how long. */
export interface Options {
  readonly quick: boolean
  /** Names of the subjects that are measured; empty: all. */
  readonly only: readonly string[]
  readonly profile: boolean
  /** A PostgreSQL server in which a database may be made and dropped. */
  readonly databaseUrl: string | undefined
  readonly rounds: number
  /** Seconds of load in one round, and before the first one. */
  readonly seconds: number
  readonly warmSeconds: number
  /** Rounds that are run again because a reference was disturbed in them. */
  readonly mostRepeats: number
  /** Rows of the stocks that are measured. */
  readonly sizes: Readonly<Record<Size, number>>
  /** Starts of the whole process, and batches of changes. */
  readonly repeats: number
}

export type Size = 'empty' | 'small' | 'middle' | 'large'

const full = { rounds: 5, seconds: 3, warmSeconds: 2, mostRepeats: 3, repeats: 5, large: 1_000_000 }
const quick = { rounds: 3, seconds: 1, warmSeconds: 1, mostRepeats: 0, repeats: 2, large: 100_000 }

/** Whether the figures of the largest stock are those that the targets speak of. */
export const largeOfTargets = full.large

/** Reads the command line and `TEST_DATABASE_URL`; undefined where help is asked for. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { large, ...time } = values.quick ? quick : full
  return {
    quick: values.quick,
    only: values.only.flatMap((names) => names.split(',')),
    profile: values.profile,
    databaseUrl: environment.TEST_DATABASE_URL || undefined,
    ...time,
    sizes: { empty: 0, small: 10_000, middle: 100_000, large },
  }
}

/** The text of `--help`. */
export function usage(subjects: readonly string[]): string {
  return `Usage: npm run bench -- [options]

Measures stock reads, the change feed, memory, start, refresh, submits, agents' actions and webhooks as ratios to
nginx, to bare node:http, to the ERP itself, to a constant tool and to a bare loop of signed POSTs, all started by this
run, in turns on the same two cores. Prints a table and writes bench/out/results.json.

  --quick      a short run for every day: ${quick.rounds} rounds of ${quick.seconds} s, at most ${quick.large.toLocaleString('en')} rows; a busy machine is
               noted, not a failure
  --only NAME  one subject, or several: ${subjects.join(', ')}
  --profile    one more run of each kind of request under the CPU profiler; prints where the time goes
  --help       this text

With TEST_DATABASE_URL set, start, refresh, submits and webhooks are measured on PostgreSQL too, in databases that are
made for it.
The run fails (exit 1) where answers are not equal to the reference's, or where a reference was not steady: then
the ratios say nothing. A target that is missed is told in the table.
`
}
