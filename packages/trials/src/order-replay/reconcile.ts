/**
 * Three books are compared: what the client was told, what the gateway shows, and what the ERP has. An order is known
 * in all of them by its `client_order_number`. The stock is counted twice: by the ERP's documents, row by row, and by
 * the client's own orders, SKU by SKU.
 */
import type { ShownOrder } from './books.ts'
import type { ErpRecord } from './erp-desk.ts'
import { type Books, type FaultKind, type Finding, finding } from './finding.ts'
import type { Entry } from './placing.ts'
import { copyFindings, documentFindings, salesFindings } from './reconcile-stock.ts'
import type { ErpClass } from './wanted.ts'

/** What a class of ERP cannot rule out: without look-ups, an outcome may stay unknown. */
const allowed: Readonly<Record<ErpClass, readonly FaultKind[]>> = {
  dedupe: [],
  lookup: [],
  neither: ['unknown'],
}

/** Whether the guarantees of a class hold. */
export function isKept(findings: readonly Finding[], erp_class: ErpClass): boolean {
  return findings.every(({ kind }) => allowed[erp_class].includes(kind))
}

/** Everything that is wrong. */
export function reconcile(books: Books): Finding[] {
  const { entries, gateway, erp } = books
  const orders = erp.documents.filter(({ kind }) => kind === 'order')
  const byNumber = Map.groupBy(orders, ({ client_order_number }) => client_order_number ?? '')
  const shownByNumber = Map.groupBy(gateway.orders, ({ client_order_number }) => client_order_number ?? '')
  const known = new Set(entries.map(({ client_order_number }) => client_order_number))
  const strangers = [...new Set([...byNumber.keys(), ...shownByNumber.keys()])].filter(
    (number) => !known.has(number),
  )
  return [
    ...entries.flatMap((entry) => {
      const { client_order_number: number } = entry
      return ofEntry(entry, byNumber.get(number) ?? [], shownByNumber.get(number) ?? [])
    }),
    ...strangers.map((subject) => finding('contradicted', subject, 'nobody ordered it')),
    ...documentFindings(books),
    ...salesFindings(books),
    ...copyFindings(books),
  ]
}

function ofEntry(entry: Entry, documents: readonly ErpRecord[], shown: readonly ShownOrder[]): Finding[] {
  const { client_order_number: number, outcome, trouble } = entry
  const [document] = documents
  const [order] = shown
  if (documents.length > 1 || shown.length > 1) {
    const story = `${documents.length} times in the ERP, ${shown.length} times in the gateway`
    return [finding('duplicated', number, story)]
  }
  if (outcome === 'unknown') {
    const story = `${trouble}; in the ERP it is ${document?.status ?? 'absent'}`
    return [finding('unknown', number, story)]
  }
  const refused = outcome === 'refused' ? [finding('refused', number, trouble ?? '')] : []
  const voidRefused = outcome === 'confirmed' && trouble !== null ? [finding('refused', number, trouble)] : []
  return [
    ...refused,
    ...voidRefused,
    ...ofOutcome(entry, document),
    ...ofShown(entry, document, order),
    ...ofPrice(entry, document, order),
  ]
}

/** The client against the ERP. */
function ofOutcome({ client_order_number: number, outcome, goods }: Entry, document: ErpRecord | undefined) {
  const status = document?.status ?? 'absent'
  if (outcome === 'refused') {
    return document ? [finding('contradicted', number, `refused, and the ERP has it: ${status}`)] : []
  }
  if (!document) return [finding('lost', number, `${outcome}, and the ERP does not have it`)]
  const isLive = status === 'open' || status === 'shipped'
  if (outcome === 'voided')
    return isLive ? [finding('contradicted', number, `voided, and in the ERP it is ${status}`)] : []
  if (!isLive) return [finding('lost', number, `confirmed, and in the ERP it is ${status}`)]
  const isWhole =
    document.lines.length === goods.size &&
    document.lines.every(
      ({ sku, quantity, quantity_allocated }) =>
        goods.get(sku) === quantity && quantity_allocated === quantity,
    )
  return isWhole ? [] : [finding('contradicted', number, 'the ERP has other lines than were ordered')]
}

const shownStatus: Readonly<Record<string, ShownOrder['status']>> = {
  open: 'confirmed',
  shipped: 'confirmed',
  cancelled: 'cancelled',
  intercepted: 'cancelled',
}

/** The gateway against the ERP. */
function ofShown(
  { client_order_number: number }: Entry,
  document: ErpRecord | undefined,
  order?: ShownOrder,
) {
  if (order?.in_doubt) return [finding('unknown', number, `the gateway still shows it in doubt`)]
  const expected = document === undefined ? 'draft' : (shownStatus[document.status] ?? '')
  if (order === undefined) {
    return document
      ? [finding('mismatched', number, `the gateway has none, the ERP: ${document.status}`)]
      : []
  }
  const isSame =
    order.status === expected &&
    (document === undefined || (order.status_raw === document.status_raw && haveSameLines(order, document)))
  if (isSame) return []
  const told = `the gateway: ${order.status} ${order.status_raw}, the ERP: ${document?.status} ${document?.status_raw}`
  return [finding('mismatched', number, told)]
}

function haveSameLines(order: ShownOrder, document: ErpRecord): boolean {
  const lines = new Map(document.lines.map((line) => [line.sku, line]))
  return (
    order.lines.length === lines.size &&
    order.lines.every(({ sku, quantity, quantity_allocated, quantity_shipped }) => {
      const line = lines.get(sku)
      return (
        line?.quantity === quantity &&
        line.quantity_allocated === quantity_allocated &&
        line.quantity_shipped === quantity_shipped
      )
    })
  )
}

function ofPrice(
  { client_order_number: number, total, quoted }: Entry,
  document: ErpRecord | undefined,
  order?: ShownOrder,
) {
  if (total === null || document === undefined) return []
  const minor = 100
  const told = [quoted, order?.costs?.total, (document.costs?.total ?? Number.NaN) / minor]
  if (told.every((each) => each === total)) return []
  const story = `submitted at ${total}; preview, gateway and ERP: ${told.join(', ')}`
  return [finding('mispriced', number, story)]
}
