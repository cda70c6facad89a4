/** Finds what Tryton has under a reference, and how far it got. */
import type { ErpDocument } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import { day, decimal, id, ids, instant } from '../values.ts'
import { internalModel, type Orders, outModel, saleModel } from './context.ts'
import {
  formatCoverText,
  type HoldMark,
  type HoldText,
  isSaleText,
  parseHoldText,
  parseSaleText,
} from './references.ts'

const saleRow = z.object({
  id,
  web_id: z.string(),
  number: z.string().nullish(),
  reference: z.string().nullish(),
  state: z.string(),
  shipment_state: z.string().nullish(),
  invoice_state: z.string().nullish(),
  description: z.string().nullish(),
  warehouse: z.int().nullish(),
  carrier: z.int().nullish(),
  shipment_party: z.int().nullish(),
  tax_amount: decimal,
  total_amount: decimal,
  sale_date: day.nullish(),
  create_date: instant,
  shipments: ids,
  invoices: ids,
})
const saleFields = Object.keys(saleRow.shape).filter((name) => name !== 'id')

/** An order in Tryton. */
export interface Sale extends z.output<typeof saleRow> {
  readonly holdReference: string | null
  /** Whether its description is that of the connector. A sale of another channel may have a `web_id` too. */
  readonly isOurs: boolean
  /** Cancelled before it was confirmed: its reference creates nothing any more. */
  readonly isFenced: boolean
  /** Not confirmed yet. */
  readonly isBegun: boolean
}

export async function findSales({ connector }: Orders, references: readonly string[]): Promise<Sale[]> {
  const settings = { fields: saleFields }
  const rows = await connector.rpc.searchRead(saleModel, [['web_id', 'in', references]], saleRow, settings)
  return rows.map((row) => ({
    ...row,
    holdReference: parseSaleText(row.description),
    isOurs: isSaleText(row.description),
    isFenced: row.state === 'cancelled' && row.shipments.length === 0,
    isBegun: ['draft', 'quotation', 'confirmed'].includes(row.state),
  }))
}

export async function findSale(orders: Orders, reference: string): Promise<Sale | undefined> {
  const [sale] = await findSales(orders, [reference])
  return sale
}

export async function requireSale(orders: Orders, reference: string): Promise<Sale> {
  const sale = await findSale(orders, reference)
  if (sale) return sale
  throw new Error(`The order ${reference} is not in Tryton.`)
}

const shipmentRow = z.object({ id, state: z.string(), write_uid: id.nullish() })
type Shipment = z.output<typeof shipmentRow>

/** Reads the customer's shipments of an order. */
export async function readShipments(
  { connector }: Orders,
  sale: Pick<Sale, 'shipments'>,
): Promise<Shipment[]> {
  const domain = [['id', 'in', sale.shipments]]
  return connector.rpc.searchRead(outModel, domain, shipmentRow, { fields: ['state', 'write_uid'] })
}

/**
 * Whether the connector has cancelled the shipments of an order, so that Tryton's questions about them are its own to
 * answer. Those about shipments that staff have cancelled are for staff.
 */
export function isVoidBegun({ connector }: Orders, shipments: readonly Omit<Shipment, 'id'>[]): boolean {
  const isOwn = ({ write_uid }: Omit<Shipment, 'id'>) => write_uid === connector.rpc.userId
  return shipments.some(isOwn) && shipments.every(({ state }) => state === 'cancelled')
}

const internalRow = z.object({
  id,
  number: z.string().nullish(),
  reference: z.string().nullish(),
  state: z.string(),
  create_date: instant,
  write_date: instant.nullish(),
  'from_location.': z.object({ warehouse: z.int().nullish() }),
})
const internalFields = [
  'number',
  'reference',
  'state',
  'create_date',
  'write_date',
  'from_location.warehouse',
]
type InternalRow = z.output<typeof internalRow>

const moveRow = z.object({
  shipment: z.string(),
  quantity: z.number(),
  unit_price: decimal.nullish(),
  state: z.string(),
  'product.': z.object({
    id,
    code: z.string().nullish(),
    'template.': z.object({ code: z.string().nullish() }),
  }),
})
const moveFields = ['shipment', 'quantity', 'unit_price', 'state', 'product.code', 'product.template.code']

export interface InternalMove {
  readonly product: number
  readonly sku: string
  readonly productCode: string
  readonly quantity: number
  readonly unitPrice: string
  readonly state: string
}

/** An internal shipment of the connector: a hold, or the cover of an order. */
export interface Internal {
  readonly id: number
  readonly number: string
  readonly reference: string
  readonly state: string
  readonly createdAt: number
  /** Tryton's id of the warehouse. */
  readonly warehouse: number
  readonly moves: readonly InternalMove[]
  /** The units of each product that it takes or took. */
  readonly units: ReadonlyMap<number, number>
  readonly prices: ReadonlyMap<number, string>
  /** Whether it has its stock now. */
  readonly isLive: boolean
  /** Whether it can still be cancelled: it takes stock, or may still take it. */
  readonly isOpen: boolean
}

