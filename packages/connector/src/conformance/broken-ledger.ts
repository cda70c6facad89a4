import { ok, withoutLedger } from '../erp.ts'
import type { Output } from '../operations.ts'
import { changed, describedAs, type Mutant, replaced } from './broken.ts'

/** By check: the fault of accounts and statements that it is there to find. */
export const brokenLedger: Readonly<Record<string, Mutant>> = {
  'ledger.none': (erp) => describedAs({ ...erp, ...withoutLedger, bills: erp.bills }, { ledger: false }),
  'ledger.unknown': (erp) =>
    replaced(erp, 'refunds', async (input, run) =>
      input.customer_code === 'CUSTOMER' ? run(input) : ok({ as_of: input.from, next: null, refunds: [] }),
    ),
  'ledger.currency': (erp) =>
    replaced(erp, 'freight_bills', async (input, run) =>
      run(input.currency === 'CNY' ? { ...input, currency: 'AUD' } : input),
    ),
  'ledger.order': (erp) =>
    changed(erp, 'bills', ({ bills, ...rest }) => ({ ...rest, bills: bills.map(issuedLater) })),
  'ledger.pages': (erp) =>
    replaced(erp, 'freight_bills', (input, run) => run({ ...input, skip: Math.min(1, input.skip) })),
  'ledger.span': (erp) => replaced(erp, 'refunds', (input, run) => run({ ...input, to: null })),
  'ledger.chain': (erp) =>
    changed(erp, 'transactions', ({ transactions, ...rest }) => ({
      ...rest,
      transactions: transactions.map(miscounted),
    })),
  'ledger.opening': (erp) =>
    changed(erp, 'transactions', ({ balances, ...rest }, { limit }) => ({
      ...rest,
      balances: limit === 7 ? balances.map((each) => ({ ...each, opening_balance: 0 })) : balances,
    })),
  'ledger.balances': (erp) =>
    changed(erp, 'balances', ({ as_of, balances }) => ({
      as_of,
      balances: balances.map((each) => ({ ...each, balance: each.balance + each.credit_limit })),
    })),
  'ledger.bills': (erp) =>
    changed(erp, 'bills', ({ bills, ...rest }) => ({
      ...rest,
      bills: bills.map((bill) => ({
        ...bill,
        amount_total: bill.amount_total + 1,
        amount_due: bill.amount_due + 1,
      })),
    })),
  'ledger.refunds': (erp) =>
    changed(erp, 'refunds', ({ refunds, ...rest }) => ({
      ...rest,
      refunds: refunds.map((refund) => ({ ...refund, amount: refund.amount + 1 })),
    })),
  'ledger.freight_bills': (erp) =>
    changed(erp, 'freight_bills', ({ freight_bills, ...rest }) => ({
      ...rest,
      freight_bills: freight_bills.map((bill) => ({ ...bill, amount: bill.chargeable_weight_g })),
    })),
}

/** The bill that stands first claims to be the older one. */
function issuedLater(bill: Output<'bills'>['bills'][number]) {
  return { ...bill, issued_at: `2026-10-15T00:00:0${bill.currency === 'AUD' ? 1 : 0}.000Z` }
}

/** One transaction in the middle of a page does not follow from the one before it. */
function miscounted(row: Output<'transactions'>['transactions'][number]) {
  return row.number === 'T-000010' ? { ...row, balance_after: row.balance_after + 1 } : row
}
