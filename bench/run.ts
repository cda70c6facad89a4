import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { type Bench, openBench, type Subject } from './bench.ts'
import { formatUsage, type Options, readOptions } from './options.ts'
import { ParityError } from './parity.ts'
import { placePostgres } from './place-postgres.ts'
import { endAllProcesses, keepLoadCoreAwake, loadCore } from './processes.ts'
import { Report } from './report.ts'
import { closeConnections } from './send-request.ts'
import { againstSubjects, compareTrees, measuringSubjects } from './subjects/against.ts'
import { measureBackups } from './subjects/backup.ts'
import { measureCli } from './subjects/cli.ts'
import { measureFeedLaw } from './subjects/feed-law.ts'
import { measureMcp } from './subjects/mcp.ts'
import { measureMemory } from './subjects/memory.ts'
import { measureOneRow } from './subjects/one-row.ts'
import { measureOperatorLists } from './subjects/operator-lists.ts'
import { measureOverload } from './subjects/overload.ts'
import { measurePages } from './subjects/page.ts'
import { measureProcesses, measureValkey } from './subjects/processes.ts'
import { measureFullPull } from './subjects/pull.ts'
import { measureRefresh } from './subjects/refresh.ts'
import { measureRejections } from './subjects/rejections.ts'
import { measureSdk } from './subjects/sdk.ts'
import { measureStarts } from './subjects/start.ts'
import { measureSubmits } from './subjects/submit.ts'
import { measureTail } from './subjects/tail.ts'
import { measureWebhooks } from './subjects/webhooks.ts'
import { PreparationError, prepareTools, readVersion, requireProgram } from './tools.ts'
import { thisTree, unmeasuredTree, unpackTree } from './trees.ts'

/** The subjects by their names in `--only`, in the order in which they run. */
const subjects: Readonly<Record<string, Subject>> = {
  'one-row': measureOneRow,
  page: measurePages,
  pull: measureFullPull,
  rejections: measureRejections,
  'feed-law': measureFeedLaw,
  start: measureStarts,
  memory: measureMemory,
  refresh: measureRefresh,
  submit: measureSubmits,
  mcp: measureMcp,
  webhooks: measureWebhooks,
  tail: measureTail,
  sdk: measureSdk,
  cli: measureCli,
  'operator-lists': measureOperatorLists,
  overload: measureOverload,
  valkey: measureValkey,
  processes: measureProcesses,
  backup: measureBackups,
}

const exit = { ok: 0, failure: 1, usage: 64, unprepared: 69 } as const
const resultsFolder = new URL('out/', import.meta.url)

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env)
  const all = Object.keys(subjects)
  if (!options) {
    process.stdout.write(formatUsage({ all, against: againstSubjects, measuring: measuringSubjects }))
    return exit.ok
  }
  const { names, mode } = chooseMode(options, all)
  const unknown = options.only.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no subject ${unknown.join(', ')}${mode}. The subjects are ${names.join(', ')}.\n`,
    )
    return exit.usage
  }
  await prepareTools()
  // This process runs the client and the simulated ERP. It must not run on the core of the measured server.
  execFileSync(requireProgram('taskset'), ['-acp', String(loadCore), String(process.pid)])
  const chosen = names.filter((name) => options.only.length === 0 || options.only.includes(name))
  return runSubjects(options, chosen)
}

/** Returns the subjects that the options offer, and how a message names the option. */
function chooseMode({ measuring, against }: Options, all: readonly string[]) {
  if (measuring) return { names: measuringSubjects, mode: ' with --measuring' }
  if (against !== undefined) return { names: againstSubjects, mode: ' with --against' }
  return { names: all, mode: '' }
}

async function runSubjects(options: Options, chosen: readonly string[]): Promise<number> {
  const before = loadavg()
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'tg-bench-'))
  const report = new Report()
  const bench = openBench({ options, folder, report, tree: thisTree })
  try {
    if (options.databaseUrl !== undefined) await movePostgres(options.databaseUrl, report)
    keepLoadCoreAwake(folder)
    if (options.measuring) await compareTrees(bench, unmeasuredTree, { subjects: chosen, most: 1.1 })
    else if (options.against !== undefined) {
      const other = await unpackTree(options.against, folder)
      await compareTrees(bench, other, { subjects: chosen, most: 1.05 })
    } else await measureSubjects(bench, chosen)
  } finally {
    await endAllProcesses()
    closeConnections()
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const load = { before: before.map(roundHundredths), after: loadavg().map(roundHundredths) }
  const seconds = roundHundredths((performance.now() - began) / 1000)
  addNotes(
    report,
    options,
    `the run took ${seconds} s; load average ${load.before[0]} before and ${load.after[0]} after`,
  )
  process.stdout.write(report.formatText())
  await writeResults(options, report, { load, seconds })
  return report.hasFailed || (report.hasUnjudged && !options.quick) ? exit.failure : exit.ok
}

async function movePostgres(url: string, report: Report): Promise<void> {
  const moveBack = await placePostgres(url)
  if (moveBack) process.once('exit', moveBack)
  else
    report.addNote('PostgreSQL could not be moved to the core of the load and may run on that of the server')
}

async function measureSubjects(bench: Bench, chosen: readonly string[]): Promise<void> {
  const began = performance.now()
  for (const name of chosen) {
    bench.report.printProgress(`${name} (${Math.round((performance.now() - began) / 1000)} s)`)
    try {
      await subjects[name]?.(bench)
    } catch (error) {
      // A run takes most of an hour: what fails in one subject loses no figure of the others.
      bench.report.addFailure(`${name}: ${explainError(error).message}`)
    }
  }
}

function addNotes(report: Report, { quick, rounds }: Options, run: string) {
  if (quick) report.addNote(`--quick: only ${rounds} rounds, so that the verdicts are provisional`)
  report.addNote(
    'ratios compare the CPU time of a request; the ratio of the throughputs is in the column "detail"',
  )
  report.addNote('"others" is the share of the server\'s core that other processes took')
  if (report.hasUnjudged)
    report.addNote('"not judged": the repeat differs by more than 10 %, so that the figure is not reliable')
  report.addNote(run)
}

interface RunFigures {
  readonly seconds: number
  /** Load average of the machine before and after the run. */
  readonly load: { readonly before: readonly number[]; readonly after: readonly number[] }
}

async function writeResults(options: Options, report: Report, { load, seconds }: RunFigures): Promise<void> {
  mkdirSync(resultsFolder, { recursive: true })
  // The URL of the database holds a password.
  const { databaseUrl, ...published } = options
  const results = {
    at: new Date().toISOString(),
    seconds,
    options: { ...published, postgres: databaseUrl !== undefined },
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      kernel: release(),
      node: process.version,
      nginx: await readVersion('nginx', '-v'),
      wrk: await readVersion('wrk', '-v'),
      load,
    },
    ...report.toJson(),
  }
  writeFileSync(new URL('results.json', resultsFolder), `${JSON.stringify(results, null, 2)}\n`)
}

function roundHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

function explainError(error: unknown): { message: string; code: number } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof PreparationError) return { message, code: exit.unprepared }
  if (error instanceof ParityError)
    return { message: `The responses are not comparable. ${message}`, code: exit.failure }
  if (error instanceof UsageError)
    return { message: `${message}\nTry: npm run bench -- --help`, code: exit.usage }
  return { message: error instanceof Error ? (error.stack ?? message) : message, code: exit.failure }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAllProcesses().then(() => process.exit(exit.failure)))
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { message, code } = explainError(error)
    process.stderr.write(`${message}\n`)
    process.exit(code)
  },
)
