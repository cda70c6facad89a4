import type { ErpDocument } from '@trade-gateway/connector'
import type { SandboxErp } from '../erp.ts'
import { getFrozenAmount } from '../orders/frozen-amount.ts'
import type { Row } from '../store.ts'

type Books = Pick<SandboxErp, 'store'>

/**
 * Returns all inconsistencies of the ledger as sentences. They are computed from the rows alone, without the ledger's
 * code.
 */
export function findLedgerFaults(erp: Books): string[] {
  return [
    ...findPostingFaults(erp),
    ...readAccounts(erp).flatMap((account) => findChainFaults(erp, account)),
    ...findBillFaults(erp),
    ...findRefundAndFreightFaults(erp),
    ...findOrderFaults(erp),
  ]
}

function findDifference(what: string, one: unknown, other: unknown): string[] {
  return one === other ? [] : [`${what}: ${one} and ${other}`]
}

function readAccounts({ store }: Books): Row[] {
  return store.all('select * from ledger_accounts')
}

/** Finds entries that do not sum to zero, or whose amount is not the posting on the customer's account. */
function findPostingFaults({ store }: Books): string[] {
  const rows = store.all(
    `select e.number, e.amount, sum(p.amount) as rest,
       sum(iif(p.account = 'customer:' || e.customer_code, p.amount, 0)) as own
     from ledger_entries e left join ledger_postings p on p.entry_id = e.id group by e.id`,
  )
  const sums = store.all(
    'select currency, sum(p.amount) as rest from ledger_postings p join ledger_entries e on e.id = p.entry_id group by currency',
  )
  return [
    ...rows.flatMap(({ number, amount, rest, own }) => [
      ...findDifference(`the postings of ${number} and zero`, rest, 0),
      ...findDifference(`the amount of ${number} and its posting`, amount, own),
    ]),
    ...sums.flatMap(({ currency, rest }) => findDifference(`all postings in ${currency} and zero`, rest, 0)),
  ]
}

function findChainFaults({ store }: Books, account: Row): string[] {
  const { customer_code = null, currency = null } = account
  const rows = store.all(
    'select * from ledger_entries where customer_code = ? and currency = ? order by id',
    customer_code,
    currency,
  )
  let [balance, credited, at] = [0, 0, 0]
  const faults = rows.flatMap((row, index) => {
    balance += Number(row.amount)
    if (row.type === 'payment' || row.type === 'topup') credited += Number(row.amount)
    const isLater = Number(row.occurred_at) >= at
    at = Number(row.occurred_at)
    return [
      ...findDifference(`the place of ${row.number}`, row.position, index + 1),
      ...findDifference(`the balance after ${row.number}`, row.balance_after, balance),
      ...findDifference(`whether ${row.number} is later than the one before it`, isLater, true),
    ]
  })
  const name = `${customer_code} ${currency}`
  return [
    ...faults,
    ...findDifference(`the balance of ${name}`, account.balance, balance),
    ...findDifference(`what ${name} paid in`, account.credited, credited),
    ...findDifference(`how many entries ${name} has`, account.position, rows.length),
    ...findDifference(`what is frozen of ${name}`, account.frozen, sumFrozen({ store }, name)),
  ]
}

/** Sums the freight of open orders and the totals of drop-ship holds. */
function sumFrozen({ store }: Books, name: string): number {
  const own = readDocuments({ store }).filter(
    ({ customer_code, document }) => `${customer_code} ${document.currency}` === name,
  )
  return own.reduce((sum, { document }) => {
    const isOpen = document.kind === 'order' && document.status === 'open'
    return sum + (isOpen ? (document.costs?.freight ?? 0) : getFrozenAmount({ document }))
  }, 0)
}

function readDocuments({ store }: Books): { customer_code: string; document: ErpDocument }[] {
  return store.all('select body, particulars from documents').map(({ body, particulars }) => ({
    customer_code: JSON.parse(String(particulars)).customer_code,
    document: JSON.parse(String(body)),
  }))
}

/**
 * Finds bills that are not the sum of the charges and refunds of their month, or whose `billed_through` is not the sum
 * of everything up to them.
 */
function findBillFaults({ store }: Books): string[] {
  return store
    .all(
      `select b.number, b.amount_total, b.billed_through,
         (select -sum(amount) from ledger_entries e where e.customer_code = b.customer_code and e.currency = b.currency
            and e.type not in ('payment', 'topup')
            and strftime('%Y-%m-%d', occurred_at / 1000, 'unixepoch') between b.period_start and b.period_end) as sum,
         (select -sum(amount) from ledger_entries e where e.customer_code = b.customer_code and e.currency = b.currency
            and e.type not in ('payment', 'topup')
            and strftime('%Y-%m-%d', occurred_at / 1000, 'unixepoch') <= b.period_end) as through
       from bills b`,
    )
    .flatMap(({ number, amount_total, billed_through, sum, through }) => [
      ...findDifference(`${number} and its entries`, amount_total, sum),
      ...findDifference(`everything up to ${number}`, billed_through, through),
    ])
}

/** Finds refunds and freight bills whose amounts are not the ones that were booked for them. */
function findRefundAndFreightFaults({ store }: Books): string[] {
  const refunds = store.all(
    'select r.number, r.status, r.amount, e.amount as booked, e.type from refunds r left join ledger_entries e on e.id = r.entry_id',
  )
  const freight = store.all(
    'select f.number, f.amount, e.amount as booked, e.type from freight_bills f left join ledger_entries e on e.id = f.entry_id',
  )
  const entries = store.one(
    `select sum(type = 'freight') as freight, sum(type = 'refund') as refunds from ledger_entries`,
  )
  const completed = refunds.filter(({ status }) => status === 'completed')
  return [
    ...completed.flatMap(({ number, amount, booked, type }) => [
      ...findDifference(`${number} and what was booked`, amount, booked),
      ...findDifference(`the type of ${number}`, type, 'refund'),
    ]),
    ...refunds
      .filter(({ status }) => status !== 'completed')
      .flatMap(({ number, booked }) => findDifference(`${number}, which is not completed`, booked, null)),
    ...freight.flatMap(({ number, amount, booked, type }) => [
      ...findDifference(`${number} and what was booked`, amount, -Number(booked)),
      ...findDifference(`the type of ${number}`, type, 'freight'),
    ]),
    ...findDifference('the number of freight bills', freight.length, entries?.freight),
    ...findDifference('the number of completed refunds', completed.length, entries?.refunds),
  ]
}

/** Finds orders whose bookings do not match their costs and status. */
function findOrderFaults({ store }: Books): string[] {
  const sums = new Map(
    store
      .all(
        `select coalesce(f.order_number, e.document_number) as number, sum(e.amount) as sum
         from ledger_entries e left join freight_bills f on f.entry_id = e.id
         where e.type in ('order_charge', 'freight', 'refund') group by 1`,
      )
      .map(({ number, sum }) => [String(number), Number(sum)]),
  )
  const pending = new Set(
    store.all("select order_number from refunds where status = 'pending'").map((row) => row.order_number),
  )
  return readDocuments({ store }).flatMap(({ document }) => {
    if (document.kind !== 'order') return []
    const { number, status, costs } = document
    const { total, freight } = costs ?? { total: 0, freight: 0 }
    const isBack = (status === 'cancelled' || status === 'intercepted') && !pending.has(number)
    const wanted = status === 'shipped' ? -total : isBack ? 0 : freight - total
    return findDifference(`what was booked for ${number}, ${status}`, (sums.get(number) ?? 0) + 0, wanted + 0)
  })
}
