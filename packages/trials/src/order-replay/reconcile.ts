/**
 * Compares three sets of records: what the client knows, what the gateway returns, and what the ERP has. An order is
 * identified in all of them by its `client_order_number`. The stock is checked twice: each row against the ERP's
 * documents, and each SKU against the client's orders.
 */

import { type Books, createFinding, type Finding, type FindingKind } from './finding.ts'
import type { GatewayOrder } from './gateway-orders.ts'
import type { ErpClass } from './options.ts'
import type { Entry } from './place-order.ts'
import { compareStockWithCopy, compareStockWithDocuments, compareStockWithSales } from './reconcile-stock.ts'
import type { ErpRecord } from './replay-erp.ts'

/** The findings that do not break the guarantees of an ERP class. Without look-ups, an outcome may stay unknown. */
const allowedFindings: Readonly<Record<ErpClass, readonly FindingKind[]>> = {
  dedupe: [],
  lookup: [],
  settle: [],
  neither: ['unknown'],
}

/** Whether the findings are compatible with the guarantees of an ERP class. */
export function areGuaranteesKept(findings: readonly Finding[], erp_class: ErpClass): boolean {
  return findings.every(({ kind }) => allowedFindings[erp_class].includes(kind))
}

/** Compares all records and returns the inconsistencies. */
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
      return reconcileEntry(entry, byNumber.get(number) ?? [], shownByNumber.get(number) ?? [])
    }),
    ...strangers.map((subject) => createFinding('contradicted', subject, 'nobody ordered it')),
    ...compareStockWithDocuments(books),
    ...compareStockWithSales(books),
    ...compareStockWithCopy(books),
  ]
}

function reconcileEntry(
  entry: Entry,
  documents: readonly ErpRecord[],
  shown: readonly GatewayOrder[],
): Finding[] {
  const { client_order_number: number, outcome, trouble } = entry
  const [document] = documents
  const [order] = shown
  if (documents.length > 1 || shown.length > 1) {
    const story = `${documents.length} times in the ERP, ${shown.length} times in the gateway`
    return [createFinding('duplicated', number, story)]
  }
  if (outcome === 'unknown') {
    const story = `${trouble}; in the ERP it is ${document?.status ?? 'absent'}`
    return [createFinding('unknown', number, story)]
  }
  const refused = outcome === 'refused' ? [createFinding('refused', number, trouble ?? '')] : []
  const voidRefused =
    outcome === 'confirmed' && trouble !== null ? [createFinding('refused', number, trouble)] : []
  return [
    ...refused,
    ...voidRefused,
    ...compareOutcome(entry, document),
    ...compareGatewayOrder(entry, document, order),
    ...comparePrices(entry, document, order),
  ]
}

/** Compares the client's outcome with the ERP. */
function compareOutcome(
  { client_order_number: number, outcome, goods }: Entry,
  document: ErpRecord | undefined,
) {
  const status = document?.status ?? 'absent'
  if (outcome === 'refused') {
    return document ? [createFinding('contradicted', number, `refused, and the ERP has it: ${status}`)] : []
  }
  if (!document) return [createFinding('lost', number, `${outcome}, and the ERP does not have it`)]
  const isLive = status === 'open' || status === 'shipped'
  if (outcome === 'voided')
    return isLive ? [createFinding('contradicted', number, `voided, and in the ERP it is ${status}`)] : []
  if (!isLive) return [createFinding('lost', number, `confirmed, and in the ERP it is ${status}`)]
  const isWhole =
    document.lines.length === goods.size &&
    document.lines.every(
      ({ sku, quantity, quantity_allocated }) =>
        goods.get(sku) === quantity && quantity_allocated === quantity,
    )
  return isWhole ? [] : [createFinding('contradicted', number, 'the ERP has other lines than were ordered')]
}

const shownStatus: Readonly<Record<string, GatewayOrder['status']>> = {
  open: 'confirmed',
  shipped: 'confirmed',
  cancelled: 'cancelled',
  intercepted: 'cancelled',
}

/** Compares the gateway's order with the ERP. */
function compareGatewayOrder(
  { client_order_number: number }: Entry,
  document: ErpRecord | undefined,
  order?: GatewayOrder,
) {
  if (order?.in_doubt)
    return [createFinding('unknown', number, 'the gateway still reports an unknown outcome')]
  const expected = document === undefined ? 'draft' : (shownStatus[document.status] ?? '')
  if (order === undefined) {
    return document
      ? [createFinding('mismatched', number, `the gateway has none, the ERP: ${document.status}`)]
      : []
  }
  const isSame =
    order.status === expected &&
    (document === undefined || (order.status_raw === document.status_raw && areLinesEqual(order, document)))
  if (isSame) return []
  const detail = `the gateway: ${order.status} ${order.status_raw}, the ERP: ${document?.status} ${document?.status_raw}`
  return [createFinding('mismatched', number, detail)]
}

function areLinesEqual(order: GatewayOrder, document: ErpRecord): boolean {
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

function comparePrices(
  { client_order_number: number, total, quoted }: Entry,
  document: ErpRecord | undefined,
  order?: GatewayOrder,
) {
  if (total === null || document === undefined) return []
  const minor = 100
  const totals = [quoted, order?.costs?.total, (document.costs?.total ?? Number.NaN) / minor]
  if (totals.every((each) => each === total)) return []
  const story = `submitted at ${total}; preview, gateway and ERP: ${totals.join(', ')}`
  return [createFinding('mispriced', number, story)]
}
