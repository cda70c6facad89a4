import type { Contest, Measured } from './contest.ts'
import type { Bound, Line } from './report.ts'

export type Verdict = 'met' | 'stretch met' | 'missed' | 'told'

/** How a figure stands to its target. */
export function verdictOf(value: number, bound: Bound | undefined): Verdict {
  if (!bound) return 'told'
  const holds = (limit: number) => (bound.is === 'at least' ? value >= limit : value <= limit)
  if (bound.stretch !== undefined && holds(bound.stretch)) return 'stretch met'
  return holds(bound.must) ? 'met' : 'missed'
}

/** The figures of every contest, then the targets, then the notes. */
export function printed(
  contests: readonly Contest[],
  lines: readonly Line[],
  notes: readonly string[],
): string {
  const parts = contests.map(
    ({ name, contenders }) => `\n${name}\n${columns([figureHeads, ...contenders.map(figuresOf)])}`,
  )
  if (lines.length > 0) parts.push(`\nTargets\n${columns([targetHeads, ...lines.map(targetOf)])}`)
  if (notes.length > 0) parts.push(`\n${notes.map((note) => `- ${note}\n`).join('')}`)
  return parts.join('')
}

const figureHeads = ['', 'per second', 'spread', 'CPU µs', 'core', 'p50 ms', 'p99 ms']

function figuresOf(each: Measured): string[] {
  return [
    `${each.name}${each.isReference ? ' *' : ''}`,
    each.perSecond < 1_000 ? each.perSecond.toFixed(1) : Math.round(each.perSecond).toLocaleString('en'),
    percent(each.spread),
    each.cpuUs.toFixed(1),
    percent(each.coreUse),
    (each.p50Us / 1_000).toFixed(2),
    (each.p99Us / 1_000).toFixed(2),
  ]
}

const targetHeads = ['', 'figure', 'spread', 'must', 'stretch', 'verdict', 'of it']

function targetOf({ target, value, unit, spread, bound, verdict, detail = '' }: Line): string[] {
  const sign = bound?.is === 'at least' ? '≥' : '≤'
  const limit = (number: number | undefined) => (number === undefined ? '–' : `${sign} ${number}`)
  return [
    target,
    `${shown(value, unit)} ${unit}`,
    percent(spread),
    limit(bound?.must),
    limit(bound?.stretch),
    verdict,
    detail,
  ]
}

function shown(value: number, unit: Line['unit']): string {
  return value.toFixed(unit === '×' || unit === 's' ? 2 : value < 10 ? 1 : 0)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

/** Columns as wide as their widest cell; the first and the last to the left, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string {
  const last = (rows[0]?.length ?? 0) - 1
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 || (column === last && last > 5) ? cell.padEnd(width) : cell.padStart(width)
      })
      return `  ${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}
