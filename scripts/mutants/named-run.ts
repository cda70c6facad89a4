/** Runs named mutants (`named.ts`), each alone, in a copy of the tree. */

import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { exitCodes } from '@trade-gateway/connector-kit/command-line'
import type { NamedMutant, Tests } from './named.ts'

/** The longest time that the tests of one mutant may take. They take seconds, more on a busy machine. */
export const mutantTimeoutMs = 120_000
/** The longest time that all tests together may take without a mutant. */
const baselineTimeoutMs = 900_000
const typesTimeoutMs = 300_000
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

export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  /** The tests say nothing about the mutant. */
  | { readonly kind: 'invalid'; readonly why: string }

/** Judges a mutant by the run of its tests. Only a test that failed kills it, or an endless run if it `hangs`. */
export function judgeRun({ hangs }: NamedMutant, run: TestRun): Verdict {
  const [first] = run.failed
  if (first) return { kind: 'killed', by: first.name }
  if (run.isTimedOut) {
    if (hangs) return { kind: 'killed', by: 'the tests did not end' }
    return { kind: 'invalid', why: `the tests did not end within ${mutantTimeoutMs / 1000} s` }
  }
  if (run.broken !== undefined) return { kind: 'invalid', why: `no test failed, but: ${run.broken}` }
  if (run.passed.length === 0) return { kind: 'invalid', why: 'no test ran' }
  return { kind: 'survived' }
}

/** Replaces the code of a mutant in the text of its file. Throws unless the code occurs exactly once. */
export function applyMutant({ name, file, original, replacement }: NamedMutant, text: string): string {
  const count = text.split(original).length - 1
  if (count !== 1)
    throw new Error(`${name}: the original must occur once in ${file}, not ${count} times:\n${original}`)
  return text.replace(original, () => replacement)
}

/** Why a mutant cannot be judged on this machine; undefined if it can. */
function findMissing({ tests }: NamedMutant): string | undefined {
  return tests.needsPostgres && !process.env.TEST_DATABASE_URL ? 'TEST_DATABASE_URL is not set' : undefined
}

/**
 * Runs the tests without a mutant and then with each one, and prints a line for each. Returns the exit code. `copy` is
 * the folder for the copy of the tree, which is deleted at the end.
 */
export async function runNamed(root: string, copy: string, chosen: readonly NamedMutant[]): Promise<number> {
  const left = chosen.filter(findMissing)
  const mutants = chosen.filter((mutant) => !left.includes(mutant))
  for (const mutant of left) print(`left out ${mutant.name}: ${findMissing(mutant)}`)
  // Ends this process in a way that runs the `exit` listeners.
  const stop = () => process.exit(exitCodes.failed)
  const remove = () => rmSync(copy, { recursive: true, force: true })
  process.once('SIGINT', stop).once('SIGTERM', stop).once('exit', remove)
  try {
    copyTree(root, copy)
    await checkTypes(copy, mutants)
    await runBaseline(copy, mutants)
    return await runEach(copy, mutants)
  } finally {
    remove()
    process.off('SIGINT', stop).off('SIGTERM', stop).off('exit', remove)
  }
}

