import { isDeepStrictEqual } from 'node:util'
import type { Erp } from '../erp.ts'
import { asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import { bookChecks } from './ledger-books.ts'
import { noSuchKey } from './listing.ts'
import {
  type ListName,
  ledgerPages,
  listNames,
  type Span,
  type StatementRow,
  spanUntilNow,
  statementPage,
  statementRows,
} from './statements.ts'

/** A code of ISO 4217 that says that no currency is meant. */
const noCurrency = 'XXX'
const smallPageRows = 3
const mostRowsCompared = 60

/** Checks of balances and statements: how they are asked for, and that they add up. */
export function ledgerChecks(customer_code: string | undefined): Check[] {
  const check = (id: string, states: string, look: (span: Span) => Promise<Skipped | undefined>): Check => ({
    id: `ledger.${id}`,
    states,
    async run(erp) {
      if (!(await hasLedger(erp))) return skip('The ERP says that it keeps no accounts (ledger).')
      if (customer_code === undefined) return skip('No customer was named (customer_code).')
      return look(await spanUntilNow(erp, customer_code))
    },
  })
  return [
    {
      id: 'ledger.none',
      states: 'An ERP without a ledger refuses all that concerns it with not_supported.',
      async run(erp) {
        if (await hasLedger(erp)) return skip('The ERP says that it keeps accounts (ledger).')
        await refuseEach(erp, { customer_code: noSuchKey(1), currency: null }, 'not_supported')
        return undefined
      },
    },
    {
      id: 'ledger.unknown',
      states: 'The statements of a customer that does not exist are refused with not_found.',
      async run(erp) {
        if (!(await hasLedger(erp))) return skip('The ERP says that it keeps no accounts (ledger).')
        await refuseEach(erp, { customer_code: noSuchKey(1), currency: null }, 'not_found')
        return undefined
      },
    },
    check('currency', 'A list of one currency is what the whole list has of it.', compareCurrencies),
    check('order', 'Every list is newest first and has no row twice.', requireOrder),
    check(
      'pages',
      'A list is the same in small pages, in large ones, and passed over in part.',
      comparePages,
    ),
    check('span', 'A list has what lies within its span, the first instant included, and nothing else.', cut),
    ...bookChecks(check),
  ]
}

async function hasLedger(erp: Erp): Promise<boolean> {
  return (await asked(erp, 'describe', {})).capabilities.ledger
}

async function refuseEach(
  erp: Erp,
  whose: { customer_code: string; currency: string | null },
  reason: 'not_supported' | 'not_found' | 'invalid_field',
) {
  const from = '2000-01-01T00:00:00.000Z'
  const list = { ...whose, from, to: null, after: null, skip: 0, limit: 1 }
  await refused(erp, 'balances', whose, reason)
  await refused(erp, 'transactions', list, reason)
  await refused(erp, 'bills', { ...list, status: null }, reason)
  await refused(erp, 'refunds', { ...list, status: null }, reason)
  await refused(erp, 'freight_bills', list, reason)
}

async function compareCurrencies(span: Span): Promise<Skipped | undefined> {
  const { erp, customer_code } = span
  await refuseEach(erp, { customer_code, currency: noCurrency }, 'invalid_field')
  const { balances } = await asked(erp, 'balances', { customer_code, currency: null })
  for (const list of listNames) {
    const whole = await statementRows(list, span)
    for (const { currency } of balances) {
      const wanted = whole.filter((row) => row.currency === currency)
      const came = await statementRows(list, { ...span, currency })
      if (isDeepStrictEqual(came.slice(0, wanted.length), wanted)) continue
      throw differing(`${list} in ${currency} to be those of all ${list}`, wanted, came)
    }
  }
  return undefined
}

function differing(
  expected: string,
  wanted: readonly StatementRow[],
  came: readonly StatementRow[],
): ConformanceFailure {
  const at = wanted.findIndex((row, index) => !isDeepStrictEqual(row, came[index]))
  const shown = (row: StatementRow | undefined) => row?.number ?? 'no row'
  return new ConformanceFailure({
    expected,
    came:
      at < 0
        ? `${shown(came[wanted.length])} too many`
        : `${shown(came[at])} where ${shown(wanted[at])} belongs`,
    remedy: 'Sort by the time and then by the number, the newest first, and begin a page after its place.',
  })
}

async function requireOrder(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const rows = await statementRows(list, span)
    const numbers = rows.map(({ number }) => number)
    const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
    const late = rows.find(({ at }, index) => Date.parse(at) > Date.parse(rows[index - 1]?.at ?? at))
    if (twice.length === 0 && !late) continue
    throw new ConformanceFailure({
      expected: `${list} to be newest first, each once`,
      came: late ? `${late.number} of ${late.at} after an older one` : `${someOf(new Set(twice))} twice`,
      remedy: 'Sort by the time and then by a number that is unique.',
    })
  }
  return undefined
}

async function comparePages(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const large = (await statementRows(list, span)).slice(0, mostRowsCompared)
    const small = await statementRows(list, span, smallPageRows)
    if (!isDeepStrictEqual(small.slice(0, large.length), large)) {
      throw differing(`${list} in pages of ${smallPageRows} to be those of large pages`, large, small)
    }
    await passOver(list, span, large)
  }
  return undefined
}

/** A page in the middle, from the newest row and from a place. */
async function passOver(list: ListName, span: Span, rows: readonly StatementRow[]): Promise<void> {
  const middle = Math.floor(rows.length / 2)
  const limit = smallPageRows
  const jumped = (await statementPage(list, span, { skip: middle, limit })).rows
  const wanted = rows.slice(middle, middle + limit)
  if (!isDeepStrictEqual(jumped.slice(0, wanted.length), wanted))
    throw differing(`${list} after skip ${middle} to be row ${middle + 1} and on`, wanted, jumped)
  if (jumped.length > limit) throw differing(`at most ${limit} rows of ${list}`, wanted, jumped)
  const { next } = await statementPage(list, span, { limit: 1 })
  if (next === null) return
  const after = (await statementPage(list, span, { after: next, skip: 1, limit })).rows
  const behind = rows.slice(2, 2 + limit)
  if (isDeepStrictEqual(after.slice(0, behind.length), behind)) return
  throw differing(`${list} after the first row and skip 1 to be row 3 and on`, behind, after)
}

async function cut(span: Span): Promise<Skipped | undefined> {
  for (const list of listNames) {
    const rows = (await statementRows(list, span)).slice(0, mostRowsCompared)
    const [from, to] = [rows.at(-1)?.at, rows[Math.floor(rows.length / 3)]?.at]
    if (from === undefined || to === undefined) continue
    const isWithin = ({ at }: StatementRow) =>
      Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to)
    const wanted = rows.filter(isWithin)
    const came = (await statementRows(list, { ...span, from, to })).filter(
      ({ number }, index) => index < wanted.length || !rows.some((row) => row.number === number),
    )
    if (came.every(isWithin) && isDeepStrictEqual(came.slice(0, wanted.length), wanted)) continue
    throw differing(`${list} from ${from} until ${to} to be those of the whole list`, wanted, came)
  }
  const { pages } = await ledgerPages(span)
  return pages.every(({ rows }) => rows.length === 0) ? skip('Nothing was booked.') : undefined
}
