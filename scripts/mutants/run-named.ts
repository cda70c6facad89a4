/** Runs named mutants (`named.ts`), each alone, in a copy of the tree. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '@trade-gateway/connector-kit/command-line'
import { copyTree } from './copy-tree.ts'
import type { NamedMutant } from './named.ts'
import { runProgram } from './run-program.ts'
import { runTests, type TestName, type TestRun } from './run-tests.ts'
import { describeVerdict, judgeRun, mutantTimeoutMs, type Verdict } from './verdict.ts'

/** The longest time that all tests together may take without a mutant. */
const baselineTimeoutMs = 900_000
const typesTimeoutMs = 300_000

/** Why no mutant can be judged. The message explains it completely. */
export class NamedMutantsError extends Error {}

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
    const verdicts = await runEach(copy, mutants)
    const count = (kind: Verdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length
    const [killed, survived, invalid] = [count('killed'), count('survived'), count('invalid')]
    print(`\n${killed} killed, ${survived} survived, ${invalid} invalid, ${left.length} left out`)
    // One that was left out is not known to be killed.
    return killed === chosen.length ? exitCodes.ended : exitCodes.failed
  } finally {
    remove()
    process.off('SIGINT', stop).off('SIGTERM', stop).off('exit', remove)
  }
}

async function runEach(copy: string, mutants: readonly NamedMutant[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const mutant of mutants) {
    const began = performance.now()
    const verdict = judgeRun(mutant, await runMutant(copy, mutant))
    verdicts.push(verdict)
    const line = describeVerdict(mutant, verdict, performance.now() - began)
    print(`${verdicts.length}/${mutants.length} ${line}`)
  }
  return verdicts
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

/** Checks the types with all mutants at once, because a test also fails at code that can never run. */
async function checkTypes(copy: string, mutants: readonly NamedMutant[]): Promise<void> {
  const before = new Map(mutants.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  const after = new Map(before)
  for (const mutant of mutants) after.set(mutant.file, applyMutant(mutant, after.get(mutant.file) ?? ''))
  for (const [file, text] of after) writeFileSync(join(copy, file), text)
  const { code, output } = await runProgram(copy, ['node_modules/.bin/tsc', '-p', '.'], typesTimeoutMs)
  for (const [file, text] of before) writeFileSync(join(copy, file), text)
  if (code !== 0) throw new NamedMutantsError(`The types are wrong with the mutants:\n${output}`)
}

/** Runs the tests of all mutants without any. Throws unless all pass, and each mutant has at least one. */
async function runBaseline(copy: string, mutants: readonly NamedMutant[]): Promise<void> {
  const began = performance.now()
  const all = mutants.map(({ tests }) => tests)
  const passed: TestName[] = []
  for (const some of [all.filter(({ isLong }) => !isLong), all.filter(({ isLong }) => isLong)]) {
    if (some.length === 0) continue
    const run = await runTests(copy, some, baselineTimeoutMs)
    if (run.isTimedOut) throw new NamedMutantsError('The tests do not end without a mutant.')
    const failures = [
      ...run.failed.map(({ file, name }) => `${file}: ${name}`),
      ...(run.broken ? [run.broken] : []),
    ]
    if (failures.length > 0)
      throw new NamedMutantsError(`Without a mutant, tests fail:\n${failures.join('\n')}`)
    passed.push(...run.passed)
  }
  const untested = mutants.filter(
    ({ tests }) => !passed.some(({ file, name }) => file === tests.file && name.includes(tests.name ?? '')),
  )
  if (untested.length > 0) {
    const lines = untested.map(({ name, tests }) => `${name}: ${tests.file}: ${tests.name ?? ''}`)
    throw new NamedMutantsError(`These have no test that passes without a mutant:\n${lines.join('\n')}`)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  print(`${passed.length} tests pass without a mutant, ${seconds} s\n`)
}

/** Replaces the code of a mutant in the text of its file. Throws unless the code occurs exactly once. */
export function applyMutant({ name, file, original, replacement }: NamedMutant, text: string): string {
  const count = text.split(original).length - 1
  if (count !== 1)
    throw new NamedMutantsError(
      `${name}: the original must occur once in ${file}, not ${count} times:\n${original}`,
    )
  return text.replace(original, () => replacement)
}

/** Why a mutant cannot be judged on this machine; undefined if it can. */
function findMissing({ tests }: NamedMutant): string | undefined {
  return tests.needsPostgres && !process.env.TEST_DATABASE_URL ? 'TEST_DATABASE_URL is not set' : undefined
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
