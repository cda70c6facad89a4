/**
 * What happens to documents by itself, by the ERP's clock: a hold expires, an order is handed over to the warehouse
 * and leaves it. It is applied before each operation and by a timer, in bounded turns, so that nobody sees a document
 * that is behind its time; the document that an operation names is brought up to date in any case.
 */
import type { ErpDocument, ErpShipment } from '@trade-gateway/connector'
import { applyDueBooks } from '../ledger/due.ts'
import { chargeFreight, type Parcel } from '../ledger/sales.ts'
import type { Store } from '../store.ts'
import type { Desk } from './desk.ts'
import { documentOf, dueDocuments, ownNumber, type Stored, updateDocument } from './documents.ts'
import { weightsOf } from './goods.ts'
import { expireHold } from './hold.ts'
import { arrivalOf, journeyOf, travelDays } from './journey.ts'
import { leaving, moveStock, type Units, unitsOf } from './moves.ts'
import { instant } from './quote.ts'
import { warehousesOf } from './request.ts'
import { saleOf } from './sale.ts'

/** So many orders of 20 lines keep everyone else waiting for some 15 ms. */
const mostOrdersPerTurn = 20
const mostHoldsPerTurn = 200
const mostHoldTurns = 10
const unitsPerPackage = 20
const gramsPerKilogram = 1_000

/** Applies what is due: all holds whose time is over (at most 2000), some orders, and the books. Answers how many. */
export function applyDue(desk: Desk): number {
  let applied = 0
  for (let turn = 0; turn < mostHoldTurns; turn++) {
    const holds = turnOf(desk, 'hold', mostHoldsPerTurn)
    applied += holds
    if (holds < mostHoldsPerTurn) break
  }
  const orders = turnOf(desk, 'order', mostOrdersPerTurn)
  return applied + orders + applyDueBooks(desk, desk.clock.now())
}

/** Brings one document up to date. */
export function applyDueOf(desk: Desk, reference: string): void {
  const stored = documentOf(desk.store, reference)
  const now = desk.clock.now()
  if (stored?.due_at != null && stored.due_at <= now) desk.store.transaction(() => advance(desk, stored, now))
}

function turnOf(desk: Desk, kind: ErpDocument['kind'], most: number): number {
  const now = desk.clock.now()
  const due = dueDocuments(desk.store, kind, now, most)
  if (due.length === 0) return 0
  desk.store.transaction(() => {
    for (const stored of due) advance(desk, stored, now)
  })
  return due.length
}

function advance(desk: Desk, stored: Stored, now: number) {
  if (stored.document.kind === 'hold') return expireHold(desk, stored)
  const submitted = Date.parse(stored.document.submitted_at ?? '')
  const leaves = submitted + desk.shippingMs
  if (leaves <= now) return void shipOrder(desk, stored, leaves)
  handOver(desk, stored)
}

/** When something happens to an open order by itself. */
export function nextDue(desk: Desk, { status_raw }: ErpDocument, submitted: number): number | null {
  const isWithWarehouse = status_raw === 'PICKING'
  const due = submitted + (isWithWarehouse ? desk.shippingMs : Math.min(desk.handoverMs, desk.shippingMs))
  return Number.isFinite(due) ? due : null
}

/** Hands an order over to the warehouse, inside the caller's transaction. */
export function handOver(desk: Desk, { id, document }: Stored): ErpDocument {
  const handed: ErpDocument = { ...document, status_raw: 'PICKING' }
  const submitted = Date.parse(document.submitted_at ?? '')
  updateDocument(desk.store, { id, document: handed, due_at: nextDue(desk, handed, submitted) })
  return handed
}

/** Lets an open order leave the house: one shipment from each warehouse, inside the caller's transaction. */
export function shipOrder(desk: Desk, stored: Stored, at: number): ErpDocument {
  const { document } = stored
  const units = unitsOf(document.lines)
  moveStock(desk, leaving(units))
  const groups = Map.groupBy(units, ({ warehouse_code }) => warehouse_code)
  const shipments = [...groups].map(([code, inParcel]) => shipmentOf(desk, stored, code, inParcel, at))
  const shipped: ErpDocument = {
    ...document,
    status: 'shipped',
    status_raw: 'DESPATCHED',
    lines: document.lines.map((line) => ({ ...line, quantity_shipped: line.quantity_allocated })),
    shipments,
  }
  updateDocument(desk.store, { id: stored.id, document: shipped, due_at: null })
  chargeFreight(desk, saleOf(stored), parcelsOf(desk.store, stored, shipments))
  return shipped
}

/** What each shipment weighs, by started kilograms, and how far it goes. */
function parcelsOf(
  store: Store,
  { document, particulars }: Stored,
  shipments: readonly ErpShipment[],
): Parcel[] {
  const weights = weightsOf(store, document.lines)
  const journey = journeyOf(store, particulars.customer_code, particulars.delivery)
  return shipments.map((shipment) => {
    const weight_g = shipment.lines.reduce(
      (sum, { sku, quantity }) => sum + quantity * (weights.get(sku) ?? 0),
      0,
    )
    const country = countryOf(store, shipment.warehouse_code)
    return {
      shipment,
      weight_g,
      chargeable_weight_g: Math.ceil(weight_g / gramsPerKilogram) * gramsPerKilogram,
      zone: `${country}-${journey.country_code ?? country}`,
    }
  })
}

function shipmentOf(
  desk: Desk,
  { particulars }: Stored,
  warehouse: string,
  units: readonly Units[],
  at: number,
): ErpShipment {
  const { store } = desk
  const number = ownNumber(store, 'SH')
  const journey = journeyOf(store, particulars.customer_code, particulars.delivery)
  const country = countryOf(store, warehouse)
  const carrier =
    journey.kind === 'delivery' ? (journey.carrier ?? carrierFrom(country, journey.is_express)) : 'Pickup'
  const arrival = arrivalOf(at, travelDays(journey, country), { isReady: true, landing: [] })
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
    shipped_at: instant(at),
    estimated_arrival_date: arrival.latest_arrival_date,
    status_raw: 'DESPATCHED',
  }
}

function countryOf(store: Store, warehouse: string): string {
  return warehousesOf(store).find(({ warehouse_code }) => warehouse_code === warehouse)?.country_code ?? ''
}

function carrierFrom(country: string, isExpress: boolean): string {
  if (country === 'CN') return isExpress ? 'West Lake Express' : 'Qiantang Logistics'
  return isExpress ? 'Kestrel Express' : 'Southern Road'
}
