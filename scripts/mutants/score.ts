import type { MutantResult } from '@stryker-mutator/api/core'
import { isExplainedBy, listStaleReasons, type Mutation, toSingleSpaces } from './reasons.ts'
import type { Subject } from './subjects.ts'

/**
 * The share of its mutants, in percent, that a failed test or an endless loop must notice. Survivors count against it
 * even with a reason, so that reasons cannot take the place of tests.
 */
export const minScore = 90

/** The longest time that the tests of a suite should take. */
export const maxSuiteMs = 20_000

/** A mutant as the list shows it. */
export interface Listed extends Mutation {
  readonly line: number
  readonly column: number
}

/** A mutant that no test noticed. */
export interface Survivor extends Listed {
  /** Whether a test of the suite ran the code. */
  readonly isCovered: boolean
  /** Why no test can notice it; undefined if nobody has said why. */
  readonly because: string | undefined
}

/** A mutant that no test judged. */
export interface Broken extends Listed {
  /** What the run said; empty if it did not end in time. */
  readonly message: string
}

export interface Score {
  readonly killed: number
  /** Mutants with an endless loop, which is found by counting. They count as killed. */
  readonly endless: number
  /**
   * Mutants with which a hook of the tests failed, a file could not be loaded, or the tests did not end in time. A hook
   * fails for other reasons too, and a slow machine takes long for any mutant, so these do not count as killed.
   */
  readonly broken: readonly Broken[]
  readonly survivors: readonly Survivor[]
  /** The share of mutants that were killed, in percent. */
  readonly percent: number
  /** The reasons that do not fit the code any more, each as a sentence. */
  readonly staleReasons: readonly string[]
  /** The reasons of mutants that a test has killed, each as a sentence. */
  readonly refutedReasons: readonly string[]
}

type Mutant = Pick<MutantResult, 'fileName' | 'location' | 'replacement' | 'status'> &
  Partial<Pick<MutantResult, 'statusReason'>>

/** Computes the score of a subject. `read` returns the text of a file of the subject. */
export function computeScore(
  subject: Subject,
  mutants: readonly Mutant[],
  read: (file: string) => string,
): Score {
  const select = (...statuses: readonly Mutant['status'][]) =>
    mutants.filter(({ status }) => statuses.includes(status))
  const list = (each: Mutant) => toListed(subject, each, read)
  const findReason = (each: Mutation) =>
    subject.equivalent.find((reason) => isExplainedBy(reason, each, read(each.file)))
  const killed = select('Killed')
  const endless = select('Timeout').filter(isEndless).length
  const broken = select('RuntimeError', 'Timeout')
    .filter((each) => !isEndless(each))
    .map((each) => ({ ...list(each), message: each.statusReason ?? '' }))
  const survivors = select('Survived', 'NoCoverage').map((each) => {
    const listed = list(each)
    return { ...listed, isCovered: each.status === 'Survived', because: findReason(listed)?.because }
  })
  const noticed = killed.length + endless
  const judged = noticed + broken.length + survivors.length
  const percent = judged === 0 ? 0 : (noticed / judged) * 100
  const staleReasons = listStaleReasons(subject.equivalent, mutants.map(list), read)
  const refutedReasons = killed
    .map(list)
    .filter((each) => findReason(each))
    .map(
      ({ file, line, column }) => `${file}:${line}:${column} is killed, and has a reason why it cannot be.`,
    )
  return { killed: killed.length, endless, broken, survivors, percent, staleReasons, refutedReasons }
}

/** Whether the changed code ran more than a hundred times as often as in the run without a mutant. */
function isEndless({ statusReason = '' }: Mutant): boolean {
  return statusReason.startsWith('Hit limit reached')
}

function toListed(subject: Subject, mutant: Mutant, read: (file: string) => string): Listed {
  const { start, end } = mutant.location
  const file = subject.files.find((each) => mutant.fileName.endsWith(each)) ?? mutant.fileName
  const text = read(file)
  const from = toIndex(text, start)
  return {
    file,
    line: start.line,
    column: start.column,
    at: toSingleSpaces(text.slice(0, from)).length,
    original: toOneLine(text.slice(from, toIndex(text, end))),
    replacement: toOneLine(mutant.replacement),
  }
}

