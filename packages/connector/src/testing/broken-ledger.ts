import { backDatedPageRows } from '../conformance/back-dated.ts'
import { ok, withoutLedger } from '../erp.ts'
import type { Output } from '../operations.ts'
import { changeCapabilities, changeOutput, type Mutant, replaceOperation } from './broken.ts'

/** Faulty ERPs for the checks of accounts and statements, by the id of the check that must detect each one. */
export const brokenLedger: Readonly<Record<string, Mutant>> = {
  'ledger.none': (erp) =>
    changeCapabilities({ ...erp, ...withoutLedger, bills: erp.bills }, { ledger: false }),
  'ledger.unknown': (erp) =>
    replaceOperation(erp, 'refunds', async (input, run) =>
      input.customer_code === 'CUSTOMER' ? run(input) : ok({ as_of: input.from, next: null, refunds: [] }),
    ),
  'ledger.currency': (erp) =>
    replaceOperation(erp, 'freight_bills', async (input, run) =>
      run(input.currency === 'CNY' ? { ...input, currency: 'AUD' } : input),
    ),
  'ledger.order': (erp) =>
    changeOutput(erp, 'bills', ({ bills, ...rest }) => ({ ...rest, bills: bills.map(shiftIssueTime) })),
  'ledger.pages': (erp) =>
    replaceOperation(erp, 'freight_bills', (input, run) => run({ ...input, skip: Math.min(1, input.skip) })),
  'ledger.span': (erp) => replaceOperation(erp, 'refunds', (input, run) => run({ ...input, to: null })),
  'ledger.status': (erp) => replaceOperation(erp, 'bills', (input, run) => run({ ...input, status: null })),
  'ledger.chain': (erp) =>
    changeOutput(erp, 'transactions', ({ transactions, ...rest }) => ({
      ...rest,
      transactions: transactions.map(breakBalance),
    })),
  'ledger.opening': (erp) =>
    changeOutput(erp, 'transactions', ({ balances, ...rest }, { limit }) => ({
      ...rest,
      balances: limit === 7 ? balances.map((each) => ({ ...each, opening_balance: 0 })) : balances,
    })),
  'ledger.back_dated': (erp) => {
    let reads = 0
    return changeOutput(erp, 'transactions', ({ transactions, ...rest }, { limit, after }) => {
      if (limit !== backDatedPageRows) return { transactions, ...rest }
      if (after === null) reads += 1
      return { ...rest, transactions: reads > 1 ? transactions : leaveOut(transactions, 'T-000010') }
    })
  },
  'ledger.balances': (erp) =>
    changeOutput(erp, 'balances', ({ as_of, balances }) => ({
      as_of,
      balances: balances.map((each) => ({ ...each, balance: each.balance + each.credit_limit })),
    })),
  'ledger.bills': (erp) =>
    changeOutput(erp, 'bills', ({ bills, ...rest }) => ({
      ...rest,
      bills: bills.map((bill) => ({
        ...bill,
        amount_total: bill.amount_total + 1,
        amount_due: bill.amount_due + 1,
      })),
    })),
  'ledger.refunds': (erp) =>
    changeOutput(erp, 'refunds', ({ refunds, ...rest }) => ({
      ...rest,
      refunds: refunds.map((refund) => ({ ...refund, amount: refund.amount + 1 })),
    })),
  'ledger.freight_bills': (erp) =>
    changeOutput(erp, 'freight_bills', ({ freight_bills, ...rest }) => ({
      ...rest,
      freight_bills: freight_bills.map((bill) => ({ ...bill, amount: bill.chargeable_weight_g })),
    })),
}

/** The page before a transaction was booked, with a date in the past. */
function leaveOut(rows: Output<'transactions'>['transactions'], number: string) {
  return rows.filter((row) => row.number !== number)
}

/** Makes the first bill of the list older than the second, which breaks the sort order. */
function shiftIssueTime(bill: Output<'bills'>['bills'][number]) {
  return { ...bill, issued_at: `2026-10-15T00:00:0${bill.currency === 'AUD' ? 1 : 0}.000Z` }
}

/** Breaks the chain of balances at one transaction in the middle of a page. */
function breakBalance(row: Output<'transactions'>['transactions'][number]) {
  return row.number === 'T-000010' ? { ...row, balance_after: row.balance_after + 1 } : row
}
