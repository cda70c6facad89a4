import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { describe, expect, it } from 'vitest'
import { readOptions } from './command.ts'
import { computeScore, renderScores, toOneLine } from './score.ts'
import { type Subject, subjects } from './subjects.ts'

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
