import { z } from 'zod'
import { endpoint } from '../contract/endpoint.ts'
import { currencyCode, paging, window } from '../contract/fields.ts'
import { readBalances, readBills, readFreightBills, readRefunds, readTransactions } from './read.ts'
import {
  balancePage,
  billPage,
  billStates,
  freightBillPage,
  refundPage,
  refundStates,
  transactionPage,
} from './shown.ts'

/** What the five lists have in common: they are asked of the ERP, and are CSV for whoever wants that. */
const common = {
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
  path: '/api/v1/balances',
  query,
  result: balancePage,

  handle: readBalances,
})

export const transactionsList = endpoint({
  ...common,
  id: 'transactions.list',
  path: '/api/v1/transactions',
  query,
  result: transactionPage,
  headers: ['Link'],

  handle: readTransactions,
})

export const billsList = endpoint({
  ...common,
  id: 'bills.list',
  path: '/api/v1/bills',
  query: { ...query, status: z.enum(billStates).optional() },
  result: billPage,
  headers: ['Link'],

  handle: readBills,
})

export const refundsList = endpoint({
  ...common,
  id: 'refunds.list',
  path: '/api/v1/refunds',
  query: { ...query, status: z.enum(refundStates).optional() },
  result: refundPage,
  headers: ['Link'],

  handle: readRefunds,
})

export const freightBillsList = endpoint({
  ...common,
  id: 'freight_bills.list',
  path: '/api/v1/freight-bills',
  query,
  result: freightBillPage,
  headers: ['Link'],

  handle: readFreightBills,
})
