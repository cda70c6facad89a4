import { addToTally, type Tally } from '../tally.ts'
import type { FaultFigures } from './fault-times.ts'
import { type FaultName, faultNames, faults } from './faults.ts'
import { type KillFinding, killFindingKinds } from './finding.ts'
import type { KillOptions } from './options.ts'
import type { KillResult } from './run.ts'
import type { DeliveryFigures } from './webhooks.ts'

const maxExamples = 5
/** The maximum number of findings in the report. */
const maxFindings = 10_000

/** The result of a trial, as written to the report. */
export interface Verdict {
  readonly kept: boolean
  readonly seed: number
  readonly kills: number
  readonly stop_seconds: number
  readonly seconds: number
  readonly nginx: boolean
  readonly faults: Readonly<Partial<Record<FaultName, FaultFigures>>>
  readonly orders: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly erp_documents: number
  readonly stock_rows: number
  readonly movements: number
  readonly holds: number
  readonly proofs: number
  readonly webhooks: DeliveryFigures
  readonly gateway_errors: KillResult['logged']
  readonly found: Readonly<Record<string, number>>
  readonly findings: readonly KillFinding[]
}

/** Computes the figures and the verdict of a trial. */
export function judgeKills(options: KillOptions, result: KillResult): Verdict {
  const { entries, findings, times, deliveries } = result
  const outcomes: Tally = new Map()
  for (const { outcome } of entries) addToTally(outcomes, outcome)
  return {
    kept: findings.length === 0,
    seed: options.seed,
    kills: options.kills,
    stop_seconds: options.stop_ms / 1000,
    seconds: Math.round(result.faults_ms / 1000),
    nginx: result.hasNginx,
    faults: Object.fromEntries(times.figures),
    orders: entries.length,
    outcomes: Object.fromEntries(outcomes),
    erp_documents: result.documents,
    stock_rows: result.stock_rows,
    movements: result.movements,
    holds: result.holds,
    proofs: result.proofs,
    webhooks: deliveries,
    gateway_errors: result.logged,
    found: countFindings(findings),
    findings: findings.slice(0, maxFindings),
  }
}

function countFindings(findings: readonly KillFinding[]): Record<string, number> {
  const kinds = Object.keys(killFindingKinds)
  return Object.fromEntries(
    kinds.map((kind) => [kind, findings.filter((finding) => finding.kind === kind).length]),
  )
}

/** Formats the verdict: what was done, the table of the faults, and what was found. */
export function formatSummary(verdict: Verdict): string {
  const { webhooks, outcomes, gateway_errors: logged } = verdict
  const stops = `SIGSTOP for ${verdict.stop_seconds} s`
  const front = verdict.nginx ? 'behind nginx' : 'without nginx, which is not installed'
  return [
    '',
    formatLine(
      'Faults',
      `${verdict.kills} in ${verdict.seconds} s, ${stops}, seed ${verdict.seed}, ${front}`,
    ),
    formatLine(
      'Orders',
      `${verdict.orders}: ${formatTally(outcomes)}; ${verdict.erp_documents} documents in the ERP`,
    ),
    formatLine(
      'Stock',
      `${verdict.movements} movements in the ERP and ${verdict.holds} holds, ${verdict.proofs} checksums compared meanwhile`,
    ),
    formatLine(
      'Webhooks',
      `${webhooks.events} events, ${webhooks.deliveries} deliveries, ${webhooks.repeated} repeated, ${webhooks.overtaken} overtaken`,
    ),
    formatLine('Log', `${logged.count} errors in the logs of the gateways`),
    ...logged.first.slice(0, maxExamples).map(formatDetail),
    '',
    ...formatFaults(verdict),
    '',
    formatLine('Found', formatTally(verdict.found)),
    ...listExamples(verdict.findings).map(({ kind, subject, story }) =>
      formatDetail(`${kind}: ${subject}: ${story} (${killFindingKinds[kind]})`),
    ),
    formatLine('Verdict', verdict.kept ? 'nothing was lost' : 'the records do not agree'),
    '',
  ].join('\n')
}

/** The first findings of each kind. */
function listExamples(findings: Verdict['findings']): Verdict['findings'] {
  return [...Map.groupBy(findings, ({ kind }) => kind).values()].flatMap((each) => each.slice(0, maxExamples))
}

function formatFaults({ faults: figures }: Verdict): string[] {
  const rows = faultNames.flatMap((name) => {
    const each = figures[name]
    if (!each) return []
    const { times, longest_refusal_ms, longest_refusal, longest_wait_ms, longest_wait } = each
    const waited = longest_wait
      ? `  (waited for ${hideIds(longest_wait.request)}: ${longest_wait.result})`
      : ''
    const why = longest_refusal ? `  (${longest_refusal.reasons.join(', ')})` : ''
    return [
      [
        ...[faults[name].title, String(times), toSeconds(longest_wait_ms), toSeconds(longest_refusal_ms)],
        `${why}${waited}`,
      ],
    ]
  })
  const head = ['Fault', 'times', 'longest wait', 'longest refusal', '']
  return [head, ...rows].map(([title = '', times = '', wait = '', refusal = '', why = '']) =>
    `${title.padEnd(42)} ${times.padStart(6)} ${wait.padStart(13)} ${refusal.padStart(16)}${why}`.trimEnd(),
  )
}

function hideIds(request: string): string {
  return request.replace(/\w+_\w{10,}/g, '…')
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function formatTally(tally: Readonly<Record<string, number>>): string {
  return Object.entries(tally)
    .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
    .join(', ')
}

function formatLine(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function formatDetail(text: string): string {
  return formatLine('', `- ${text}`)
}
