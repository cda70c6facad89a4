import { z } from 'zod'
import { currencyCode, paging, window } from '../contract/fields.ts'
import { endpoint } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { readBalances, readBills, readFreightBills, readRefunds, readTransactions } from './read.ts'
import {
  balancePage,
  billPage,
  billStates,
  freightBillPage,
  refundPage,
  refundStates,
  transactionPage,
} from './statement-json.ts'

/** The parts that all five lists share. The ERP supplies the rows, and clients may request CSV. */
const common = {
  group: 'statements',
  translations: { zh, ko },
  method: 'GET',
  since: '1.3.0',
  access: 'bearer',
  capability: 'statements.read',
  cost: 1,
  errors: ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: {},
  csv: true,
} as const

const query = { ...paging, ...window, currency: currencyCode.optional() }
export const balancesList = endpoint({
  ...common,
  id: 'balances.list',
  summary: 'List balances',
  description:
    'The current account in each currency: the booked balance, the amount that can still be spent, the amount that is set aside, and the credit. Read from the ERP. With `start_date` and `end_date`: the accounts whose last booking was within those days. CSV with `Accept: text/csv`.',
  path: '/api/v1/balances',
  query,
  result: balancePage,

  handle: readBalances,
})

export const transactionsList = endpoint({
  ...common,
  id: 'transactions.list',
  summary: 'List transactions',
  description:
    'Bookings on the accounts, newest first, by `occurred_at`; the last 30 days without dates. In each currency, `balance_after` is the previous `balance_after` plus `amount`, across pages too. `balances` has the `opening_balance` and `closing_balance` around the rows of the page. Send `next_cursor` back as `cursor` for the following pages. Read from the ERP. CSV with `Accept: text/csv`.',
  path: '/api/v1/transactions',
  query,
  result: transactionPage,

  handle: readTransactions,
})

export const billsList = endpoint({
  ...common,
  id: 'bills.list',
  summary: 'List bills',
  description:
    'Bills, newest first, by `issued_at`. `amount_total` is the sum of the transactions with its `bill_id`; amounts are what is owed. Read from the ERP. CSV with `Accept: text/csv`.',
  path: '/api/v1/bills',
  query: { ...query, status: z.enum(billStates).optional() },
  result: billPage,

  handle: readBills,
})

export const refundsList = endpoint({
  ...common,
  id: 'refunds.list',
  summary: 'List refunds',
  description:
    'Refunds, newest first, by `requested_at`. A completed refund names the transaction of the same amount. Read from the ERP. CSV with `Accept: text/csv`.',
  path: '/api/v1/refunds',
  query: { ...query, status: z.enum(refundStates).optional() },
  result: refundPage,

  handle: readRefunds,
})

export const freightBillsList = endpoint({
  ...common,
  id: 'freight_bills.list',
  summary: 'List freight bills',
  description:
    'The cost of shipments, newest first, by `billed_at`, with weight and zone; `amount` is what is owed. Each freight bill names the transaction that booked it. Read from the ERP. CSV with `Accept: text/csv`.',
  path: '/api/v1/freight-bills',
  query,
  result: freightBillPage,

  handle: readFreightBills,
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [balancesList, transactionsList, billsList, refundsList, freightBillsList] as const
