import { erpKinds } from './erp-kinds.ts'
import { type Finding, type FindingKind, findingKinds } from './finding.ts'
import type { ReplayOptions } from './options.ts'
import { areGuaranteesKept } from './reconcile.ts'
import type { ReplayResult } from './run.ts'

const maxExamples = 5
/** The maximum number of findings in the report. */
const maxFindings = 10_000

/** The result of a replay, as written to the report. */
export interface Verdict {
  readonly kept: boolean
  readonly erp: string
  readonly class: string
  readonly seed: number
  readonly faults: boolean
  readonly concurrency: number
  readonly store: 'sqlite' | 'postgres'
  readonly orders: number
  readonly seconds: number
  readonly orders_per_second: number
  readonly settling_seconds: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly voids: { readonly exact: number; readonly with_more: number }
  readonly requests: number
  readonly replayed_answers: number
  readonly tokens: number
  readonly retries: Readonly<Record<string, number>>
  readonly in_doubt: number
  readonly in_doubt_settled: number
  readonly erp_faults: Readonly<Record<string, number>>
  readonly kills: ReplayResult['kills']
  /** The kills of each process by the step of a write after which they came. */
  readonly kills_after_steps: ReplayResult['killsAfterSteps']
  readonly gateway_errors: ReplayResult['logged']
  readonly erp_documents: number
  readonly stock_rows: number
  /** The number of times that a follower's copy of the stock was compared with the checksum of its version. */
  readonly proofs: number
  /** Null for an ERP without a ledger. */
  readonly statement: {
    readonly transactions: number
    readonly bills: number
    readonly refunds: number
    readonly freight_bills: number
    readonly differences: number
  } | null
  readonly found: Readonly<Record<FindingKind, number>>
  readonly left_out: {
    readonly lines: Readonly<Record<string, number>>
    readonly invoices: Readonly<Record<string, number>>
    readonly cancellations: Readonly<Record<string, number>>
    readonly orders_beyond_limit: number
  }
  readonly source: {
    readonly lines: number
    readonly invoices: number
    readonly split_invoices: number
    readonly orderable_lines: number
  }
  /** What the ERP is left with that a person has to look at. */
  readonly leftovers: readonly string[]
  /** What this ERP's replay does not do or compare. */
  readonly limits: readonly string[]
  readonly findings: readonly Finding[]
}

/** Computes the figures and the verdict of a replay. */
export function judgeReplay(wanted: ReplayOptions, replayed: ReplayResult): Verdict {
  const { source, placed, counts, findings, entries, placing_ms } = replayed
  const { figures, left_out } = source.invoices
  const exact = placed.voids.filter(({ isExact }) => isExact).length
  return {
    kept: areGuaranteesKept(findings, wanted.erp_class),
    erp: wanted.erp,
    class: wanted.erp_class,
    seed: wanted.seed,
    faults: wanted.faults,
    concurrency: wanted.concurrency,
    store: wanted.postgres === undefined ? 'sqlite' : 'postgres',
    orders: placed.orders,
    seconds: roundTenths(placing_ms / 1000),
    orders_per_second: roundTenths((placed.orders * 1000) / placing_ms),
    settling_seconds: roundTenths(replayed.settling_ms / 1000),
    outcomes: countEach(entries.map(({ outcome }) => outcome)),
    voids: { exact, with_more: placed.voids.length - exact },
    requests: counts.requests,
    replayed_answers: counts.replayed,
    tokens: replayed.tokens,
    retries: Object.fromEntries(counts.retries),
    in_doubt: counts.in_doubt,
    in_doubt_settled: counts.settled,
    erp_faults: Object.fromEntries(replayed.faults),
    kills: replayed.kills,
    kills_after_steps: replayed.killsAfterSteps,
    gateway_errors: replayed.logged,
    erp_documents: replayed.documents,
    stock_rows: replayed.rows,
    proofs: replayed.proofs,
    statement: pickStatement(replayed),
    found: countFindings(findings),
    left_out: {
      lines: Object.fromEntries([...source.orders.invalid, ...left_out.lines]),
      invoices: Object.fromEntries(left_out.invoices),
      cancellations: Object.fromEntries(replayed.cancellations_left_out),
      orders_beyond_limit: placed.beyond_limit,
    },
    source: {
      lines: countLines(source.orders),
      invoices: figures.invoices,
      split_invoices: figures.split,
      orderable_lines: figures.lines,
    },
    leftovers: replayed.leftovers,
    limits: erpKinds[wanted.erp].limits,
    findings: findings.slice(0, maxFindings),
  }
}

/** Counts all lines below the header, also those that cannot be read. */
function countLines({ catalogue, invalid }: ReplayResult['source']['orders']): number {
  return [...invalid.values()].reduce((sum, amount) => sum + amount, catalogue.lines)
}

function pickStatement({ statement }: ReplayResult): Verdict['statement'] {
  if (!statement) return null
  const { transactions, bills, refunds, freight_bills, differences } = statement
  return {
    transactions,
    bills: bills.added,
    refunds: refunds.matched,
    freight_bills: freight_bills.matched,
    differences: differences.length,
  }
}

