/** Orders and holds as documents of the protocol. Every operation builds them here. */
import {
  type Costs,
  cutText,
  type ErpDocument,
  type ErpShipment,
  type Output,
} from '@trade-gateway/connector'
import { z } from 'zod'
import { requireWarehouse } from '../connector.ts'
import { computeArrival } from '../shipping.ts'
import { decimal, formatInstant, id, instant, isUsableCode, toMinor } from '../values.ts'
import { type Orders, outModel } from './context.ts'
import { findHold, findHolds, findSales, type Hold, isVoidBegun, requireSale, type Sale } from './find.ts'
import { multiply } from './price.ts'
import { parseOrdered } from './references.ts'
import { readPackages, type TrackedPackages } from './tracking.ts'

const lineRow = z.object({
  sale: id,
  type: z.string(),
  quantity: z.number().nullish(),
  unit_price: decimal.nullish(),
  amount: decimal.nullish(),
  shipment_cost: decimal.nullish(),
  note: z.string().nullish(),
  'product.': z
    .object({ id, code: z.string().nullish(), 'template.': z.object({ code: z.string().nullish() }) })
    .nullish(),
})
const lineFields = [
  ...['sale', 'type', 'quantity', 'unit_price', 'amount', 'shipment_cost', 'note'],
  ...['product.code', 'product.template.code'],
]
const shipmentRow = z.object({
  id,
  number: z.string().nullish(),
  state: z.string(),
  write_date: instant.nullish(),
  write_uid: id.nullish(),
  create_date: instant,
})
const moveRow = z.object({
  shipment: z.string(),
  product: id,
  quantity: z.number(),
  state: z.string(),
  from_location: id,
  to_location: id,
  write_date: instant.nullish(),
  'product.': z.object({ code: z.string().nullish() }),
})
const moveFields = [
  ...['shipment', 'product', 'quantity', 'state', 'from_location', 'to_location', 'write_date'],
  'product.code',
]
const maxCarrierCharacters = 100
const invoiceRow = z.object({ id, state: z.string() })

type LineRow = z.output<typeof lineRow>
type ShipmentRow = z.output<typeof shipmentRow>
type MoveRow = z.output<typeof moveRow>

/** Everything that Tryton has about some sales. */
interface Parts {
  readonly lines: readonly LineRow[]
  readonly shipments: readonly ShipmentRow[]
  readonly moves: readonly MoveRow[]
  readonly invoices: readonly z.output<typeof invoiceRow>[]
  readonly packages: TrackedPackages
}

/**
 * Reads orders that were confirmed, and holds that have or had their stock. A sale of another channel in a warehouse that
 * is not configured is left out. Throws if one of ours cannot be reported: left out, it would count as absent. The gateway
 * then reads the documents in parts, which finds the one and reports the others.
 */
export async function readDocuments(
  orders: Orders,
  references: readonly string[],
): Promise<Output<'documents.read'>> {
  const all = await findSales(orders, references)
  const known = new Set(orders.connector.places.warehouses.map((warehouse) => warehouse.id))
  const isReported = ({ isOurs, warehouse }: Sale) => isOurs || known.has(warehouse ?? 0)
  const sales = all.filter((sale) => isReported(sale) && !sale.isFenced && !sale.isBegun)
  const found = new Set(sales.map((sale) => sale.web_id))
  const holds = await findHolds(
    orders,
    references.filter((reference) => !found.has(reference)),
  )
  const parts = await readParts(orders, sales)
  const documents = [
    ...sales.map((sale) => toOrderDocument(orders, sale, parts)),
    ...holds.flatMap((hold) => toHoldDocument(orders, hold) ?? []),
  ]
  return { documents }
}

/** Reads one order by its reference again, after a write. */
export async function readOrder(orders: Orders, reference: string): Promise<ErpDocument> {
  return readOrderOf(orders, await requireSale(orders, reference))
}

/** Reads the document of a sale that was just read. */
export async function readOrderOf(orders: Orders, sale: Sale): Promise<ErpDocument> {
  return toOrderDocument(orders, sale, await readParts(orders, [sale]))
}

export async function requireHoldAgain(orders: Orders, reference: string): Promise<Hold> {
  const hold = await findHold(orders, reference)
  if (hold) return hold
  throw new Error(`The hold ${reference} has vanished from Tryton.`)
}

export async function readHold(orders: Orders, reference: string): Promise<ErpDocument> {
  return requireHoldDocument(orders, await requireHoldAgain(orders, reference))
}

export function requireHoldDocument(orders: Orders, hold: Hold): ErpDocument {
  const document = toHoldDocument(orders, hold)
  if (document) return document
  throw new Error(`The hold ${hold.text.reference} has lost its stock in Tryton.`)
}