/** What staff have completed in Tryton has moved its units to the hold zone, and only they can move them back. */
export const openStates: readonly string[] = ['draft', 'waiting', 'assigned']

export interface Hold extends Internal {
  readonly text: HoldText
  /** Undefined while it has not got its stock: nothing was promised. */
  readonly status: ErpDocument['status'] | undefined
}

/** Whether an order can still take the units of a hold. Those of one that staff have completed have left the storage zone. */
export const isActive = ({ status, state }: Hold) => status === 'held' && state === 'assigned'

const ownInternals = ({ places }: Connector) => [
  ['to_location', 'in', places.warehouses.map(({ holdZone }) => holdZone)],
]

/** Finds all internal shipments of the connector that match a clause of a search. */
export async function findInternals({ connector }: Orders, domain: readonly unknown[]): Promise<Internal[]> {
  const { rpc } = connector
  const own = [...ownInternals(connector), ...domain]
  const settings = { fields: internalFields, order: [['id', 'ASC']] as const }
  const rows = await rpc.searchRead(internalModel, own, internalRow, settings)
  if (rows.length === 0) return []
  const names = rows.map((row) => `${internalModel},${row.id}`)
  const moves = await rpc.searchRead('stock.move', [['shipment', 'in', names]], moveRow, {
    fields: moveFields,
    order: [['id', 'ASC']],
  })
  return rows.map((row) => toInternal(row, moves))
}

function toInternal(row: InternalRow, all: readonly z.output<typeof moveRow>[]): Internal {
  const moves = all
    .filter(({ shipment }) => shipment === `${internalModel},${row.id}`)
    .map((move) => ({
      product: move['product.'].id,
      sku: move['product.'].code ?? '',
      productCode: move['product.']['template.'].code ?? '',
      quantity: Math.round(move.quantity),
      unitPrice: move.unit_price ?? '0',
      state: move.state,
    }))
  const units = new Map<number, number>()
  for (const { product, quantity } of moves) units.set(product, (units.get(product) ?? 0) + quantity)
  return {
    id: row.id,
    number: row.number ?? `#${row.id}`,
    reference: row.reference ?? '',
    state: row.state,
    createdAt: row.create_date,
    warehouse: row['from_location.'].warehouse ?? 0,
    moves,
    units,
    prices: new Map(moves.map(({ product, unitPrice }) => [product, unitPrice])),
    isLive: ['assigned', 'shipped', 'done'].includes(row.state),
    isOpen: openStates.includes(row.state),
  }
}

/** Finds the holds of references. An attempt that failed is not among them. */
export async function findHolds(orders: Orders, references: readonly string[]): Promise<Hold[]> {
  if (references.length === 0) return []
  return toHolds(await findInternals(orders, [['OR', ...references.map(nameHold)]]), references)
}

const nameHold = (reference: string) => ['reference', 'like', `${reference} %`]
const nameCovers = (reference: string) => [
  ['reference', '=', formatCoverText(reference)],
  ['state', 'in', openStates],
]

function toHolds(internals: readonly Internal[], references: readonly string[]): Hold[] {
  const found = internals.flatMap((internal) => {
    const text = parseHoldText(internal.reference)
    if (!text || text.mark === 'failed' || !references.includes(text.reference)) return []
    return [{ ...internal, text, status: toStatus(internal, text.mark) }]
  })
  // One reference has one hold. A second attempt under it has either failed, or not got its stock.
  return references.flatMap((reference) => {
    const own = found.filter((hold) => hold.text.reference === reference)
    return own.find((hold) => hold.status !== undefined) ?? own[0] ?? []
  })
}

export async function findHold(orders: Orders, reference: string): Promise<Hold | undefined> {
  const [hold] = await findHolds(orders, [reference])
  return hold
}

function toStatus(
  { state, isLive }: Internal,
  mark: HoldMark | undefined,
): ErpDocument['status'] | undefined {
  if (mark !== undefined && mark !== 'failed') return mark
  if (isLive) return 'held'
  // Staff cancelled it in Tryton: the connector marks a hold before it cancels it.
  return state === 'cancelled' ? 'released' : undefined
}

/** Finds the covers of an order that still take stock, or may still take it. */
export function findCovers(orders: Orders, reference: string): Promise<Internal[]> {
  return findInternals(orders, nameCovers(reference))
}

/** Finds in one read what has taken stock under a reference: a hold, or the covers of an order. */
export async function findStockUnder(
  orders: Orders,
  reference: string,
): Promise<{ readonly hold: Hold | undefined; readonly covers: readonly Internal[] }> {
  const domain = [['OR', nameHold(reference), nameCovers(reference)]]
  const internals = await findInternals(orders, domain)
  const [hold] = toHolds(internals, [reference])
  return { hold, covers: internals.filter((each) => each.reference === formatCoverText(reference)) }
}
