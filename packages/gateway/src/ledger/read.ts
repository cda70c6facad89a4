import { Reply } from '../contract/endpoint.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import { amountOf } from '../kernel/money.ts'
import { type Question, statementPage, timeShown, toldBy } from './page.ts'
import { balanceShown, billShown, freightBillShown, refundShown, transactionShown } from './rows.ts'
import type { billStates, refundStates } from './shown.ts'
import type { StatementQuery } from './span.ts'

/** The accounts of the channel's customer as they are now; with days, those that were booked on last within them. */
export async function readBalances({ gateway, call, caller, input }: Question) {
  const window = windowOf(input, gateway.clock.now(), true)
  const { customer_code } = caller
  if (customer_code === null) return pageOf(window, [])
  const told = await toldBy(call, input, (currency, options) =>
    gateway.erp.balances({ customer_code, currency }, options),
  )
  const rows = told.balances
    .map(balanceShown)
    .filter(({ updated_at }) => window.holds(Date.parse(updated_at)))
  const page = pageOf(window, rows.slice(window.offset, window.offset + window.pageSize + 1))
  return { ...page, as_of: input.as_of ?? timeShown(told.as_of) }
}

/** What was booked, with the balance before the oldest row of the page and after its newest. */
export async function readTransactions(question: Question) {
  const { told, body, headers } = await statementPage(question, {
    name: 'transactions',
    ask: (input, options) => question.gateway.erp.transactions(input, options),
    rowsOf: ({ transactions }) => transactions,
    shown: transactionShown,
  })
  const balances = (told?.balances ?? []).map(({ currency, opening_balance, closing_balance }) => ({
    currency,
    opening_balance: amountOf(opening_balance, currency),
    closing_balance: amountOf(closing_balance, currency),
  }))
  return new Reply({ ...body, balances }, headers)
}

type WithStatus<States extends readonly string[]> = StatementQuery & {
  readonly status?: States[number] | undefined
}

export async function readBills(question: Question<WithStatus<typeof billStates>>) {
  const { status = null } = question.input
  const { body, headers } = await statementPage(question, {
    name: 'bills',
    ask: (input, options) => question.gateway.erp.bills({ ...input, status }, options),
    rowsOf: ({ bills }) => bills,
    shown: billShown,
  })
  return new Reply(body, headers)
}

export async function readRefunds(question: Question<WithStatus<typeof refundStates>>) {
  const { status = null } = question.input
  const { body, headers } = await statementPage(question, {
    name: 'refunds',
    ask: (input, options) => question.gateway.erp.refunds({ ...input, status }, options),
    rowsOf: ({ refunds }) => refunds,
    shown: refundShown,
  })
  return new Reply(body, headers)
}

export async function readFreightBills(question: Question) {
  const { body, headers } = await statementPage(question, {
    name: 'freight_bills',
    ask: (input, options) => question.gateway.erp.freight_bills(input, options),
    rowsOf: ({ freight_bills }) => freight_bills,
    shown: freightBillShown,
  })
  return new Reply(body, headers)
}
