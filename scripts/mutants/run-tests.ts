import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Tests } from './named.ts'
import { runProgram } from './run-program.ts'

const maxMessageCharacters = 200

/** What the tests of one run did. */
export interface TestRun {
  readonly passed: readonly TestName[]
  readonly failed: readonly TestName[]
  /** Why a file has no results: it could not be loaded, or it failed outside its tests. */
  readonly broken: string | undefined
  readonly isTimedOut: boolean
}

export interface TestName {
  readonly file: string
  /** The names of the suites and of the test. */
  readonly name: string
}

/** The result of `vitest --reporter=json`, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** Runs tests in a copy of the tree. */
export async function runTests(copy: string, tests: readonly Tests[], timeoutMs: number): Promise<TestRun> {
  const report = join(copy, '.mutants-report.json')
  rmSync(report, { force: true })
  const names = [...new Set(tests.map(({ name }) => name ?? ''))]
  const files = [...new Set(tests.map(({ file }) => file))]
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'scripts/mutants/vitest.config.ts']
  // Modules are transformed again only if their code has changed.
  const output = ['--fsModuleCache', '--reporter=json', `--outputFile=${report}`]
  // One failed test is enough. Without a mutant, all failures are of interest.
  const bail = tests.length === 1 ? ['--bail=1'] : []
  const pattern = names.includes('') ? [] : ['-t', names.map(toPattern).join('|')]
  const { isTimedOut, output: printed } = await runProgram(
    copy,
    [process.execPath, ...program, ...output, ...bail, ...files, ...pattern],
    timeoutMs,
    tests.some(({ isLong }) => isLong) ? { TEST_FAULTS: '1' } : {},
  )
  if (isTimedOut || !existsSync(report))
    return { passed: [], failed: [], broken: isTimedOut ? undefined : toOneLine(printed), isTimedOut }
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
  const select = (status: string) =>
    testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults
        .filter((each) => each.status === status)
        .map(({ fullName }) => ({ file: relative(copy, file), name: fullName })),
    )
  const broken = testResults.find(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
  )
  return {
    passed: select('passed'),
    failed: select('failed'),
    broken: broken && `${relative(copy, broken.name)}: ${toOneLine(broken.message ?? '')}`,
    isTimedOut,
  }
}

/** Builds a pattern for `-t`, which puts ` > ` between the names of suites and test. */
function toPattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '(?: | > )')
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, maxMessageCharacters)
}
