import { setTimeout as pause } from 'node:timers/promises'
import {
  type AnyCall,
  type ErpDocument,
  type ErpProduct,
  type Input,
  ok,
  type StockFigure,
} from '@trade-gateway/connector'
import { createFigure, formatSku, warehouse } from './goods.ts'

/** The time in milliseconds after which the simulated ERP accepts an order. It never runs out of stock. */
export const submitMs = 50
export const customer = 'BENCH'
export const credentials = { username: 'bench@example.test', password: 'a-password-for-benchmarks-only' }
export const shippingMethod = 'pickup'
/** The only style. It has several SKUs, so that consecutive orders contain different SKUs. */
const style = formatSku(0).split('-', 1)[0] ?? ''
const skusOfStyle = 8
const money = { goods: 1_995, freight: 0, handling: 0, tax: 200, discount: 0, total: 2_195 }
const emptyFacts = { brand: null, category: null, season: null, images: [] }

/** Handles the operations that orders require. Returns undefined for all others. */
export const handleOrderCall: AnyCall = async (id, input) => {
  switch (id) {
    case 'sign_in':
      return ok({
        account_id: 'acc_bench',
        name: 'Bench',
        customer_code: customer,
        session: 'a-session',
        session_expires_at: '2099-01-01T00:00:00Z',
      })
    case 'products.snapshot':
      return ok({ products: [createProduct()], next: null })
    case 'products.changed':
      return ok({ cursor: '1', everything: true, product_codes: [], more: false })
    case 'sellable':
      return ok({ rule: 'all_but', skus: [] })
    case 'shipping_methods':
      return ok({ shipping_methods: [pickup] })
    case 'addresses':
      return ok({ addresses: [] })
    case 'documents.changed':
      return ok({ cursor: '0', everything: false, references: [], more: false })
    case 'submit': {
      await pause(submitMs)
      const order = input as Input<'submit'>
      return ok({
        document: createDocument(order),
        figures: [{ warehouse_code: warehouse.warehouse_code, rows: order.lines.map(createOrderFigure) }],
      })
    }
    default:
      return undefined as never
  }
}

let orders = 0

function createDocument({ reference, lines }: Input<'submit'>): ErpDocument {
  orders += 1
  return {
    reference,
    number: `SO-${orders}`,
    kind: 'order',
    order_type: 'wholesale',
    status: 'open',
    status_raw: 'OPEN',
    lines: lines.map(({ sku, quantity }) => ({
      sku,
      product_code: style,
      quantity,
      quantity_allocated: quantity,
      quantity_shipped: 0,
      unit_price: 1_995,
      line_total: 1_995 * quantity,
      allocations: [{ warehouse_code: warehouse.warehouse_code, quantity }],
    })),
    costs: money,
    arrival: null,
    currency: warehouse.currency,
    paid: false,
    payment_url: null,
    expires_at: null,
    submitted_at: new Date().toISOString(),
    cancelled_at: null,
    shipments: [],
  }
}

/**
 * Creates the figures of a SKU after an order. Each order changes them, so that the gateway has to write and publish
 * them.
 */
function createOrderFigure({ sku }: { sku: string }): StockFigure {
  return createFigure(sku, orders)
}

const pickup = {
  shipping_method_id: shippingMethod,
  name: 'Pick up',
  kind: 'pickup',
  requires_address: false,
  carrier: null,
  warehouse_codes: [warehouse.warehouse_code],
  estimated_days: { min: 0, max: 1 },
  price: 0,
  currency: warehouse.currency,
  is_default: true,
} as const

function createProduct(): ErpProduct {
  const prices = { price_wholesale: 1_995, price_retail: 3_990 }
  const skus = Array.from({ length: skusOfStyle }, (_, at) => ({
    sku: formatSku(at),
    barcode: null,
    color: null,
    size: null,
    weight_g: 200,
    ...prices,
  }))
  const names = { en: 'Bench style' }
  const updated_at = '2026-01-01T00:00:00Z'
  return {
    product_code: style,
    names,
    ...emptyFacts,
    status: 'active',
    ...prices,
    currency: warehouse.currency,
    skus,
    updated_at,
  }
}
