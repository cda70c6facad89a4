/**
 * `npm run mutants` changes the code in one place at a time, and lists the changes that no test notices. With `--named`,
 * each change removes one guard.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, parseOptions, runCommand, UsageError } from '@trade-gateway/connector-kit/command-line'
import { type NamedMutant, namedMutants } from './named.ts'
import { NamedMutantsError, runNamed } from './run-named.ts'
import {
  computeScore,
  listRemarks,
  listShortfalls,
  maxSuiteMs,
  minScore,
  renderScores,
  type Score,
} from './score.ts'
import { type Subject, subjects } from './subjects.ts'
import { suiteTime } from './suite-time.ts'

const root = join(import.meta.dirname, '../..')
/** What a run leaves for the next one. Git ignores it. */
const folder = '.mutants'

const usage = `Changes the code of a subject in one place at a time, runs the subject's tests, and lists the changes
that no test notices.

  npm run mutants -- [SUBJECT…] [--force]
  npm run mutants -- --named [NAME…]

${subjects.map(({ name, guarantee }) => `  ${name.padEnd(12)} ${guarantee}`).join('\n')}

Without a SUBJECT, all of them run. scripts/mutants/subjects.ts names the files and tests of each. The code is changed
in a copy of the tree. A run judges again what has changed since the last one: mutants of changed code, and those whose
tests have changed. It does not notice a change of a file that is neither in the subject nor in its tests.

A change is killed if a test of the subject fails, or if a loop is endless: the code runs a hundred times as often as
without the change. It is broken if instead a hook of the tests fails, a file cannot be loaded, or the tests do not end
in time: no test has judged it, so it does not count as killed. The run lists it.

A change that no test notices must have its reason in subjects.ts, or the run fails and names it. A reason that fits no
change, or more than one place of its file, fails the run too. The run says so, and does not fail, if the tests of a
subject took more than ${maxSuiteMs / 1_000} seconds, or if a test killed a change that has a reason.

With --named, each change removes one guard, and a named test must fail: scripts/mutants/named.ts lists the changes and
their tests. Without a NAME, all of them run, in less than ten minutes. Those that only PostgreSQL can show need
TEST_DATABASE_URL. Without it they are left out, and the exit code is 1.

  --force  judges every mutant again
  --named  runs the named mutants
  --help   prints this text

Exit codes: 0 every subject has at least ${minScore} % of its mutants killed and a reason for each survivor, or every named
mutant is killed; 1 not so, or a named mutant could not be judged; 64 wrong usage.
`

/** On a busy machine, a slow test must not look like one that never ends. Endless loops are found by counting. */
const minTimeoutMs = 30_000
const timeoutFactor = 10
const maxDryRunMinutes = 30

interface MutantsOptions {
  readonly chosen: readonly Subject[]
  readonly force: boolean
}

export function readOptions(args: readonly string[]): MutantsOptions | 'usage' {
  const { help, force } = parseOptions(
    args.filter((each) => each.startsWith('-')),
    { force: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  )
  if (help) return 'usage'
  const names = args.filter((each) => !each.startsWith('-'))
  const unknown = names.find((name) => !subjects.some((subject) => subject.name === name))
  if (unknown !== undefined) throw new UsageError(`There is no subject "${unknown}".`)
  const chosen = subjects.filter(({ name }) => names.length === 0 || names.includes(name))
  return { chosen, force }
}

/** Reads the arguments beside `--named`. */
export function readNamedOptions(args: readonly string[]): readonly NamedMutant[] | 'usage' {
  const { help } = parseOptions(
    args.filter((each) => each.startsWith('-')),
    { help: { type: 'boolean', short: 'h', default: false } },
  )
  if (help) return 'usage'
  const names = args.filter((each) => !each.startsWith('-'))
  const unknown = names.find((name) => !namedMutants.some((mutant) => mutant.name === name))
  if (unknown !== undefined) throw new UsageError(`There is no named mutant "${unknown}".`)
  return namedMutants.filter(({ name }) => names.length === 0 || names.includes(name))
}

/**
 * Runs the mutants of one subject. Stryker would rewrite tsconfig.json in its copy with the API of TypeScript 5, which
 * TypeScript 7 does not have; with a name that does not exist it leaves that out. The copy is of this folder, so
 * nothing has to be rewritten.
 */
async function runSubject({ name, files, suite }: Subject, force: boolean) {
  // Loading it takes a second, which the usage and a wrong argument need not wait for.
  const { Stryker } = await import('@stryker-mutator/core')
  process.env.MUTANTS_SUITE = JSON.stringify(suite)
  const stryker = new Stryker({
    mutate: [...files],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(import.meta.dirname, 'suite-time.ts')],
    vitest: { related: false, configFile: 'scripts/mutants/vitest.config.ts' },
    tsconfigFile: `${folder}/none.json`,
    disableTypeChecks: false,
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: minTimeoutMs,
    timeoutFactor,
    dryRunTimeoutMinutes: maxDryRunMinutes,
    incremental: true,
    incrementalFile: `${folder}/${name}.json`,
    force,
    tempDirName: `${folder}/copy`,
    cleanTempDir: 'always',
    ignorePatterns: [folder],
    reporters: ['progress-append-only', suiteTime.name],
    allowConsoleColors: false,
  })
  return stryker.runMutationTest()
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  if (args.includes('--named')) {
    const mutants = readNamedOptions(args.filter((each) => each !== '--named'))
    return mutants === 'usage' ? mutants : runNamed(root, join(root, folder, 'named'), mutants)
  }
  return runSubjects(args)
}

async function runSubjects(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  process.chdir(root)
  const scores = new Map<string, Score>()
  const suiteMs = new Map<string, number>()
  for (const subject of options.chosen) {
    const mutants = await runSubject(subject, options.force)
    scores.set(
      subject.name,
      computeScore(subject, mutants, (file) => readFileSync(file, 'utf8')),
    )
    suiteMs.set(subject.name, suiteTime.value.ms)
  }
  const shortfalls = listShortfalls(scores)
  const remarks = [...listRemarks(scores, suiteMs), ...shortfalls].map((sentence) => `${sentence}\n`)
  process.stdout.write([renderScores(scores), '\n', ...remarks].join(''))
  return shortfalls.length === 0 ? exitCodes.ended : exitCodes.failed
}

if (import.meta.main) await runCommand({ usage, run, explained: [NamedMutantsError] })
