/**
 * Tryton's own records of a replay as documents. They are read and interpreted here without the connector's code, so
 * that a mistake of the connector shows as a difference.
 */
import { z } from 'zod'
import type { Rpc } from '../../../connector-tryton/src/rpc.ts'
import { decimal, id, ids, toMinor } from '../../../connector-tryton/src/values.ts'
import type { ErpRecord } from './replay-erp.ts'

const minorUnits = 100
const salesPerPage = 100
const maxPages = 10_000
/** The time limit of one read, in milliseconds: Tryton may be busy. */
const maxMs = 120_000

const saleRow = z.object({
  id,
  web_id: z.string().nullish(),
  reference: z.string().nullish(),
  state: z.string(),
  shipment_state: z.string().nullish(),
  invoice_state: z.string().nullish(),
  total_amount: decimal,
  shipments: ids,
})
const lineRow = z.object({
  sale: id,
  type: z.string(),
  quantity: z.number().nullish(),
  shipment_cost: decimal.nullish(),
  product: id.nullish(),
  'product.': z.object({ code: z.string().nullish() }).nullish(),
})
const shipmentRow = z.object({ id, state: z.string() })
const moveRow = z.object({
  shipment: z.string(),
  product: id,
  'product.': z.object({ code: z.string().nullish() }),
  quantity: z.number(),
  state: z.string(),
  from_location: id,
  to_location: id,
})
const internalRow = z.object({ id, reference: z.string().nullish(), state: z.string() })
const warehouseRow = z.object({ code: z.string(), output_location: id, storage_location: id })

export type SaleRow = z.output<typeof saleRow>
export type LineRow = z.output<typeof lineRow>
export type ShipmentRow = z.output<typeof shipmentRow>
export type MoveRow = z.output<typeof moveRow>
export type InternalRow = z.output<typeof internalRow>
export type WarehouseRow = z.output<typeof warehouseRow>

/** Everything that Tryton has about some sales. */
export interface SaleParts {
  readonly lines: readonly LineRow[]
  readonly shipments: readonly ShipmentRow[]
  readonly moves: readonly MoveRow[]
}

/**
 * Returns the document of a sale. A sale that was processed and whose shipments are all cancelled was voided, although
 * its state is `done`. A sale that was cancelled before it had a shipment never was an order: undefined.
 */
export function toOrderRecord(
  sale: SaleRow,
  { lines, shipments, moves }: SaleParts,
  warehouses: readonly WarehouseRow[],
): ErpRecord | undefined {
  const own = shipments.filter((shipment) => sale.shipments.includes(shipment.id))
  const status = toStatus(sale, own)
  if (status === undefined) return undefined
  const names = own.map((shipment) => `stock.shipment.out,${shipment.id}`)
  const ownMoves = moves.filter((move) => names.includes(move.shipment))
  return {
    id: sale.id,
    copy: 0,
    reference: sale.web_id ?? '',
    kind: 'order',
    status,
    status_raw: [sale.state, sale.shipment_state, sale.invoice_state].join('/'),
    client_order_number: sale.reference ?? null,
    lines: lines
      .filter((line) => line.sale === sale.id && line.type === 'line' && !line.shipment_cost)
      .map((line) => toOrderLine(line, ownMoves, warehouses)),
    costs: { total: toMinor(sale.total_amount, minorUnits) },
  }
}

function toStatus({ state }: SaleRow, shipments: readonly ShipmentRow[]): string | undefined {
  if (state === 'cancelled' && shipments.length === 0) return undefined
  // A sale that nobody confirmed is no order. It must not be left behind.
  if (['draft', 'quotation', 'confirmed'].includes(state)) return 'begun'
  const live = shipments.filter((shipment) => shipment.state !== 'cancelled')
  if (state === 'cancelled' || (shipments.length > 0 && live.length === 0)) return 'cancelled'
  return live.length > 0 && live.every((shipment) => shipment.state === 'done') ? 'shipped' : 'open'
}

/** Inventory moves, from the storage zone to the output zone, allocate. Outgoing moves, from there on, ship. */
function toOrderLine(line: LineRow, moves: readonly MoveRow[], warehouses: readonly WarehouseRow[]) {
  const own = moves.filter((move) => move.product === line.product)
  const allocations = warehouses.flatMap(({ code, output_location }) => {
    const taken = own.filter(
      (move) => move.to_location === output_location && ['assigned', 'done'].includes(move.state),
    )
    const quantity = sumQuantities(taken)
    return quantity === 0 ? [] : [{ warehouse_code: code, quantity }]
  })
  const outputs = warehouses.map(({ output_location }) => output_location)
  const shipped = own.filter((move) => outputs.includes(move.from_location) && move.state === 'done')
  return {
    sku: line['product.']?.code ?? '',
    quantity: line.quantity ?? 0,
    quantity_allocated: allocations.reduce((sum, { quantity }) => sum + quantity, 0),
    quantity_shipped: sumQuantities(shipped),
    allocations,
  }
}