function countFindings(findings: readonly Finding[]): Record<FindingKind, number> {
  const countKind = (kind: FindingKind) => findings.filter((finding) => finding.kind === kind).length
  const counts = Object.keys(findingKinds).map((kind) => [kind, countKind(kind as FindingKind)])
  return Object.fromEntries(counts)
}

function countEach(words: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const word of words) tally[word] = (tally[word] ?? 0) + 1
  return tally
}

function roundTenths(value: number): number {
  return Math.round(value * 10) / 10
}

const formatNumber = (value: number) => value.toLocaleString('en')

type Counts = Readonly<Record<string, number>>

/** Formats the verdict for the terminal. */
export function formatSummary(verdict: Verdict): string {
  const { found, findings, kept } = verdict
  return [
    '',
    ...formatSource(verdict),
    ...formatPlacing(verdict),
    ...formatFaults(verdict),
    ...formatComparison(verdict),
    ...Object.entries(found).map(([kind, amount]) =>
      formatLine(capitalize(kind).replace('_', ' '), formatNumber(amount)),
    ),
    ...formatExamples(findings),
    formatLine('Verdict', kept ? `the guarantees of class "${verdict.class}" hold` : 'BROKEN'),
    '',
  ].join('\n')
}

function formatSource({ source, left_out }: Verdict): string[] {
  const { lines, invoices, split_invoices } = source
  return [
    formatLine(
      'File',
      `${formatNumber(lines)} lines, ${formatNumber(invoices)} invoices, ${split_invoices} of them too long for one order`,
    ),
    ...formatReasons(left_out.invoices, 'invoices left out'),
    ...formatReasons(left_out.lines, 'lines left out'),
    ...formatReasons(left_out.cancellations, 'cancellations left out'),
    ...(left_out.orders_beyond_limit > 0
      ? [formatDetail(`${formatNumber(left_out.orders_beyond_limit)} orders beyond --limit`)]
      : []),
  ]
}

function formatPlacing(verdict: Verdict): string[] {
  const { voids } = verdict
  return [
    formatLine(
      'Orders',
      `${formatNumber(verdict.orders)} in ${verdict.seconds} s, ${verdict.orders_per_second} a second: ${formatCounts(verdict.outcomes)}`,
    ),
    formatDetail(
      `voids: ${voids.exact} of exactly the returned goods, ${voids.with_more} of these and more goods`,
    ),
    formatLine(
      'Client',
      `${formatNumber(verdict.requests)} requests, ${formatNumber(verdict.replayed_answers)} replayed responses, ${verdict.tokens} tokens`,
    ),
    formatDetail(`retries: ${formatCounts(verdict.retries)}`),
    formatDetail(
      `writes with an unknown outcome: ${verdict.in_doubt}, resolved for the client: ${verdict.in_doubt_settled}`,
    ),
  ]
}

function formatFaults(verdict: Verdict): string[] {
  const { kills } = verdict
  return [
    formatLine(
      'Faults',
      verdict.faults ? `seed ${verdict.seed}: ${formatCounts(verdict.erp_faults)} by the ERP` : 'none',
    ),
    formatDetail(`kills: ${formatCounts(kills)}`),
    ...Object.entries(verdict.kills_after_steps).map(([name, steps]) =>
      formatDetail(`${name} hit after ${formatCounts(steps)}`),
    ),
    formatDetail(`errors in the gateway's log: ${verdict.gateway_errors.count}`),
  ]
}

function formatComparison(verdict: Verdict): string[] {
  const { erp_documents, stock_rows, proofs, statement, limits, leftovers } = verdict
  return [
    formatLine(
      'Compared',
      `${formatNumber(erp_documents)} documents and ${formatNumber(stock_rows)} stock rows of the ERP`,
    ),
    formatDetail(`${formatNumber(proofs)} copies of followers compared with the checksum of their version`),
    formatLine('Statement', statement ? formatStatement(statement) : 'none'),
    ...limits.map(formatDetail),
    formatLine('For a person', leftovers.length === 0 ? 'nothing' : formatNumber(leftovers.length)),
    ...leftovers.map(formatDetail),
  ]
}

function formatStatement(statement: NonNullable<Verdict['statement']>): string {
  const { transactions, bills, refunds, freight_bills, differences } = statement
  return `${formatNumber(transactions)} transactions, ${formatNumber(bills)} bills, ${formatNumber(refunds)} refunds, ${formatNumber(freight_bills)} freight bills: ${formatNumber(differences)} differences`
}

function formatCounts(counts: Counts): string {
  const words = Object.entries(counts).map(([name, amount]) => `${name} ${formatNumber(amount)}`)
  return words.join(', ') || 'none'
}

function formatReasons(counts: Counts, what: string): string[] {
  return Object.entries(counts).map(([reason, amount]) =>
    formatDetail(`${formatNumber(amount)} ${what}: ${reason}`),
  )
}

function formatExamples(findings: readonly Finding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, found]) => [
    formatDetail(`${kind}: ${findingKinds[kind]}`),
    ...found.slice(0, maxExamples).map(({ subject, story }) => formatDetail(`  ${subject}: ${story}`)),
    ...(found.length > maxExamples
      ? [formatDetail(`  and ${formatNumber(found.length - maxExamples)} more`)]
      : []),
  ])
}

function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

function formatLine(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function formatDetail(text: string): string {
  return formatLine('', `- ${text}`)
}
