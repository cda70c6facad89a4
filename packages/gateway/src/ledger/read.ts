import { parseWindow, toEmptyPage } from '../contract/lists.ts'
import { amountOf } from '../kernel/money.ts'
import { readSortedPage } from '../lists/sorted.ts'
import { askInCurrency, normalizeInstant, readStatementPage, type StatementRequest } from './page.ts'
import { toBalanceJson, toBillJson, toFreightBillJson, toRefundJson, toTransactionJson } from './rows.ts'
import type { StatementQuery } from './span.ts'
import type { billStates, refundStates } from './statement-json.ts'

/** Reads the customer's current balances. With dates, it returns only accounts whose last booking is within them. */
export async function readBalances({ gateway, call, caller, input }: StatementRequest) {
  const window = parseWindow(input, gateway.clock.now(), true)
  const { customer_code } = caller
  if (customer_code === null) return toEmptyPage(window)
  const reported = await askInCurrency(call, input, (currency, options) =>
    gateway.erp.balances({ customer_code, currency }, options),
  )
  const rows = reported.balances
    .map(toBalanceJson)
    .filter(({ updated_at }) => window.includesTime(Date.parse(updated_at)))
    .toSorted((one, other) => (one.currency < other.currency ? -1 : 1))
  // The ERP's list has no version: a customer has few accounts, and each page reads them all.
  const page = readSortedPage(window, rows, {
    keyOf: ({ currency }) => currency,
    toJson: (row) => row,
    version: 0,
  })
  return { ...page, as_of: input.as_of ?? normalizeInstant(reported.as_of) }
}

/** Reads transactions, with the balances before the oldest and after the newest row of the page. */
export async function readTransactions(request: StatementRequest) {
  const { reported, body } = await readStatementPage(request, {
    name: 'transactions',
    ask: (input, options) => request.gateway.erp.transactions(input, options),
    toRows: ({ transactions }) => transactions,
    toJson: toTransactionJson,
  })
  const balances = (reported?.balances ?? []).map(({ currency, opening_balance, closing_balance }) => ({
    currency,
    opening_balance: amountOf(opening_balance, currency),
    closing_balance: amountOf(closing_balance, currency),
  }))
  return { ...body, balances }
}

type WithStatus<States extends readonly string[]> = StatementQuery & {
  readonly status?: States[number] | undefined
}

export async function readBills(request: StatementRequest<WithStatus<typeof billStates>>) {
  const { status = null } = request.input
  const { body } = await readStatementPage(request, {
    name: 'bills',
    ask: (input, options) => request.gateway.erp.bills({ ...input, status }, options),
    toRows: ({ bills }) => bills,
    toJson: toBillJson,
  })
  return body
}

export async function readRefunds(request: StatementRequest<WithStatus<typeof refundStates>>) {
  const { status = null } = request.input
  const { body } = await readStatementPage(request, {
    name: 'refunds',
    ask: (input, options) => request.gateway.erp.refunds({ ...input, status }, options),
    toRows: ({ refunds }) => refunds,
    toJson: toRefundJson,
  })
  return body
}

export async function readFreightBills(request: StatementRequest) {
  const { body } = await readStatementPage(request, {
    name: 'freight_bills',
    ask: (input, options) => request.gateway.erp.freight_bills(input, options),
    toRows: ({ freight_bills }) => freight_bills,
    toJson: toFreightBillJson,
  })
  return body
}
