/** The client's orders against the statement: what was charged for each is what it costs, or nothing. */
import { type Difference, difference, minorOf } from '../statement/fault.ts'
import { provedStatement, type StatementProof } from '../statement/proof.ts'
import { dayBefore, mostDays, type Read, type Records, recordsOf } from '../statement/records.ts'
import { type Finding, finding } from './finding.ts'
import type { Entry } from './placing.ts'

const currency = 'AUD'

/** The longest statement that ends with the ERP's present day, and its proof. Throws `Unanswered`. */
export async function readStatement(read: Read): Promise<{ records: Records; proof: StatementProof }> {
  const { to } = await recordsOf(read)
  const records = await recordsOf(read, { from: dayBefore(to, mostDays - 1), to })
  return { records, proof: provedStatement(records) }
}

/** Everything that is wrong with the money. */
export function moneyFindings(
  { records, proof }: { records: Records; proof: StatementProof },
  entries: readonly Entry[],
): Finding[] {
  const charged = chargesOf(records)
  return [...proof.differences, ...entries.flatMap((entry) => ofEntry(entry, charged))].map(
    ({ kind, subject, story }) => finding('unbalanced', subject, `${kind}: ${story}`),
  )
}

/** What was charged for each order in minor units, less what was refunded; its freight is billed by shipment. */
function chargesOf({ pages, freight_bills }: Records): Map<string, number> {
  const orderOf = new Map(freight_bills.map((bill) => [bill.freight_bill_id, bill.order_id]))
  const charged = new Map<string, number>()
  for (const { reference_type, reference_id, amount } of pages.flatMap(({ data }) => data)) {
    const isFreight = reference_type === 'freight_bill'
    const order = isFreight
      ? orderOf.get(reference_id ?? '')
      : reference_type === 'order'
        ? reference_id
        : null
    if (order) charged.set(order, (charged.get(order) ?? 0) - minorOf(amount, currency))
  }
  return charged
}

function ofEntry({ outcome, order_id, total }: Entry, charged: ReadonlyMap<string, number>): Difference[] {
  if (order_id === undefined || outcome === 'unknown') return []
  const came = charged.get(order_id) ?? 0
  const wanted = outcome === 'confirmed' ? minorOf(total ?? 0, currency) : 0
  if (came === wanted) return []
  return [difference('sum', order_id, `${outcome}, and charged ${came} minor units, not ${wanted}`)]
}
