import type { MutantResult } from '@stryker-mutator/api/core'
import type { EquivalentMutant, Subject } from './subjects.ts'

/** The share of its mutants, in percent, that a subject's suite must kill. */
export const minScore = 90

/** A mutant that no test noticed. */
export interface Survivor {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly mutator: string
  readonly original: string
  readonly replacement: string
  /** Whether a test of the suite ran the code. */
  readonly isCovered: boolean
  /** Why no test can notice it; undefined if nobody has said why. */
  readonly because: string | undefined
}

export interface Score {
  readonly killed: number
  /** Mutants whose tests did not end. They count as killed. */
  readonly timedOut: number
  readonly survivors: readonly Survivor[]
  /** The share of mutants that were noticed, in percent. */
  readonly percent: number
}

type Mutant = Pick<MutantResult, 'fileName' | 'location' | 'mutatorName' | 'replacement' | 'status'>

/** Computes the score of a subject. `read` returns the text of a file of the subject. */
export function computeScore(
  subject: Subject,
  mutants: readonly Mutant[],
  read: (file: string) => string,
): Score {
  const count = (status: Mutant['status']) => mutants.filter((mutant) => mutant.status === status).length
  const killed = count('Killed')
  const timedOut = count('Timeout')
  const survivors = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((mutant) => toSurvivor(subject, mutant, read))
  const judged = killed + timedOut + survivors.length
  const percent = judged === 0 ? 0 : ((killed + timedOut) / judged) * 100
  return { killed, timedOut, survivors, percent }
}

function toSurvivor(subject: Subject, mutant: Mutant, read: (file: string) => string): Survivor {
  const { start } = mutant.location
  const file = subject.files.find((each) => mutant.fileName.endsWith(each)) ?? mutant.fileName
  const original = toOneLine(cutOut(read(file), mutant.location))
  const replacement = toOneLine(mutant.replacement)
  return {
    file,
    line: start.line,
    column: start.column,
    mutator: mutant.mutatorName,
    original,
    replacement,
    isCovered: mutant.status === 'Survived',
    because: findReason(subject.equivalent, { file, original, replacement }),
  }
}

function findReason(
  equivalent: readonly EquivalentMutant[],
  survivor: Pick<EquivalentMutant, 'file' | 'original' | 'replacement'>,
): string | undefined {
  return equivalent.find(
    ({ file, original, replacement }) =>
      file === survivor.file && original === survivor.original && replacement === survivor.replacement,
  )?.because
}

/** Returns the text at a location, whose lines and columns count from 1. */
function cutOut(text: string, { start, end }: Mutant['location']): string {
  const lines = text.split('\n').slice(start.line - 1, end.line)
  return lines
    .map((line, index) => (index === lines.length - 1 ? line.slice(0, end.column - 1) : line))
    .map((line, index) => (index === 0 ? line.slice(start.column - 1) : line))
    .join('\n')
}

/** Writes code in one line with single spaces. */
export function toOneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim()
}

/** Renders the scores as a table, and below it each survivor. */
export function renderScores(scores: ReadonlyMap<string, Score>): string {
  const columns = ['subject', 'killed', 'timed out', 'survived', 'no test', 'score']
  const rows = [...scores].map(([name, { killed, timedOut, survivors, percent }]) => {
    const uncovered = survivors.filter(({ isCovered }) => !isCovered).length
    const counts = [killed, timedOut, survivors.length - uncovered, uncovered]
    return [name, ...counts.map(String), `${percent.toFixed(1)} %`]
  })
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const table = [columns, ...rows].map((row) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '),
  )
  const lists = [...scores].flatMap(([name, { survivors }]) =>
    survivors.length === 0 ? [] : ['', `${name}:`, ...survivors.map(renderSurvivor)],
  )
  return [...table.map((line) => line.trimEnd()), ...lists, ''].join('\n')
}

function renderSurvivor({ file, line, column, original, replacement, isCovered, because }: Survivor): string {
  const place = `  ${file}:${line}:${column}${isCovered ? '' : ' (no test runs it)'}`
  const reason = because === undefined ? '' : `\n    equivalent: ${because}`
  return `${place}\n    ${original}\n    → ${replacement}${reason}`
}