/** Returns the index of a position, whose line and column count from 1. */
function toIndex(text: string, { line, column }: Mutant['location']['start']): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((sum, { length }) => sum + length + 1, column - 1)
}

/** Writes code in one line with single spaces. */
function toOneLine(code: string): string {
  return toSingleSpaces(code).trim()
}

/** Lists why the scores are not enough, each as a sentence; empty if they are. */
export function listShortfalls(scores: ReadonlyMap<string, Score>): string[] {
  return [...scores].flatMap(([name, { percent, survivors, staleReasons }]) => [
    ...(percent < minScore
      ? [`${name}: ${percent.toFixed(1)} % of the mutants are killed, and at least ${minScore} % must be.`]
      : []),
    ...survivors
      .filter(({ because }) => because === undefined)
      .map(({ file, line, column }) => `${name}: ${file}:${line}:${column} survived without a reason.`),
    ...staleReasons.map((sentence) => `${name}: ${sentence}`),
  ])
}

/**
 * Lists what a reader should look at, each as a sentence. It does not fail a run: a slow machine can make a test fail or
 * a suite slow, and time never decides a verdict.
 */
export function listRemarks(
  scores: ReadonlyMap<string, Score>,
  suiteMs: ReadonlyMap<string, number>,
): string[] {
  const refuted = [...scores].flatMap(([name, { refutedReasons }]) =>
    refutedReasons.map((sentence) => `${name}: ${sentence}`),
  )
  return [...listSlowSuites(suiteMs), ...refuted]
}

/** Lists the suites whose tests took too long, each as a sentence. `suiteMs` is the time by the subject's name. */
function listSlowSuites(suiteMs: ReadonlyMap<string, number>): string[] {
  return [...suiteMs]
    .filter(([, ms]) => ms > maxSuiteMs)
    .map(([name, ms]) => {
      const [took, most] = [ms, maxSuiteMs].map((each) => (each / 1_000).toFixed(1))
      return `${name}: the tests of its suite took ${took} s, and should take at most ${most} s.`
    })
}

/** Renders the scores as a table, and below it each mutant that was not killed. */
export function renderScores(scores: ReadonlyMap<string, Score>): string {
  const columns = ['subject', 'killed', 'endless', 'broken', 'survived', 'no test', 'score']
  const rows = [...scores].map(([name, { killed, endless, broken, survivors, percent }]) => {
    const uncovered = survivors.filter(({ isCovered }) => !isCovered).length
    const counts = [killed, endless, broken.length, survivors.length - uncovered, uncovered]
    return [name, ...counts.map(String), `${percent.toFixed(1)} %`]
  })
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const table = [columns, ...rows].map((row) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '),
  )
  const lists = [...scores].flatMap(([name, { survivors, broken }]) => [
    ...(survivors.length === 0 ? [] : ['', `${name}:`, ...survivors.map(renderSurvivor)]),
    ...(broken.length === 0 ? [] : ['', `${name}, broken:`, ...broken.map(renderBroken)]),
  ])
  return [...table.map((line) => line.trimEnd()), ...lists, ''].join('\n')
}

function renderSurvivor({ isCovered, because, ...listed }: Survivor): string {
  const reason = because === undefined ? 'NO REASON' : `equivalent: ${because}`
  return renderMutant(listed, isCovered ? '' : ' (no test runs it)', reason)
}

/** The first line of a message says what failed; the others are a stack. */
function renderBroken({ message, ...listed }: Broken): string {
  const [first = ''] = message.trim().split('\n', 1)
  return renderMutant(listed, '', first === '' ? 'The tests did not end in time.' : first)
}

function renderMutant(
  { file, line, column, original, replacement }: Listed,
  note: string,
  why: string,
): string {
  return `  ${file}:${line}:${column}${note}\n    ${original}\n    → ${replacement}\n    ${why}`
}