async function readParts({ connector }: Orders, sales: readonly Sale[]): Promise<Parts> {
  if (sales.length === 0) return { lines: [], shipments: [], moves: [], invoices: [], packages: new Map() }
  const { rpc } = connector
  const byId = [['id', 'ASC']] as const
  const shipmentIds = sales.flatMap((sale) => sale.shipments)
  const invoiceIds = sales.flatMap((sale) => sale.invoices)
  const names = shipmentIds.map((each) => `${outModel},${each}`)
  const [lines, shipments, moves, invoices] = await Promise.all([
    rpc.searchRead('sale.line', [['sale', 'in', sales.map((sale) => sale.id)]], lineRow, {
      fields: lineFields,
      order: byId,
    }),
    rpc.searchRead(outModel, [['id', 'in', shipmentIds]], shipmentRow, {
      fields: ['number', 'state', 'write_date', 'write_uid', 'create_date'],
      order: byId,
    }),
    rpc.searchRead('stock.move', [['shipment', 'in', names]], moveRow, { fields: moveFields, order: byId }),
    invoiceIds.length === 0
      ? []
      : rpc.searchRead('account.invoice', [['id', 'in', invoiceIds]], invoiceRow, { fields: ['state'] }),
  ])
  // Only a shipment that has left is a shipment of the protocol.
  const shipped = shipments.filter(({ state }) => state === 'done').map((row) => row.id)
  const packages = await readPackages(connector, shipped)
  return { lines, shipments, moves, invoices, packages }
}

function toOrderDocument(orders: Orders, sale: Sale, all: Parts): ErpDocument {
  const { connector } = orders
  const { minorUnits, currency, carriers, timezone } = connector.places
  const parts = selectParts(sale, all)
  const status = toStatus(orders, sale, parts)
  const carrier = carriers.find((each) => each.id === sale.carrier)
  const createdDay = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(sale.create_date)
  return {
    reference: sale.web_id,
    number: sale.number ?? `#${sale.id}`,
    kind: 'order',
    order_type: sale.shipment_party ? 'dropship' : 'wholesale',
    status,
    status_raw: [sale.state, sale.shipment_state, sale.invoice_state].join('/'),
    lines: toOrderLines(orders, sale, parts),
    costs: toCosts(sale, parts.lines, minorUnits),
    arrival: carrier ? computeArrival(connector, sale.sale_date ?? createdDay, carrier) : null,
    currency,
    paid: isPaid(parts),
    payment_url: null,
    expires_at: null,
    submitted_at: formatInstant(Math.floor(sale.create_date)),
    cancelled_at: status === 'cancelled' ? formatInstant(readCancelledAt(sale, parts)) : null,
    shipments: toShipments(orders, sale, parts),
  }
}

/** A cancelled invoice is not to be paid. Staff cancel one to bill the order again. */
function isPaid({ invoices }: Parts): boolean {
  const live = invoices.filter(({ state }) => state !== 'cancelled')
  return live.length > 0 && live.every(({ state }) => state === 'paid')
}

function selectParts(sale: Sale, all: Parts): Parts {
  const names = sale.shipments.map((each) => `${outModel},${each}`)
  return {
    lines: all.lines.filter((line) => line.sale === sale.id),
    shipments: all.shipments.filter((shipment) => sale.shipments.includes(shipment.id)),
    moves: all.moves.filter((move) => names.includes(move.shipment)),
    invoices: all.invoices.filter((invoice) => sale.invoices.includes(invoice.id)),
    packages: all.packages,
  }
}

/**
 * A sale whose shipments are all shipped or cancelled is not final before Tryton calls it sent. Until then it creates a
 * shipment of the rest, or asks its staff whether to deliver again what they have cancelled.
 */
function toStatus(orders: Orders, sale: Sale, { shipments }: Parts): ErpDocument['status'] {
  if (sale.state === 'cancelled' || isVoidBegun(orders, shipments)) return 'cancelled'
  const live = shipments.filter(({ state }) => state !== 'cancelled')
  const isOver = sale.shipment_state === 'sent' && live.every(({ state }) => state === 'done')
  if (!isOver) return 'open'
  return live.length > 0 ? 'shipped' : 'cancelled'
}

function readCancelledAt(sale: Sale, { shipments }: Parts): number {
  const stamps = shipments.map((row) => row.write_date ?? row.create_date)
  return Math.floor(Math.max(sale.create_date, ...stamps))
}