async function runEach(copy: string, mutants: readonly NamedMutant[]): Promise<number> {
  const verdicts: Verdict[] = []
  for (const mutant of mutants) {
    const began = performance.now()
    const verdict = judgeRun(mutant, await runMutant(copy, mutant))
    verdicts.push(verdict)
    print(
      `${verdicts.length}/${mutants.length} ${describeVerdict(mutant, verdict, performance.now() - began)}`,
    )
  }
  const count = (kind: Verdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length
  print(`\n${count('killed')} killed, ${count('survived')} survived, ${count('invalid')} invalid`)
  return count('killed') === mutants.length ? exitCodes.ended : exitCodes.failed
}

export function describeVerdict({ name, guard }: NamedMutant, verdict: Verdict, ms: number): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`
  if (verdict.kind === 'killed') return `killed ${name} ${seconds}: ${verdict.by}`
  if (verdict.kind === 'survived') return `SURVIVED ${name} ${seconds}: ${guard}`
  return `INVALID ${name} ${seconds}: ${verdict.why}`
}

async function runMutant(copy: string, mutant: NamedMutant): Promise<TestRun> {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, applyMutant(mutant, text))
  try {
    return await runTests(copy, [mutant.tests], mutantTimeoutMs)
  } finally {
    writeFileSync(path, text)
  }
}

/** Copies the files that git knows or would add. Packages of this repository are linked within the copy. */
function copyTree(root: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const file of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each))))
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  const [from, to, own] = [join(root, 'node_modules'), join(copy, 'node_modules'), '@trade-gateway']
  mkdirSync(join(to, own), { recursive: true })
  for (const name of readdirSync(join(from, own)))
    symlinkSync(readlinkSync(join(from, own, name)), join(to, own, name))
  // Caches, whose names begin with a dot, stay those of the tree.
  for (const name of readdirSync(from).filter(
    (each) => each !== own && (each === '.bin' || !each.startsWith('.')),
  ))
    symlinkSync(join(from, name), join(to, name))
}

/** Checks the types with all mutants at once, because a test also fails at code that can never run. */
async function checkTypes(copy: string, mutants: readonly NamedMutant[]): Promise<void> {
  const before = new Map(mutants.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  const after = new Map(before)
  for (const mutant of mutants) after.set(mutant.file, applyMutant(mutant, after.get(mutant.file) ?? ''))
  for (const [file, text] of after) writeFileSync(join(copy, file), text)
  const { code, output } = await runProgram(copy, ['node_modules/.bin/tsc', '-p', '.'], typesTimeoutMs)
  for (const [file, text] of before) writeFileSync(join(copy, file), text)
  if (code !== 0) throw new Error(`The types are wrong with the mutants:\n${output}`)
}

/** Runs the tests of all mutants without any. Throws unless all pass, and each mutant has at least one. */
async function runBaseline(copy: string, mutants: readonly NamedMutant[]): Promise<void> {
  const began = performance.now()
  const all = mutants.map(({ tests }) => tests)
  const passed: TestName[] = []
  for (const some of [all.filter(({ isLong }) => !isLong), all.filter(({ isLong }) => isLong)]) {
    if (some.length === 0) continue
    const run = await runTests(copy, some, baselineTimeoutMs)
    if (run.isTimedOut) throw new Error('The tests do not end without a mutant.')
    const failures = [
      ...run.failed.map(({ file, name }) => `${file}: ${name}`),
      ...(run.broken ? [run.broken] : []),
    ]
    if (failures.length > 0) throw new Error(`Without a mutant, tests fail:\n${failures.join('\n')}`)
    passed.push(...run.passed)
  }
  const untested = mutants.filter(
    ({ tests }) => !passed.some(({ file, name }) => file === tests.file && name.includes(tests.name ?? '')),
  )
  if (untested.length > 0) {
    const lines = untested.map(({ name, tests }) => `${name}: ${tests.file}: ${tests.name ?? ''}`)
    throw new Error(`These have no test that passes without a mutant:\n${lines.join('\n')}`)
  }
  print(
    `${passed.length} tests pass without a mutant, ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
  )
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

async function runTests(copy: string, tests: readonly Tests[], timeoutMs: number): Promise<TestRun> {
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

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly isTimedOut: boolean
}

/** Runs a program in a process group of its own, so that a timeout also ends the processes that it started. */
function runProgram(
  cwd: string,
  [command = '', ...args]: readonly string[],
  timeoutMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  let isTimedOut = false
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    kill()
  }, timeoutMs)
  process.once('exit', kill)
  child.once('error', reject)
  child.once('close', (code) => {
    clearTimeout(timer)
    process.off('exit', kill)
    resolve({ code, output, isTimedOut })
  })
  return promise
}

/** Builds a pattern for `-t`, which puts ` > ` between the names of suites and test. */
function toPattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '(?: | > )')
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, maxMessageCharacters)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
