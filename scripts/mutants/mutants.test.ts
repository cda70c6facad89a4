import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { describe, expect, it } from 'vitest'
import { readNamedOptions, readOptions } from './command.ts'
import { attributeHooks } from './hook-coverage.ts'
import { type NamedMutant, namedMutants } from './named.ts'
import { applyMutant } from './run-named.ts'
import type { TestRun } from './run-tests.ts'
import { computeScore, listRemarks, listShortfalls, renderScores } from './score.ts'
import { type EquivalentMutant, type Subject, subjects } from './subjects.ts'
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

describe('the code that hooks run', () => {
  it('belongs to each test of their file, apart from what ran while modules were loaded', () => {
    const coverage = {
      static: { loaded: 2, hook: 3, both: 5 } as Record<string, number>,
      perTest: { first: { hook: 1, own: 4 } } as Record<string, Record<string, number>>,
    }
    attributeHooks(coverage, { loaded: 2, both: 1 }, ['first', 'second'])
    expect(coverage).toEqual({
      static: { loaded: 2, both: 1 },
      perTest: { first: { hook: 4, both: 4, own: 4 }, second: { hook: 3, both: 4 } },
    })
  })
})

describe('a score', () => {
  const text = 'export function add(a: number) {\n  return (\n    a + 1\n  )\n}\nadd(a + 1)\n'
  const reason: EquivalentMutant = {
    file: 'src/add.ts',
    within: 'return ( a + 1 )',
    original: 'a + 1',
    replacement: 'a - 1',
    because: 'nobody adds',
  }
  const subject: Subject = {
    name: 'sums',
    guarantee: 'Sums are right.',
    files: ['src/add.ts'],
    suite: [],
    equivalent: [reason],
  }
  const location = { start: { line: 3, column: 5 }, end: { line: 3, column: 10 } }
  const elsewhere = { start: { line: 6, column: 5 }, end: { line: 6, column: 10 } }
  const create = (
    status: 'Killed' | 'RuntimeError' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored',
    replacement: string,
  ) => ({ fileName: '/tree/src/add.ts', location, replacement, status })
  const mutants = [
    ...Array.from({ length: 5 }, () => create('Killed', '')),
    { ...create('RuntimeError', 'b'), statusReason: 'a hook failed\nin a file' },
    { ...create('Timeout', ''), statusReason: 'Hit limit reached (501/500)' },
    create('Timeout', 'c'),
    create('Ignored', ''),
    create('Survived', 'a - 1'),
    create('Survived', 'a * 1'),
    create('NoCoverage', 'a'),
  ]
  const compute = (...more: readonly (typeof mutants)[number][]) =>
    computeScore(subject, [...mutants, ...more], () => text)
  const score = compute()
  const list = (shown: typeof score) => listShortfalls(new Map([['sums', shown]]))

  it('counts a mutant as killed if a test failed or a loop was endless, and not broken, slow or explained ones', () => {
    expect(score).toMatchObject({ killed: 5, endless: 1, percent: (6 / 11) * 100 })
    expect(score.broken).toMatchObject([
      { line: 3, replacement: 'b', message: 'a hook failed\nin a file' },
      { replacement: 'c', message: '' },
    ])
    expect(score.survivors.map(({ because }) => because)).toEqual(['nobody adds', undefined, undefined])
    expect(computeScore(subject, [], () => text).percent).toBe(0)
  })

  it('explains a survivor only where its reason says', () => {
    const other = compute({ ...create('Survived', 'a - 1'), location: elsewhere })
    expect(other.survivors.at(-1)).toMatchObject({ line: 6, original: 'a + 1', because: undefined })
    expect(list(other)).toContain('sums: src/add.ts:6:5 survived without a reason.')
  })

  it('is shown with each mutant that was not killed, its place, its code and its replacement', () => {
    const block = {
      ...create('Survived', '{}'),
      location: { start: { line: 1, column: 32 }, end: { line: 5, column: 2 } },
    }
    expect(compute(block).survivors.at(-1)?.original).toBe('{ return ( a + 1 ) }')
    const shown = renderScores(new Map([['sums', score]]))
    expect(shown).toContain('sums     5       1        2       2         1        54.5 %')
    expect(shown).toContain('  src/add.ts:3:5\n    a + 1\n    → a - 1\n    equivalent: nobody adds')
    expect(shown).toContain('  src/add.ts:3:5 (no test runs it)\n    a + 1\n    → a\n    NO REASON')
    expect(shown).toContain('sums, broken:\n  src/add.ts:3:5\n    a + 1\n    → b\n    a hook failed\n')
    expect(shown).toContain('    → c\n    The tests did not end in time.\n')
  })

  it('is enough only with a reason for each survivor, whatever its share', () => {
    const explained = score.survivors.filter(({ because }) => because !== undefined)
    expect(list({ ...score, percent: 90, survivors: explained })).toEqual([])
    expect(list({ ...score, percent: 99 })).toEqual(
      Array.from({ length: 2 }, () => 'sums: src/add.ts:3:5 survived without a reason.'),
    )
    expect(list({ ...score, percent: 89.9, survivors: [] })).toEqual([
      'sums: 89.9 % of the mutants are killed, and at least 90 % must be.',
    ])
  })

  it('is not enough if runs that broke take the place of tests that failed', () => {
    const judge = (killed: number, broken: number) =>
      list(
        compute(
          ...Array.from({ length: killed }, () => create('Killed', '')),
          ...Array.from({ length: broken }, () => create('RuntimeError', '')),
        ),
      ).filter((sentence) => sentence.includes('%'))
    expect(judge(40, 0)).toEqual([])
    expect(judge(40, 20)).toEqual(['sums: 64.8 % of the mutants are killed, and at least 90 % must be.'])
  })

  it('is not enough with a reason that no longer fits the code', () => {
    const judge = (...equivalent: Subject['equivalent']) =>
      list(computeScore({ ...subject, equivalent }, mutants, () => text)).filter((each) =>
        each.includes('reason'),
      )
    expect(judge(reason, { ...reason, within: 'a + 1' }, { ...reason, replacement: 'a ** 1' })).toEqual([
      ...Array.from({ length: 2 }, () => 'sums: src/add.ts:3:5 survived without a reason.'),
      'sums: src/add.ts has "a + 1" 2 times, and that has "a + 1" once: a reason must name one place.',
      'sums: src/add.ts: no mutant replaces "a + 1" by "a ** 1" in "return ( a + 1 )": remove its reason.',
    ])
  })

  it('has remarks, which fail no run: a slow suite, and a reason that a test has refuted', () => {
    const times = new Map([
      ['sums', 20_000],
      ['products', 21_400],
    ])
    const refuted = compute(create('Killed', 'a - 1'))
    expect(listRemarks(new Map([['sums', refuted]]), times)).toEqual([
      'products: the tests of its suite took 21.4 s, and should take at most 20.0 s.',
      'sums: src/add.ts:3:5 is killed, and has a reason why it cannot be.',
    ])
    expect(list(refuted)).toEqual(list({ ...score, percent: refuted.percent }))
  })
})
