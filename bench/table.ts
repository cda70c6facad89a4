import type { ContenderResult, ContestResult } from './contest.ts'
import type { Bound, Line, Verdict } from './target.ts'

/** Compares a figure with its target. */
export function judgeValue(value: number, bound: Bound | undefined): Verdict {
  if (!bound) return 'no target'
  const isKept = (limit: number) => (bound.is === 'at least' ? value >= limit : value <= limit)
  if (bound.stretch !== undefined && isKept(bound.stretch)) return 'stretch met'
  return isKept(bound.must) ? 'met' : 'missed'
}

/** Formats the figures of every contest, then the targets, then the notes. */
export function formatReport(
  contests: readonly ContestResult[],
  lines: readonly Line[],
  notes: readonly string[],
): string {
  const parts = contests.map(({ name, contenders }) => {
    const rounds = contenders[0]?.rounds.length ?? 0
    return `\n${name}, ${rounds} rounds\n${formatColumns([figureHeads, ...contenders.map(formatFigures)])}`
  })
  if (lines.length > 0) parts.push(`\nTargets\n${formatColumns([targetHeads, ...lines.map(formatTarget)])}`)
  if (notes.length > 0) parts.push(`\n${notes.map((note) => `- ${note}\n`).join('')}`)
  return parts.join('')
}

const figureHeads = ['', 'CPU µs', 'repeat', 'per second', 'core', 'others', 'idle ms', 'p50 ms', 'p99 ms']

function formatFigures(each: ContenderResult): string[] {
  return [
    `${each.name}${each.isReference ? ' *' : ''}`,
    formatFigure(each.cpuUs, 1),
    formatPercent(each.cpuRepeat),
    each.perSecond < 1_000 ? each.perSecond.toFixed(1) : Math.round(each.perSecond).toLocaleString('en'),
    formatPercent(each.coreUse),
    formatPercent(each.othersUse),
    each.idleMs.toFixed(1),
    formatFigure(each.p50Us / 1_000, 2),
    formatFigure(each.p99Us / 1_000, 2),
  ]
}

const targetHeads = ['', 'figure', '95 % interval', 'repeat', 'must', 'stretch', 'verdict', 'detail']

function formatTarget({
  target,
  value,
  unit,
  interval,
  repeat,
  bound,
  verdict,
  detail = '',
}: Line): string[] {
  const sign = bound?.is === 'at least' ? '≥' : '≤'
  const formatLimit = (number: number | undefined) => (number === undefined ? '–' : `${sign} ${number}`)
  return [
    target,
    `${formatValue(value, unit)} ${unit}`,
    interval.map((end) => formatValue(end, unit)).join('–'),
    repeat === undefined ? '–' : formatPercent(repeat),
    formatLimit(bound?.must),
    formatLimit(bound?.stretch),
    verdict,
    detail,
  ]
}

function formatValue(value: number, unit: Line['unit']): string {
  return value.toFixed(unit === '×' || unit === 's' ? 2 : value < 10 ? 1 : 0)
}

/** Formats a figure, or a dash if the contender does not have it. */
function formatFigure(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–'
}

function formatPercent(share: number): string {
  if (!Number.isFinite(share)) return '–'
  return `${(share * 100).toFixed(0)} %`
}

/** Pads columns to their widest cell. The first column and `detail` are left-aligned, numbers right-aligned. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const heads = rows[0] ?? []
  const isText = (column: number) => column === 0 || heads[column] === 'detail'
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0
        return isText(column) ? cell.padEnd(width) : cell.padStart(width)
      })
      return `  ${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}
