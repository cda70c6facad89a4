/** Compares the client's orders with the statement: each order must be charged its total, or nothing. */
import { createDifference, type Difference, toMinorUnits } from '../statement/fault.ts'
import { proveStatement, type StatementProof } from '../statement/proof.ts'
import { maxDays, type Read, type Records, readRecords, subtractDays } from '../statement/records.ts'
import { createFinding, type Finding } from './finding.ts'
import type { Entry } from './place-order.ts'

const currency = 'AUD'

/**
 * Reads the longest possible statement up to the ERP's current day, and checks that it is consistent. Throws
 * `NoUsableResponse`.
 */
export async function readStatement(read: Read): Promise<{ records: Records; proof: StatementProof }> {
  const { to } = await readRecords(read)
  const records = await readRecords(read, { from: subtractDays(to, maxDays - 1), to })
  return { records, proof: proveStatement(records) }
}

/** Returns all inconsistencies of the amounts. `erpBalance` is the balance in the ERP's own books, if it has any. */
export function findMoneyFaults(
  { records, proof }: { records: Records; proof: StatementProof },
  entries: readonly Entry[],
  erpBalance: number | undefined,
): Finding[] {
  const charged = sumCharges(records)
  return [
    ...proof.differences,
    ...entries.flatMap((entry) => compareCharge(entry, charged)),
    ...(erpBalance === undefined ? [] : compareBalance(records, erpBalance)),
  ].map(({ kind, subject, story }) => createFinding('unbalanced', subject, `${kind}: ${story}`))
}

/** Compares the newest balance of the statement with the one in the ERP's own books. */
function compareBalance({ pages }: Records, erpBalance: number): Difference[] {
  const newest = pages[0]?.balances.find((each) => each.currency === currency)?.closing_balance ?? 0
  const shown = toMinorUnits(newest, currency)
  if (shown === erpBalance) return []
  const story = `the statement ends with ${shown} minor units, the ERP's books with ${erpBalance}`
  return [createDifference('balance', currency, story)]
}

/**
 * Sums the charges of each order, with freight and minus refunds, in minor units. The transaction of a freight bill
 * does not name the order, so the order is looked up in the freight bill.
 */
function sumCharges({ pages, freight_bills }: Records): Map<string, number> {
  const orderOf = new Map(freight_bills.map((bill) => [bill.freight_bill_id, bill.order_id]))
  const charged = new Map<string, number>()
  for (const { reference_type, reference_id, amount } of pages.flatMap(({ data }) => data)) {
    const isFreight = reference_type === 'freight_bill'
    const order = isFreight
      ? orderOf.get(reference_id ?? '')
      : reference_type === 'order'
        ? reference_id
        : null
    if (order) charged.set(order, (charged.get(order) ?? 0) - toMinorUnits(amount, currency))
  }
  return charged
}

function compareCharge(
  { outcome, order_id, total }: Entry,
  charged: ReadonlyMap<string, number>,
): Difference[] {
  if (order_id === undefined || outcome === 'unknown') return []
  const came = charged.get(order_id) ?? 0
  const wanted = outcome === 'confirmed' ? toMinorUnits(total ?? 0, currency) : 0
  if (came === wanted) return []
  return [createDifference('sum', order_id, `${outcome}, and charged ${came} minor units, not ${wanted}`)]
}
