import { statementFaults } from './fault.ts'
import type { CurrencyFigures, StatementProof } from './proof.ts'

const mostExamples = 5

/** A proof for people. */
export function summaryOf(proof: StatementProof): string {
  const { from, to, as_of, pages, transactions, bills, refunds, freight_bills, differences } = proof
  return [
    '',
    line('Period', `${from} to ${to}, as of ${as_of}`),
    line('Read', `${number(transactions)} transactions on ${number(pages)} pages`),
    ...proof.currencies.flatMap(currencyLines),
    line('Bills', `${number(bills.all)}, ${number(bills.added)} of them within the period and added up`),
    line('Refunds', `${number(refunds.all)}, ${number(refunds.matched)} of them booked in the period`),
    line(
      'Freight',
      `${number(freight_bills.all)} bills, ${number(freight_bills.matched)} of them booked alone`,
    ),
    line('Differences', number(differences.length)),
    ...differenceLines(proof),
    line('Verdict', differences.length === 0 ? 'everything adds up' : 'IT DOES NOT ADD UP'),
    '',
  ].join('\n')
}

function currencyLines({ currency, opening, closing, transactions, by_type }: CurrencyFigures): string[] {
  const money = (minor: number) => `${moneyText(minor, currency)} ${currency}`
  return [
    line(currency, `${money(opening)} and ${number(transactions)} transactions make ${money(closing)}`),
    ...Object.entries(by_type).map(([type, amount]) => detail(`${type} ${money(amount)}`)),
  ]
}

/** The first few of each kind. */
function differenceLines({ differences }: StatementProof): string[] {
  return [...Map.groupBy(differences, ({ kind }) => kind)].flatMap(([kind, found]) => [
    detail(`${kind}: ${statementFaults[kind]}`),
    ...found.slice(0, mostExamples).map(({ subject, story }) => detail(`  ${subject}: ${story}`)),
    ...(found.length > mostExamples ? [detail(`  and ${number(found.length - mostExamples)} more`)] : []),
  ])
}

/** Minor units as people write them, without a float. */
function moneyText(minor: number, currency: string): string {
  if (currency === 'KRW' || currency === 'JPY') return number(minor)
  const digits = String(Math.abs(minor)).padStart(3, '0')
  const whole = number(Number(digits.slice(0, -2)))
  return `${minor < 0 ? '-' : ''}${whole}.${digits.slice(-2)}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}

function line(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function detail(text: string): string {
  return line('', `- ${text}`)
}
