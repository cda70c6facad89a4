import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeConnections } from './ask.ts'
import { openBench, type Subject } from './bench.ts'
import { type Options, readOptions, usage } from './options.ts'
import { BrokenParity } from './parity.ts'
import { endAll, keepLoadCoreAwake, loadCore } from './processes.ts'
import { Report } from './report.ts'
import { feedLaw } from './subjects/feed-law.ts'
import { mcp } from './subjects/mcp.ts'
import { memory } from './subjects/memory.ts'
import { oneRow } from './subjects/one-row.ts'
import { page } from './subjects/page.ts'
import { pull } from './subjects/pull.ts'
import { refresh } from './subjects/refresh.ts'
import { rejections } from './subjects/rejections.ts'
import { start } from './subjects/start.ts'
import { submit } from './subjects/submit.ts'
import { webhooks } from './subjects/webhooks.ts'
import { pathOf, prepareTools, Unprepared, versionOf } from './tools.ts'

/** Every subject by the name that `--only` takes, in the order in which they run. */
const subjects: Readonly<Record<string, Subject>> = {
  'one-row': oneRow,
  page,
  pull,
  rejections,
  'feed-law': feedLaw,
  start,
  memory,
  refresh,
  submit,
  mcp,
  webhooks,
}

const exit = { ok: 0, failure: 1, usage: 64, unprepared: 69 } as const
const resultsFolder = new URL('out/', import.meta.url)

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env)
  const names = Object.keys(subjects)
  if (!options) {
    process.stdout.write(usage(names))
    return exit.ok
  }
  const unknown = options.only.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`There is no subject ${unknown.join(', ')}. There are: ${names.join(', ')}.\n`)
    return exit.usage
  }
  await prepareTools()
  // This process is the client and the ERP: it must not take time from what is measured.
  execFileSync(pathOf('taskset'), ['-acp', String(loadCore), String(process.pid)])
  const chosen = names.filter((name) => options.only.length === 0 || options.only.includes(name))
  return measured(options, chosen)
}

async function measured(options: Options, chosen: readonly string[]): Promise<number> {
  const before = loadavg()
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'tg-bench-'))
  const report = new Report()
  const bench = openBench(options, folder, report)
  try {
    keepLoadCoreAwake(folder)
    for (const name of chosen) {
      report.progress(`${name} (${Math.round((performance.now() - began) / 1000)} s)`)
      await subjects[name]?.(bench)
    }
  } finally {
    await endAll()
    closeConnections()
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const unsteady = report.unsteady()
  for (const sentence of unsteady) report.note(`NOISY: ${sentence}; the ratios to it are not to be trusted`)
  const load = { before: before.map(rounded), after: loadavg().map(rounded) }
  report.note(`load of the machine: ${load.before.join(' ')} before, ${load.after.join(' ')} after`)
  process.stdout.write(report.text())
  await writeResults(options, report, load, (performance.now() - began) / 1000)
  return unsteady.length > 0 && !options.quick ? exit.failure : exit.ok
}

async function writeResults(options: Options, report: Report, load: unknown, seconds: number): Promise<void> {
  mkdirSync(resultsFolder, { recursive: true })
  const { databaseUrl, ...told } = options
  const results = {
    at: new Date().toISOString(),
    seconds: rounded(seconds),
    options: { ...told, postgres: databaseUrl !== undefined },
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      kernel: release(),
      node: process.version,
      nginx: await versionOf('nginx', '-v'),
      wrk: await versionOf('wrk', '-v'),
      load,
    },
    ...report.json(),
  }
  writeFileSync(new URL('results.json', resultsFolder), `${JSON.stringify(results, null, 2)}\n`)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

function explained(error: unknown): { message: string; code: number } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Unprepared) return { message, code: exit.unprepared }
  if (error instanceof BrokenParity) return { message: `Parity is broken. ${message}`, code: exit.failure }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ERR_PARSE_ARGS')) return { message, code: exit.usage }
  return { message: error instanceof Error ? (error.stack ?? message) : message, code: exit.failure }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAll().then(() => process.exit(exit.failure)))
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { message, code } = explained(error)
    process.stderr.write(`${message}\n`)
    process.exit(code)
  },
)
