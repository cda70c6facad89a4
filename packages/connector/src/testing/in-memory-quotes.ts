import type { ErpDocument, OrderLine, Quote } from '../documents.ts'
import type { Rejection } from '../erp.ts'
import type { Input, StockFigure } from '../operations.ts'
import type { Table } from './table.ts'

export type Figure = Omit<StockFigure, 'stock_seq'>

/** The data of the in-memory ERP that its order operations use. */
export interface ErpData {
  readonly stock: ReadonlyMap<string, Table<Figure>>
  readonly customer_code: string
  readonly address_id: string
  readonly shipping_method_id: string
  isOpen(session: string): boolean
}

type Request = Pick<Input<'quote'>, 'session' | 'customer_code' | 'lines' | 'warehouse_codes' | 'delivery'>
const day = '2026-11-22'
const later = '2099-01-01T00:00:00.000Z'
/** The fixed arrival in all quotes: the next day. */
export const arrival = {
  earliest_ship_date: day,
  latest_ship_date: day,
  earliest_arrival_date: day,
  latest_arrival_date: day,
}

/**
 * Quotes a request from the first warehouse that has all ordered units, or else from the first warehouse. The units of
 * `releasedHold` count as available.
 */
export function createQuote(
  data: ErpData,
  request: Request,
  releasedHold: ErpDocument | undefined,
): { quote: Quote } | Rejection {
  const problem = findProblem(data, request)
  if (problem) return problem
  const places = request.warehouse_codes.flatMap((code) => (data.stock.get(code) ? [code] : []))
  const plans = places.map((code) => quoteFromWarehouse(data, request.lines, { code, releasedHold }))
  const whole = plans.find(({ quote }) => quote.fulfillable) ?? plans[0]
  return whole ?? { reason: 'not_found', message: 'There is no such warehouse.' }
}

function findProblem({ isOpen, stock, ...data }: ErpData, request: Request): Rejection | undefined {
  const { delivery } = request
  if (!isOpen(request.session)) return { reason: 'session_expired', message: 'Sign in again.' }
  if (request.customer_code !== data.customer_code)
    return { reason: 'not_found', message: 'There is no such customer.' }
  const isStocked = (sku: string) => [...stock.values()].some((table) => table.get(sku) !== undefined)
  if (!request.lines.every(({ sku }) => isStocked(sku)))
    return { reason: 'not_found', message: 'There is no such SKU.' }
  if (delivery?.to !== 'address') return undefined
  const isKnown =
    delivery.shipping_method_id === data.shipping_method_id && delivery.address_id === data.address_id
  return isKnown ? undefined : { reason: 'not_found', message: 'There is no such way or place.' }
}

function quoteFromWarehouse(
  { stock }: ErpData,
  lines: readonly OrderLine[],
  { code, releasedHold }: { code: string; releasedHold: ErpDocument | undefined },
): { quote: Quote } {
  const quoted = lines.map(({ sku, quantity }): Quote['lines'][number] => {
    const figure = stock.get(code)?.get(sku)
    const givenBack = releasedHold?.lines.find(
      (line) => line.sku === sku && line.allocations[0]?.warehouse_code === code,
    )
    const available = (figure?.quantity_available ?? 0) + (givenBack?.quantity_allocated ?? 0)
    const allocated = Math.max(0, Math.min(quantity, available))
    const isShort = allocated < quantity
    return {
      sku,
      product_code: figure?.product_code ?? sku,
      quantity,
      quantity_allocated: allocated,
      short_reasons: isShort ? ['insufficient_stock'] : [],
      allocations: allocated > 0 ? [{ warehouse_code: code, quantity: allocated }] : [],
      incoming: isShort ? (figure?.incoming ?? []) : [],
      unit_price: figure?.price_wholesale ?? 0,
      line_total: (figure?.price_wholesale ?? 0) * quantity,
    }
  })
  const goods = quoted.reduce((sum, { line_total }) => sum + line_total, 0)
  const fulfillable = quoted.every(({ short_reasons }) => short_reasons.length === 0)
  const [line] = lines
  return {
    quote: {
      fulfillable,
      lines: quoted,
      costs: { goods, freight: 0, handling: 0, tax: 0, discount: 0, total: goods },
      currency: stock.get(code)?.get(line?.sku ?? '')?.currency ?? 'AUD',
      arrival,
      unfulfillable_reasons: fulfillable ? [] : ['insufficient_stock'],
      price_expires_at: later,
    },
  }
}

/** Rebuilds the quote of an existing document. */
export function rebuildQuote({ lines, costs, currency }: ErpDocument): Quote {
  const free = { goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 }
  return {
    fulfillable: true,
    lines: lines.map(({ quantity_shipped: _shipped, ...line }) => ({
      ...line,
      short_reasons: [],
      incoming: [],
    })),
    costs: costs ?? free,
    currency,
    arrival,
    unfulfillable_reasons: [],
    price_expires_at: later,
  }
}
