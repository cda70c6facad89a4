import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { promises } from '../../packages/gateway/tests/promises/list.ts'
import {
  type Figures,
  type Groups,
  getPagePath,
  readFigures,
  renderPages,
  renderSecurity,
  securityPath,
} from './pages.ts'
import { computeFigure, type Figure, type Run, readRun } from './report.ts'

const usage = `Usage: npm run promises -- [--report FILE]... [--check | --print]

Writes docs/*/promises.md and the table of SECURITY.md from packages/gateway/tests/promises.

  --report FILE  takes the figures from a report of the tests, as TEST_REPORT=FILE npm test writes it.
                 Give every report of the run. A promise whose tests are in none of them keeps its figure.
  --check        writes nothing. Exit code 1 if a promise names a test that does not exist, or if the pages do not
                 say what the list says. Figures are not compared.
  --print        writes nothing and prints the figures of the reports. Exit code 1 if a promise has tests and none
                 of them ran, or one failed.
`
const root = join(import.meta.dirname, '../..')
const usageExit = 64

/** Finds the tests that a promise names but that its test files do not have. Returns a sentence for each. */
export function findMissingTests(groups: Groups, read: (file: string) => string | undefined): string[] {
  return Object.values(groups)
    .flatMap((group) => Object.entries(group))
    .flatMap(([id, { triedBy }]) =>
      Object.entries(triedBy).flatMap(([file, names]: [string, readonly string[]]) => {
        const text = read(file)
        if (text === undefined) return [`${id}: ${file} does not exist`]
        if (names.length === 0) return [`${id}: no test of ${file} is named`]
        return names
          .filter((name) => !text.includes(`'${name}`) && !text.includes(`\`${name}`))
          .map((name) => `${id}: ${file} has no test "${name}"`)
      }),
    )
}

/** Renders the text of each generated file, by path. */
export function renderGeneratedFiles(
  groups: Groups,
  figures: Figures,
  read: (file: string) => string | undefined,
): Map<string, string> {
  const pages = renderPages(groups, figures)
  return pages.set(securityPath, renderSecurity(read(securityPath) ?? '', groups, figures))
}

function readFile(file: string): string | undefined {
  const path = join(root, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function readReports(files: readonly string[]): Run {
  return readRun(
    files.map((file) => readFileSync(file, 'utf8')),
    root,
  )
}

function computeNextFigures(groups: Groups, reports: readonly string[], before: Figures): Figures {
  if (reports.length === 0) return before
  const run = readReports(reports)
  const byPromise = new Map<string, Figure>(before.byPromise)
  for (const [id, promised] of Object.values(groups).flatMap((group) => Object.entries(group))) {
    const figure = computeFigure(id, promised, run)
    if (figure) byPromise.set(id, figure)
  }
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return { date: new Date(run.startedAt).toISOString().slice(0, 10), commit: commit.trim(), byPromise }
}

function checkFiles(files: ReadonlyMap<string, string>): number {
  const problems = [
    ...findMissingTests(promises, readFile),
    ...[...files]
      .filter(([file, text]) => readFile(file) !== text)
      .map(([file]) => `${file} is out of date: npm run promises`),
  ]
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  return problems.length === 0 ? 0 : 1
}

/** Prints the figures of each promise in the reports. Returns the exit code. */
function printFigures(groups: Groups, { trials, startedAt }: Run): number {
  let failures = 0
  for (const [id, promised] of Object.values(groups).flatMap((group) => Object.entries(group))) {
    if (Object.keys(promised.triedBy).length === 0) continue
    const figure = computeFigure(id, promised, { trials, startedAt })
    if (!figure || figure.passed < figure.ran) failures += 1
    const result = figure ? `${figure.passed} of ${figure.ran} tests passed` : 'NOT RUN'
    process.stdout.write(`${[`${id}: ${result}`, ...(figure?.texts ?? [])].join('\n  ')}\n`)
  }
  return failures === 0 ? 0 : 1
}

function runPromises(): number {
  const { values } = parseArgs({
    options: {
      report: { type: 'string', multiple: true, default: [] },
      check: { type: 'boolean', default: false },
      print: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  if (values.print) return printFigures(promises, readReports(values.report))
  const figures = computeNextFigures(promises, values.report, readFigures(readFile(getPagePath('en'))))
  const files = renderGeneratedFiles(promises, figures, readFile)
  if (values.check) return checkFiles(files)
  for (const [file, text] of files) writeFileSync(join(root, file), text)
  process.stdout.write(`${[...files.keys()].join(', ')} are written.\n`)
  return 0
}

if (import.meta.main) {
  try {
    process.exitCode = runPromises()
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nTry: npm run promises -- --help\n`,
    )
    process.exitCode = usageExit
  }
}
