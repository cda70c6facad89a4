/** Bills, refunds and freight bills against the transactions that stand for them. */
import { type Difference, difference, minorOf } from './fault.ts'
import type { Bill, FreightBill, Records, Transaction } from './records.ts'

/** Whether a time is one of which all transactions were read. */
export function isWithin({ from, to, as_of }: Records, time: string): boolean {
  return time.slice(0, 10) >= from && time.slice(0, 10) <= to && time <= as_of
}

export function billFaults(bill: Bill, rows: readonly Transaction[]): Difference[] {
  const { bill_id, currency, status } = bill
  const [total, paid, due] = [bill.amount_total, bill.amount_paid, bill.amount_due].map((amount) =>
    minorOf(amount, currency),
  )
  const own = rows.filter((row) => row.bill_id === bill_id)
  const sum = own.reduce((all, row) => all - minorOf(row.amount, currency), 0)
  const faults = []
  if (status !== 'void' && sum !== total)
    faults.push(difference('bill', bill_id, `${total}, and its ${own.length} transactions come to ${sum}`))
  if (own.some((row) => row.currency !== currency))
    faults.push(difference('bill', bill_id, 'a transaction of it is in another currency'))
  if ((total ?? 0) - (paid ?? 0) !== due)
    faults.push(difference('bill', bill_id, `${total} without ${paid} is not ${due}`))
  return faults
}

export function refundFaults(
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
    if (!isWithin(records, completed_at)) return false
    const row = byId.get(transaction_id)
    return !(row?.type === 'refund' && row.currency === currency && row.amount === amount)
  })
  return [
    ...unnamed.map(({ transaction_id }) => difference('refund', transaction_id, 'no refund names it')),
    ...mismatched.map(({ refund_id, status, amount, currency, transaction_id }) =>
      difference(
        'refund',
        refund_id,
        `${status}, ${amount} ${currency}, booked as ${transaction_id ?? 'nothing'}`,
      ),
    ),
  ]
}

export function freightFaults(
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
    ...unnamed.map(({ transaction_id }) => difference('freight', transaction_id, 'no freight bill names it')),
    ...mismatched.map(({ freight_bill_id, amount, currency, transaction_id }) =>
      difference(
        'freight',
        freight_bill_id,
        `${amount} ${currency}, booked as ${transaction_id ?? 'nothing'}`,
      ),
    ),
  ]
}
