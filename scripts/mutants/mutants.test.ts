import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { describe, expect, it } from 'vitest'
import { readNamedOptions, readOptions } from './command.ts'
import { type NamedMutant, namedMutants } from './named.ts'
import { applyMutant } from './run-named.ts'
import type { TestRun } from './run-tests.ts'
import { computeScore, renderScores, toOneLine } from './score.ts'
import { type Subject, subjects } from './subjects.ts'
import { describeVerdict, judgeRun } from './verdict.ts'

const root = join(import.meta.dirname, '../..')
const readSource = (file: string) => readFileSync(join(root, file), 'utf8')

describe('the subjects', () => {
  it('name files and tests that exist, each file once', () => {
    const files = subjects.flatMap((subject) => subject.files)
    expect(files).toEqual([...new Set(files)])
    for (const file of [...files, ...subjects.flatMap(({ suite }) => suite)])
      expect(existsSync(join(root, file)), file).toBe(true)
  })

  it('explain mutants of code that they still have', () => {
    for (const { equivalent } of subjects)
      for (const { file, original } of equivalent) expect(toOneLine(readSource(file))).toContain(original)
  })
})

describe('the arguments', () => {
  it('choose subjects, all of them without a name', () => {
    expect(readOptions([])).toEqual({ chosen: subjects, force: false })
    expect(readOptions(['quota', '--force'])).toMatchObject({ chosen: [{ name: 'quota' }], force: true })
    expect(readOptions(['--help'])).toBe('usage')
  })

  it('are refused with a sentence if they name a subject or an option that does not exist', () => {
    expect(() => readOptions(['quotas'])).toThrow(new UsageError('There is no subject "quotas".'))
    expect(() => readOptions(['--fast'])).toThrow(UsageError)
  })
})

/** Whether a file has a test with this part of its name. A suite and its test may share the name. */
function hasTest(text: string, name: string): boolean {
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index)
  const isShared = (at: number) =>
    text.includes(`${name.slice(0, at)}'`) && text.includes(`'${name.slice(at + 1)}`)
  return text.includes(name) || spaces.some(isShared)
}

describe('the named mutants', () => {
  it('are at least 30, each with a name of its own', () => {
    const names = namedMutants.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(30)
    expect(names).toEqual([...new Set(names)])
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  })

  it('each change code that occurs once in its file, and all of them together too', () => {
    const texts = new Map<string, string>()
    for (const mutant of namedMutants) {
      expect(applyMutant(mutant, readSource(mutant.file))).not.toBe(readSource(mutant.file))
      texts.set(mutant.file, applyMutant(mutant, texts.get(mutant.file) ?? readSource(mutant.file)))
    }
  })

  it('name tests that exist', () => {
    for (const { name, tests } of namedMutants) {
      expect(existsSync(join(root, tests.file)), tests.file).toBe(true)
      if (tests.name !== undefined) expect(hasTest(readSource(tests.file), tests.name), name).toBe(true)
    }
  })

  it('are chosen by name, all of them without one', () => {
    expect(readNamedOptions([])).toEqual(namedMutants)
    expect(readNamedOptions(['mac-not-checked'])).toMatchObject([{ name: 'mac-not-checked' }])
    expect(readNamedOptions(['--help'])).toBe('usage')
    expect(() => readNamedOptions(['mac'])).toThrow(new UsageError('There is no named mutant "mac".'))
    expect(() => readNamedOptions(['--force'])).toThrow(UsageError)
  })
})

describe('a named mutant', () => {
  const mutant: NamedMutant = {
    name: 'no-lock',
    guard: 'One at a time.',
    file: 'src/lock.ts',
    original: 'lock()',
    replacement: '$&',
    tests: { file: 'src/lock.test.ts' },
  }
  const test = { file: 'src/lock.test.ts', name: 'a lock is held' }
  const run: TestRun = { passed: [], failed: [], broken: undefined, isTimedOut: false }

  it('replaces its code literally, and only where it occurs once', () => {
    expect(applyMutant(mutant, 'await lock()')).toBe('await $&')
    for (const text of ['await unlock', 'lock(); lock()']) expect(() => applyMutant(mutant, text)).toThrow()
  })

  it('is killed by a test that failed, and not by a file that could not be loaded', () => {
    expect(judgeRun(mutant, { ...run, failed: [test], broken: 'x' })).toEqual({
      kind: 'killed',
      by: test.name,
    })
    expect(judgeRun(mutant, { ...run, passed: [test] })).toEqual({ kind: 'survived' })
    expect(judgeRun(mutant, { ...run, broken: 'SyntaxError' })).toMatchObject({ kind: 'invalid' })
    expect(judgeRun(mutant, run)).toMatchObject({ kind: 'invalid' })
  })

  it('is killed by tests that do not end only if that is expected of it', () => {
    const endless = { ...run, isTimedOut: true }
    expect(judgeRun(mutant, endless)).toMatchObject({ kind: 'invalid' })
    expect(judgeRun({ ...mutant, hangs: true }, endless)).toMatchObject({ kind: 'killed' })
  })

  it('is shown in one line', () => {
    expect(describeVerdict(mutant, { kind: 'killed', by: test.name }, 4_210)).toBe(
      'killed no-lock 4.2 s: a lock is held',
    )
    expect(describeVerdict(mutant, { kind: 'survived' }, 90)).toBe('SURVIVED no-lock 0.1 s: One at a time.')
  })
})

describe('a score', () => {
  const text = 'export function add(a: number) {\n  return (\n    a + 1\n  )\n}\n'
  const subject: Subject = {
    name: 'sums',
    guarantee: 'Sums are right.',
    files: ['src/add.ts'],
    suite: [],
    equivalent: [{ file: 'src/add.ts', original: 'a + 1', replacement: 'a - 1', because: 'nobody adds' }],
  }
  const location = { start: { line: 3, column: 5 }, end: { line: 3, column: 10 } }
  const create = (
    status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored',
    replacement: string,
  ) => ({
    fileName: '/tree/src/add.ts',
    location,
    mutatorName: 'ArithmeticOperator',
    replacement,
    status,
  })
  const mutants = [
    ...Array.from({ length: 6 }, () => create('Killed', '')),
    create('Timeout', ''),
    create('Ignored', ''),
    create('Survived', 'a - 1'),
    create('Survived', 'a * 1'),
    create('NoCoverage', 'a'),
  ]
  const score = computeScore(subject, mutants, () => text)

  it('counts a mutant as noticed if a test failed or did not end, and explained ones as survivors', () => {
    expect(score).toMatchObject({ killed: 6, timedOut: 1, percent: 70 })
    expect(score.survivors.map(({ because }) => because)).toEqual(['nobody adds', undefined, undefined])
    expect(computeScore(subject, [], () => text).percent).toBe(0)
  })

  it('is shown with each survivor, its place, its code and its replacement', () => {
    const block = {
      ...create('Survived', '{}'),
      location: { start: { line: 1, column: 32 }, end: { line: 5, column: 2 } },
    }
    expect(computeScore(subject, [block], () => text).survivors[0]?.original).toBe('{ return ( a + 1 ) }')
    const shown = renderScores(new Map([['sums', score]]))
    expect(shown).toContain('sums     6       1          2         1        70.0 %')
    expect(shown).toContain('  src/add.ts:3:5\n    a + 1\n    → a - 1\n    equivalent: nobody adds')
    expect(shown).toContain('  src/add.ts:3:5 (no test runs it)\n    a + 1\n    → a')
  })
})