function toOrderLines(orders: Orders, sale: Sale, { lines, moves }: Parts): ErpDocument['lines'] {
  const { places } = orders.connector
  const warehouse = requireWarehouse(orders.connector, sale.warehouse)
  const sum = (product: number, wanted: (move: MoveRow) => boolean) =>
    Math.round(
      moves
        .filter((move) => move.product === product && wanted(move))
        .reduce((total, move) => total + move.quantity, 0),
    )
  const toOutput = (move: MoveRow) => move.to_location === warehouse.output
  return lines.flatMap((line) => {
    const product = line['product.']
    const ordered = parseOrdered(line.note)
    if (line.shipment_cost || (!product && !ordered)) return []
    const allocated = product
      ? sum(product.id, (move) => toOutput(move) && ['assigned', 'done'].includes(move.state))
      : 0
    const shipped = product ? sum(product.id, (move) => !toOutput(move) && move.state === 'done') : 0
    return [
      {
        sku: product?.code ?? ordered?.sku ?? '',
        product_code: product?.['template.'].code ?? ordered?.productCode ?? '',
        quantity: ordered?.quantity ?? Math.round(line.quantity ?? 0),
        quantity_allocated: allocated,
        quantity_shipped: shipped,
        unit_price: toMinor(line.unit_price ?? '0', places.minorUnits),
        line_total: toMinor(line.amount ?? '0', places.minorUnits),
        allocations: allocated > 0 ? [{ warehouse_code: warehouse.code, quantity: allocated }] : [],
      },
    ]
  })
}

function toCosts(sale: Sale, lines: readonly LineRow[], minorUnits: number): Costs {
  const toAmount = (text: string | null | undefined) => toMinor(text ?? '0', minorUnits)
  const freight = lines
    .filter((line) => line.shipment_cost)
    .reduce((sum, line) => sum + toAmount(line.amount), 0)
  const [tax, total] = [toAmount(sale.tax_amount), toAmount(sale.total_amount)]
  return { goods: total - tax - freight, freight, handling: 0, tax, discount: 0, total }
}

function toShipments(orders: Orders, sale: Sale, parts: Parts): ErpShipment[] {
  const { places } = orders.connector
  const warehouse = requireWarehouse(orders.connector, sale.warehouse)
  const carrier = places.carriers.find((each) => each.id === sale.carrier)
  return parts.shipments
    .filter(({ state }) => state === 'done')
    .flatMap((shipment) => {
      const own = parts.moves.filter(
        (move) =>
          move.shipment === `${outModel},${shipment.id}` &&
          move.from_location === warehouse.output &&
          move.state === 'done',
      )
      const { packages, tracking } = parts.packages.get(shipment.id) ?? { packages: 1, tracking: null }
      const lines = own.flatMap(toShippedLine)
      if (lines.length === 0) return []
      const shippedAt = Math.max(...own.map((move) => move.write_date ?? shipment.create_date))
      return [
        {
          number: shipment.number ?? `#${shipment.id}`,
          warehouse_code: warehouse.code,
          carrier: cutText(carrier?.name ?? '', maxCarrierCharacters),
          service: cutText(carrier?.code ?? '', maxCarrierCharacters),
          tracking_number: tracking,
          tracking_url: null,
          lines,
          packages,
          shipped_at: formatInstant(Math.floor(shippedAt)),
          estimated_arrival_date: null,
          status_raw: shipment.state,
        },
      ]
    })
}

/** Staff may ship what was not ordered, such as a gift, and may ship nothing of a line. */
function toShippedLine({ 'product.': { code }, quantity }: MoveRow): ErpShipment['lines'] {
  const units = Math.round(quantity)
  return isUsableCode(code) && units > 0 ? [{ sku: code, quantity: units }] : []
}

/** Returns the document of a hold; undefined for an attempt that has not got its stock. */
export function toHoldDocument(orders: Orders, hold: Hold): ErpDocument | undefined {
  const { connector } = orders
  const { minorUnits, currency, carriers, timezone } = connector.places
  const { status, text } = hold
  if (status === undefined) return undefined
  const warehouse = requireWarehouse(connector, hold.warehouse)
  const isHeld = status === 'held'
  const carrier = carriers.find((each) => each.id === text.carrier) ?? { days: [0, 0] as const }
  const [goods, freight, tax, total] = text.costs
  const createdDay = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(hold.createdAt)
  return {
    reference: text.reference,
    number: hold.number,
    kind: 'hold',
    order_type: text.orderType,
    status,
    status_raw: text.mark === undefined ? hold.state : `${hold.state}/${text.mark}`,
    lines: groupMoves(hold).map((move) => ({
      sku: move.sku,
      product_code: move.productCode,
      quantity: move.quantity,
      quantity_allocated: isHeld ? move.quantity : 0,
      quantity_shipped: 0,
      unit_price: toMinor(move.unitPrice, minorUnits),
      line_total: multiply(move.unitPrice, move.quantity, minorUnits),
      allocations: isHeld ? [{ warehouse_code: warehouse.code, quantity: move.quantity }] : [],
    })),
    costs: { goods, freight, handling: 0, tax, discount: 0, total },
    arrival: computeArrival(connector, createdDay, carrier),
    currency,
    paid: false,
    payment_url: null,
    expires_at: text.expiresAt,
    submitted_at: null,
    cancelled_at: null,
    shipments: [],
  }
}

/** Tryton may split the move of a product over locations of the storage zone. */
function groupMoves({ moves, units }: Hold) {
  const first = moves.filter(
    (move, index) => moves.findIndex((other) => other.product === move.product) === index,
  )
  return first.map((move) => ({ ...move, quantity: units.get(move.product) ?? move.quantity }))
}
