import { minorUnits } from '@trade-gateway/connector'
import { statementFaults } from './fault.ts'
import type { CurrencyFigures, StatementProof } from './proof.ts'

const maxExamples = 5

/** Formats a proof for the terminal. */
export function formatSummary(proof: StatementProof): string {
  const { from, to, as_of, pages, transactions, bills, refunds, freight_bills, differences } = proof
  return [
    '',
    formatLine('Period', `${from} to ${to}, as of ${as_of}`),
    formatLine('Read', `${formatNumber(transactions)} transactions on ${formatNumber(pages)} pages`),
    ...proof.currencies.flatMap(formatCurrency),
    formatLine(
      'Bills',
      `${formatNumber(bills.all)}, ${formatNumber(bills.added)} of them within the period and added up`,
    ),
    formatLine(
      'Refunds',
      `${formatNumber(refunds.all)}, ${formatNumber(refunds.matched)} of them booked in the period`,
    ),
    formatLine(
      'Freight',
      `${formatNumber(freight_bills.all)} bills, ${formatNumber(freight_bills.matched)} of them with their own transaction`,
    ),
    formatLine('Differences', formatNumber(differences.length)),
    ...formatDifferences(proof),
    formatLine('Verdict', differences.length === 0 ? 'the statement is consistent' : 'INCONSISTENT'),
    '',
  ].join('\n')
}

function formatCurrency({ currency, opening, closing, transactions, by_type }: CurrencyFigures): string[] {
  const formatAmount = (minor: number) => `${formatMinorUnits(minor, currency)} ${currency}`
  return [
    formatLine(
      currency,
      `${formatAmount(opening)} and ${formatNumber(transactions)} transactions give ${formatAmount(closing)}`,
    ),
    ...Object.entries(by_type).map(([type, amount]) => formatDetail(`${type} ${formatAmount(amount)}`)),
  ]
}

/** Formats the first few differences of each kind. */
function formatDifferences({ differences }: StatementProof): string[] {
  return [...Map.groupBy(differences, ({ kind }) => kind)].flatMap(([kind, found]) => [
    formatDetail(`${kind}: ${statementFaults[kind]}`),
    ...found.slice(0, maxExamples).map(({ subject, story }) => formatDetail(`  ${subject}: ${story}`)),
    ...(found.length > maxExamples
      ? [formatDetail(`  and ${formatNumber(found.length - maxExamples)} more`)]
      : []),
  ])
}

/** Formats minor units in major units, without floating-point arithmetic. */
function formatMinorUnits(minor: number, currency: string): string {
  if (minorUnits(currency) === 1) return formatNumber(minor)
  const digits = String(Math.abs(minor)).padStart(3, '0')
  const whole = formatNumber(Number(digits.slice(0, -2)))
  return `${minor < 0 ? '-' : ''}${whole}.${digits.slice(-2)}`
}

function formatNumber(value: number): string {
  return value.toLocaleString('en')
}

function formatLine(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function formatDetail(text: string): string {
  return formatLine('', `- ${text}`)
}
