import { describe, expect, it } from 'vitest'
import { findMissingTests, renderGeneratedFiles } from './command.ts'
import { type Figures, readFigures, securityPath } from './pages.ts'
import { computeFigure, readRun } from './report.ts'

const promised = { en: 'It holds.', zh: '成立。', ko: '성립합니다.' }
const groups = {
  orders: {
    I1: { ...promised, triedBy: { 'a.test.ts': ['a crash $point', 'a kill'] } },
    I2: { ...promised, triedBy: {} },
  },
}
const marks = '# Security\n\n<!-- promises: written by npm run promises -->\n<!-- /promises -->\n\nThe end.\n'
const none: Figures = { date: '', commit: '', byPromise: new Map() }

function createReport(...tests: readonly [name: string, status: string, ...figures: string[]][]): string {
  const assertionResults = tests.map(([title, status, ...texts]) => ({
    ancestorTitles: ['orders'],
    title,
    status,
    meta: { figures: texts.map((text) => ({ promises: ['I1'], text })) },
  }))
  return JSON.stringify({ startTime: 1, testResults: [{ name: '/root/a.test.ts', assertionResults }] })
}
const computeOrderFigure = (...reports: string[]) =>
  computeFigure('I1', groups.orders.I1, readRun(reports, '/root'))

describe('the figure of a promise', () => {
  it('counts the tests that ran under its names, and has what they reported', () => {
    const text = createReport(
      ['a crash after the intent', 'passed', '3 crashes'],
      ['a kill', 'failed'],
      ['other', 'passed', 'no'],
    )
    expect(computeOrderFigure(text)).toEqual({ passed: 1, ran: 2, texts: ['3 crashes'] })
  })

  it('counts no test that was left out, and is none where no test ran', () => {
    expect(computeOrderFigure(createReport(['a kill', 'skipped']))).toBeUndefined()
    expect(
      computeFigure('I2', groups.orders.I2, readRun([createReport(['a kill', 'passed'])], '/root')),
    ).toBeUndefined()
  })

  it('has a test of several reports once, as the last one has it', () => {
    const [first, second] = [
      createReport(['a kill', 'failed', '1 kill']),
      createReport(['a kill', 'passed', '2 kills']),
    ]
    expect(computeOrderFigure(first, second)).toEqual({ passed: 1, ran: 1, texts: ['2 kills'] })
    expect(computeOrderFigure(second, createReport(['a kill', 'skipped']))).toEqual({
      passed: 1,
      ran: 1,
      texts: ['2 kills'],
    })
  })

  it('is in the pages and is read back from the English one', () => {
    const figures: Figures = {
      date: '2026-11-23',
      commit: 'abc1234',
      byPromise: new Map([['I1', { passed: 1, ran: 2, texts: ['3 crashes; 0 | violations', '2 kills'] }]]),
    }
    const files = renderGeneratedFiles(groups, figures, () => marks)
    const row = '| I1 | It holds. | `a.test.ts` | `3 crashes; 0 violations` `2 kills` 1 of 2 tests passed |'
    expect(files.get('docs/en/promises.md')).toContain(row)
    expect(files.get(securityPath)).toContain(row)
    expect(files.get(securityPath)?.endsWith('\n\nThe end.\n')).toBe(true)
    const again = renderGeneratedFiles(groups, readFigures(files.get('docs/en/promises.md')), (file) =>
      files.get(file),
    )
    expect(again).toEqual(files)
  })
})

describe('the list of promises', () => {
  it('says which tests are not there', () => {
    expect(findMissingTests(groups, () => "it('a kill'); describe.each(x)('a crash $point')")).toEqual([])
    expect(findMissingTests(groups, () => "it('a kill')")).toEqual([
      'I1: a.test.ts has no test "a crash $point"',
    ])
    expect(findMissingTests(groups, () => undefined)).toEqual(['I1: a.test.ts does not exist'])
  })

  it('shows what is not tried yet, in each language', () => {
    const files = renderGeneratedFiles(groups, none, () => marks)
    expect(files.get('docs/en/promises.md')).toContain('| I2 | It holds. | — | not tried yet |')
    expect(files.get('docs/zh/promises.md')).toContain('| I2 | 成立。 | — | 尚未检验 |')
    expect(files.get('docs/ko/promises.md')).toContain('| I2 | 성립합니다. | — | 아직 검증하지 않음 |')
  })
})
