import { type FaultKind, type Finding, faultKinds } from './finding.ts'
import { isKept } from './reconcile.ts'
import type { Replayed } from './run.ts'
import type { Wanted } from './wanted.ts'

const mostExamples = 5
/** A report names every finding up to here. */
const mostFindings = 10_000

/** What a replay came to, as it stands in the report. */
export interface Verdict {
  readonly kept: boolean
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
  readonly kills: Replayed['kills']
  readonly gateway_errors: Replayed['logged']
  readonly erp_documents: number
  readonly stock_rows: number
  readonly statement: {
    readonly transactions: number
    readonly bills: number
    readonly refunds: number
    readonly freight_bills: number
    readonly differences: number
  }
  readonly found: Readonly<Record<FaultKind, number>>
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
  readonly findings: readonly Finding[]
}

/** The figures of a replay. */
export function verdictOf(wanted: Wanted, replayed: Replayed): Verdict {
  const { source, placed, met, findings, entries, placing_ms } = replayed
  const { figures, left_out } = source.invoices
  const exact = placed.voids.filter(({ isExact }) => isExact).length
  return {
    kept: isKept(findings, wanted.erp_class),
    class: wanted.erp_class,
    seed: wanted.seed,
    faults: wanted.faults,
    concurrency: wanted.concurrency,
    store: wanted.postgres === undefined ? 'sqlite' : 'postgres',
    orders: placed.orders,
    seconds: rounded(placing_ms / 1000),
    orders_per_second: rounded((placed.orders * 1000) / placing_ms),
    settling_seconds: rounded(replayed.settling_ms / 1000),
    outcomes: tallied(entries.map(({ outcome }) => outcome)),
    voids: { exact, with_more: placed.voids.length - exact },
    requests: met.requests,
    replayed_answers: met.replayed,
    tokens: replayed.tokens,
    retries: Object.fromEntries(met.retries),
    in_doubt: met.in_doubt,
    in_doubt_settled: met.settled,
    erp_faults: Object.fromEntries(replayed.faults),
    kills: replayed.kills,
    gateway_errors: replayed.logged,
    erp_documents: replayed.documents,
    stock_rows: replayed.rows,
    statement: statementOf(replayed),
    found: foundOf(findings),
    left_out: {
      lines: Object.fromEntries(left_out.lines),
      invoices: Object.fromEntries(left_out.invoices),
      cancellations: Object.fromEntries(replayed.cancellations_left_out),
      orders_beyond_limit: placed.beyond_limit,
    },
    source: {
      lines: source.orders.catalogue.lines,
      invoices: figures.invoices,
      split_invoices: figures.split,
      orderable_lines: figures.lines,
    },
    findings: findings.slice(0, mostFindings),
  }
}

function statementOf({ statement }: Replayed): Verdict['statement'] {
  const { transactions, bills, refunds, freight_bills, differences } = statement
  return {
    transactions,
    bills: bills.added,
    refunds: refunds.matched,
    freight_bills: freight_bills.matched,
    differences: differences.length,
  }
}

function foundOf(findings: readonly Finding[]): Record<FaultKind, number> {
  const of = (kind: FaultKind) => findings.filter((finding) => finding.kind === kind).length
  return {
    lost: of('lost'),
    duplicated: of('duplicated'),
    contradicted: of('contradicted'),
    mismatched: of('mismatched'),
    mispriced: of('mispriced'),
    refused: of('refused'),
    oversold: of('oversold'),
    held: of('held'),
    miscounted: of('miscounted'),
    unbalanced: of('unbalanced'),
    unknown: of('unknown'),
  }
}

function tallied(words: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const word of words) tally[word] = (tally[word] ?? 0) + 1
  return tally
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

const number = (value: number) => value.toLocaleString('en')

/** The verdict for people. */
export function summaryOf(verdict: Verdict): string {
  const { source, left_out, voids, kills, statement } = verdict
  const listed = (figures: Readonly<Record<string, number>>) =>
    Object.entries(figures)
      .map(([name, amount]) => `${name} ${number(amount)}`)
      .join(', ') || 'none'
  const reasons = (figures: Readonly<Record<string, number>>, what: string) =>
    Object.entries(figures).map(([reason, amount]) => detail(`${number(amount)} ${what}: ${reason}`))
  return [
    '',
    line(
      'File',
      `${number(source.lines)} lines, ${number(source.invoices)} invoices, ${source.split_invoices} of them too long for one order`,
    ),
    ...reasons(left_out.invoices, 'invoices left out'),
    ...reasons(left_out.lines, 'lines left out'),
    ...reasons(left_out.cancellations, 'cancellations left out'),
    ...(left_out.orders_beyond_limit > 0
      ? [detail(`${number(left_out.orders_beyond_limit)} orders beyond --limit`)]
      : []),
    line(
      'Orders',
      `${number(verdict.orders)} in ${verdict.seconds} s, ${verdict.orders_per_second} a second: ${listed(verdict.outcomes)}`,
    ),
    detail(`voids: ${voids.exact} of just what is taken back, ${voids.with_more} of that and more`),
    line(
      'Client',
      `${number(verdict.requests)} requests, ${number(verdict.replayed_answers)} replayed answers, ${verdict.tokens} tokens`,
    ),
    detail(`retries: ${listed(verdict.retries)}`),
    detail(`writes in doubt: ${verdict.in_doubt}, settled for the client: ${verdict.in_doubt_settled}`),
    line('Trouble', verdict.faults ? `seed ${verdict.seed}: ${listed(verdict.erp_faults)}` : 'none'),
    detail(`kills: gateway ${kills.gateway}, ERP ${kills.erp}`),
    detail(`errors in the gateway's log: ${verdict.gateway_errors.count}`),
    line(
      'Compared',
      `${number(verdict.erp_documents)} documents and ${number(verdict.stock_rows)} rows of stock of the ERP`,
    ),
    line(
      'Statement',
      `${number(statement.transactions)} transactions, ${number(statement.bills)} bills, ${number(statement.refunds)} refunds, ${number(statement.freight_bills)} freight bills: ${number(statement.differences)} differences`,
    ),
    ...Object.entries(verdict.found).map(([kind, amount]) => line(capital(kind), number(amount))),
    ...examplesOf(verdict.findings),
    line('Verdict', verdict.kept ? `the guarantees of class "${verdict.class}" hold` : 'BROKEN'),
    '',
  ].join('\n')
}

function examplesOf(findings: readonly Finding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, found]) => [
    detail(`${kind}: ${faultKinds[kind]}`),
    ...found.slice(0, mostExamples).map(({ subject, story }) => detail(`  ${subject}: ${story}`)),
    ...(found.length > mostExamples ? [detail(`  and ${number(found.length - mostExamples)} more`)] : []),
  ])
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

function line(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function detail(text: string): string {
  return line('', `- ${text}`)
}
