/**
 * Automatic changes of documents, by the ERP's clock: holds expire, orders are handed over to the warehouse and
 * shipped. They are applied before each operation and by a timer, up to a limit. The document that an operation refers
 * to is always brought up to date, whatever the limit.
 */
import type { ErpDocument, ErpShipment, ErpWarehouse } from '@trade-gateway/connector'
import { bookDueInTransaction } from '../ledger/due.ts'
import { chargeFreight, type Parcel } from '../ledger/sales.ts'
import { takeDocumentNumber } from '../sequences.ts'
import type { Store } from '../store.ts'
import type { OrderContext } from './context.ts'
import { findDocument, findDueDocuments, type StoredDocument, updateDocument } from './documents.ts'
import { readWeights } from './goods.ts'
import { expireHold } from './hold.ts'
import { countTravelDays, estimateArrival, planJourney, toLocalDay } from './journey.ts'
import { listUnits, moveStock, toShipMoves, type Units } from './moves.ts'
import { toInstant } from './quote.ts'
import { readWarehouses } from './request.ts'
import { toSale } from './sale.ts'

/**
 * The maximum number of orders that are changed at once. With 20 lines each, so many orders block other operations for
 * about 15 ms.
 */
const maxOrdersPerTurn = 20
const maxHoldsPerTurn = 200
const maxHoldTurns = 10
const unitsPerPackage = 20
const gramsPerKilogram = 1_000

/** Applies due changes: expired holds (at most 2000), some orders, bills and refunds. Returns their number. */
export function applyDueChanges(context: OrderContext): number {
  let applied = 0
  for (let turn = 0; turn < maxHoldTurns; turn++) {
    const holds = applyDueBatch(context, 'hold', maxHoldsPerTurn)
    applied += holds
    if (holds < maxHoldsPerTurn) break
  }
  const orders = applyDueBatch(context, 'order', maxOrdersPerTurn)
  return applied + orders + bookDueInTransaction(context, context.clock.now())
}

/** Applies due changes to one document. */
export function applyDueChangesTo(context: OrderContext, reference: string): void {
  const stored = findDocument(context.store, reference)
  const now = context.clock.now()
  if (stored?.due_at != null && stored.due_at <= now)
    context.store.transaction(() => advanceDocument(context, stored, now))
}

function applyDueBatch(context: OrderContext, kind: ErpDocument['kind'], limit: number): number {
  const now = context.clock.now()
  const due = findDueDocuments(context.store, { kind, now, limit })
  if (due.length === 0) return 0
  context.store.transaction(() => {
    for (const stored of due) advanceDocument(context, stored, now)
  })
  return due.length
}

function advanceDocument(context: OrderContext, stored: StoredDocument, now: number) {
  if (stored.document.kind === 'hold') return expireHold(context, stored)
  const submitted = Date.parse(stored.document.submitted_at ?? '')
  const leaves = submitted + context.shippingMs
  if (leaves <= now) return void shipOrder(context, stored, leaves)
  handOver(context, stored)
}

/** Computes the time of the next automatic change of an open order. */
export function computeNextDue(
  context: OrderContext,
  { status_raw }: ErpDocument,
  submitted: number,
): number | null {
  const isWithWarehouse = status_raw === 'PICKING'
  const due =
    submitted + (isWithWarehouse ? context.shippingMs : Math.min(context.handoverMs, context.shippingMs))
  return Number.isFinite(due) ? due : null
}

/** Hands an order over to the warehouse, in the caller's transaction. */
export function handOver(context: OrderContext, { id, document }: StoredDocument): ErpDocument {
  const handed: ErpDocument = { ...document, status_raw: 'PICKING' }
  const submitted = Date.parse(document.submitted_at ?? '')
  updateDocument(context.store, { id, document: handed, due_at: computeNextDue(context, handed, submitted) })
  return handed
}

/** Ships an open order with one shipment from each warehouse, in the caller's transaction. */
export function shipOrder(context: OrderContext, stored: StoredDocument, at: number): ErpDocument {
  const { document } = stored
  const units = listUnits(document.lines)
  moveStock(context, toShipMoves(units))
  const groups = Map.groupBy(units, ({ warehouse_code }) => warehouse_code)
  const shipments = [...groups].map(([code, inParcel]) =>
    createShipment(context, stored, { code, units: inParcel, at }),
  )
  const shipped: ErpDocument = {
    ...document,
    status: 'shipped',
    status_raw: 'DESPATCHED',
    lines: document.lines.map((line) => ({ ...line, quantity_shipped: line.quantity_allocated })),
    shipments,
  }
  updateDocument(context.store, { id: stored.id, document: shipped, due_at: null })
  chargeFreight(context, toSale(stored), toParcels(context.store, stored, shipments))
  return shipped
}

/**
 * Computes the weight of each shipment, its chargeable weight (rounded up to the next whole kilogram, in grams) and its
 * freight zone.
 */
function toParcels(
  store: Store,
  { document, particulars }: StoredDocument,
  shipments: readonly ErpShipment[],
): Parcel[] {
  const weights = readWeights(store, document.lines)
  const journey = planJourney(store, particulars.customer_code, particulars.delivery)
  return shipments.map((shipment) => {
    const weight_g = shipment.lines.reduce(
      (sum, { sku, quantity }) => sum + quantity * (weights.get(sku) ?? 0),
      0,
    )
    const country = requireWarehouse(store, shipment.warehouse_code).country_code
    return {
      shipment,
      weight_g,
      chargeable_weight_g: Math.ceil(weight_g / gramsPerKilogram) * gramsPerKilogram,
      zone: `${country}-${journey.country_code ?? country}`,
    }
  })
}

function createShipment(
  context: OrderContext,
  { particulars }: StoredDocument,
  { code: warehouse, units, at }: { code: string; units: readonly Units[]; at: number },
): ErpShipment {
  const { store } = context
  const number = takeDocumentNumber(store, 'SH')
  const journey = planJourney(store, particulars.customer_code, particulars.delivery)
  const { country_code: country, timezone } = requireWarehouse(store, warehouse)
  const carrier =
    journey.kind === 'delivery' ? (journey.carrier ?? chooseCarrier(country, journey.is_express)) : 'Pickup'
  const today = toLocalDay(at, timezone)
  const arrival = estimateArrival(today, countTravelDays(journey, country), { isReady: true, landing: [] })
  const isTracked = journey.kind === 'delivery'
  const tracking_number = isTracked ? `SBX${warehouse}${number.replace(/\D/g, '')}` : null
  return {
    number,
    warehouse_code: warehouse,
    carrier,
    service: journey.service,
    tracking_number,
    tracking_url: isTracked ? `https://track.sandbox.example/${tracking_number}` : null,
    lines: units.map(({ sku, quantity }) => ({ sku, quantity })),
    packages: Math.max(
      1,
      Math.ceil(units.reduce((sum, { quantity }) => sum + quantity, 0) / unitsPerPackage),
    ),
    shipped_at: toInstant(at),
    estimated_arrival_date: arrival.latest_arrival_date,
    status_raw: 'DESPATCHED',
  }
}

function requireWarehouse(store: Store, code: string): ErpWarehouse {
  const warehouse = readWarehouses(store).find(({ warehouse_code }) => warehouse_code === code)
  if (!warehouse) throw new Error(`There is no warehouse ${code}.`)
  return warehouse
}

function chooseCarrier(country: string, isExpress: boolean): string {
  if (country === 'CN') return isExpress ? 'West Lake Express' : 'Qiantang Logistics'
  return isExpress ? 'Kestrel Express' : 'Southern Road'
}
