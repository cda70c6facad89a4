/** Compares bills, refunds and freight bills with their transactions. */
import { createDifference, type Difference, toMinorUnits } from './fault.ts'
import type { Bill, FreightBill, Records, Transaction } from './records.ts'

/**
 * Whether `time` falls within the period that was read, and not after `as_of`, so that its transactions must be among
 * the records.
 */
export function isInPeriod({ from, to, as_of }: Records, time: string): boolean {
  return time.slice(0, 10) >= from && time.slice(0, 10) <= to && time <= as_of
}

export function findBillFaults(bill: Bill, rows: readonly Transaction[]): Difference[] {
  const { bill_id, currency, status } = bill
  const [total, paid, due] = [bill.amount_total, bill.amount_paid, bill.amount_due].map((amount) =>
    toMinorUnits(amount, currency),
  )
  const own = rows.filter((row) => row.bill_id === bill_id)
  const sum = own.reduce((all, row) => all - toMinorUnits(row.amount, currency), 0)
  const faults = []
  if (status !== 'void' && sum !== total)
    faults.push(
      createDifference('bill', bill_id, `${total}, and its ${own.length} transactions come to ${sum}`),
    )
  if (own.some((row) => row.currency !== currency))
    faults.push(createDifference('bill', bill_id, 'a transaction of it is in another currency'))
  if ((total ?? 0) - (paid ?? 0) !== due)
    faults.push(createDifference('bill', bill_id, `${total} without ${paid} is not ${due}`))
  return faults
}

export function findRefundFaults(
  records: Records,
  rows: readonly Transaction[],
  byId: ReadonlyMap<string, Transaction>,
): Difference[] {
  const { refunds } = records
  const named = new Set(refunds.map(({ transaction_id }) => transaction_id))
  const unnamed = rows.filter((row) => row.type === 'refund' && !named.has(row.transaction_id))
  const mismatched = refunds.filter((refund) => {
    const { status, completed_at, transaction_id, amount, currency } = refund
    if (status !== 'completed') return transaction_id !== null
    if (completed_at === null || transaction_id === null) return true
    if (!isInPeriod(records, completed_at)) return false
    const row = byId.get(transaction_id)
    return !(row?.type === 'refund' && row.currency === currency && row.amount === amount)
  })
  return [
    ...unnamed.map(({ transaction_id }) => createDifference('refund', transaction_id, 'no refund names it')),
    ...mismatched.map(({ refund_id, status, amount, currency, transaction_id }) =>
      createDifference(
        'refund',
        refund_id,
        `${status}, ${amount} ${currency}, booked as ${transaction_id ?? 'nothing'}`,
      ),
    ),
  ]
}

export function findFreightFaults(
  bills: readonly FreightBill[],
  rows: readonly Transaction[],
  byId: ReadonlyMap<string, Transaction>,
): Difference[] {
  const named = new Set(bills.map(({ transaction_id }) => transaction_id))
  const unnamed = rows.filter((row) => row.type === 'freight' && !named.has(row.transaction_id))
  const mismatched = bills.filter(({ transaction_id, amount, currency }) => {
    const row = byId.get(transaction_id ?? '')
    return !(row?.type === 'freight' && row.currency === currency && row.amount === -amount)
  })
  return [
    ...unnamed.map(({ transaction_id }) =>
      createDifference('freight', transaction_id, 'no freight bill names it'),
    ),
    ...mismatched.map(({ freight_bill_id, amount, currency, transaction_id }) =>
      createDifference(
        'freight',
        freight_bill_id,
        `${amount} ${currency}, booked as ${transaction_id ?? 'nothing'}`,
      ),
    ),
  ]
}