/** Returns the document of an internal shipment, which holds stock; undefined for one that was cancelled. */
export function toHoldRecord(
  internal: InternalRow,
  moves: readonly MoveRow[],
  warehouses: readonly WarehouseRow[],
): ErpRecord | undefined {
  if (internal.state === 'cancelled') return undefined
  const own = moves.filter((move) => move.shipment === `stock.shipment.internal,${internal.id}`)
  return {
    id: internal.id,
    copy: 0,
    reference: internal.reference ?? '',
    kind: 'hold',
    status: 'held',
    status_raw: internal.state,
    client_order_number: null,
    lines: own.map((move) => {
      const place = warehouses.find(({ storage_location }) => storage_location === move.from_location)
      const allocated = place && ['assigned', 'done'].includes(move.state) ? move.quantity : 0
      return {
        sku: move['product.'].code ?? '',
        quantity: move.quantity,
        quantity_allocated: allocated,
        quantity_shipped: 0,
        allocations: place && allocated > 0 ? [{ warehouse_code: place.code, quantity: allocated }] : [],
      }
    }),
    costs: null,
  }
}

const sumQuantities = (moves: readonly MoveRow[]) => moves.reduce((sum, { quantity }) => sum + quantity, 0)

/** Reads all sales and all internal shipments. */
export async function readTrytonRecords(rpc: Rpc): Promise<ErpRecord[]> {
  const warehouses = await readWarehouses(rpc)
  const records: ErpRecord[] = []
  for (let page = 0; page < maxPages; page++) {
    const sales = await rpc.searchRead('sale.sale', [], saleRow, {
      fields: Object.keys(saleRow.shape).filter((name) => name !== 'id'),
      order: [['id', 'ASC']],
      offset: page * salesPerPage,
      limit: salesPerPage,
      maxMs,
    })
    const parts = await readParts(rpc, sales)
    records.push(...sales.flatMap((sale) => toOrderRecord(sale, parts, warehouses) ?? []))
    if (sales.length < salesPerPage) break
  }
  return [...records, ...(await readHolds(rpc, warehouses))]
}

function readWarehouses(rpc: Rpc): Promise<WarehouseRow[]> {
  const domain = [
    ['type', '=', 'warehouse'],
    ['code', '!=', null],
  ]
  const fields = ['code', 'output_location', 'storage_location']
  return rpc.searchRead('stock.location', domain, warehouseRow, { fields })
}

async function readParts(rpc: Rpc, sales: readonly SaleRow[]): Promise<SaleParts> {
  const fields = ['sale', 'type', 'quantity', 'shipment_cost', 'product', 'product.code']
  const order = [['id', 'ASC']] as const
  const domain = [['sale', 'in', sales.map((sale) => sale.id)]]
  const lines = await rpc.searchRead('sale.line', domain, lineRow, { fields, order, maxMs })
  const shipmentIds = sales.flatMap((sale) => sale.shipments)
  const shipments = await rpc.searchRead('stock.shipment.out', [['id', 'in', shipmentIds]], shipmentRow, {
    fields: ['state'],
    maxMs,
  })
  const names = shipmentIds.map((each) => `stock.shipment.out,${each}`)
  return { lines, shipments, moves: await readMoves(rpc, names) }
}

async function readMoves(rpc: Rpc, names: readonly string[]): Promise<MoveRow[]> {
  if (names.length === 0) return []
  const fields = ['shipment', 'product', 'product.code', 'quantity', 'state', 'from_location', 'to_location']
  return rpc.searchRead('stock.move', [['shipment', 'in', names]], moveRow, { fields, maxMs })
}

async function readHolds(rpc: Rpc, warehouses: readonly WarehouseRow[]): Promise<ErpRecord[]> {
  const internals = await rpc.searchRead(
    'stock.shipment.internal',
    [['state', '!=', 'cancelled']],
    internalRow,
    { fields: ['reference', 'state'], maxMs },
  )
  const moves = await readMoves(
    rpc,
    internals.map((internal) => `stock.shipment.internal,${internal.id}`),
  )
  return internals.flatMap((internal) => toHoldRecord(internal, moves, warehouses) ?? [])
}
