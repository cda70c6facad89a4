import type { Step } from './step.ts'

const lines = [{ sku: 'ACA-0132-MIN-ONE', quantity: 2 }]
const shipping = { shipping_method_id: '{{shipping_method_id}}', address_id: '{{address_id}}' }

/** Wholesale orders, their shipments, and carts. */
export const orderSteps: readonly Step[] = [
  {
    endpoint: 'orders.create',
    headers: { 'Idempotency-Key': 'draft-{{run}}' },
    body: { warehouse_code: 'AUSYD1', lines, shipping, client_order_number: 'PO-{{run}}' },
    keep: { order_id: 'data.order_id' },
  },
  { endpoint: 'orders.list', query: { client_order_number: 'PO-{{run}}' } },
  { endpoint: 'orders.read' },
  { endpoint: 'orders.change', body: { remark: 'Deliver to the rear entrance' } },
  { endpoint: 'orders.preview', body: { allow_partial: false } },
  {
    endpoint: 'orders.submit',
    headers: { 'Idempotency-Key': 'order-{{run}}', 'X-Request-Id': 'submit-{{run}}' },
    body: { max_total: 500 },
  },
  { endpoint: 'sandbox.ship', body: { order_id: '{{order_id}}' } },
  {
    endpoint: 'shipments.list',
    query: { order_id: '{{order_id}}' },
    keep: { shipment_id: 'data.0.shipment_id' },
    waits: true,
  },
  { endpoint: 'shipments.read' },
  {
    endpoint: 'carts.create',
    body: { warehouse_code: 'AUSYD1', items: lines, client_order_number: 'CART-{{run}}' },
    keep: { cart_id: 'data.cart_id' },
  },
  { endpoint: 'carts.list', query: { page_size: '1', status: 'draft' } },
  { endpoint: 'carts.read' },
  { endpoint: 'carts.change', body: { remark: 'Spring window display' } },
  { endpoint: 'carts.items', body: { items: [{ sku: 'ACA-0132-MIN-ONE', quantity: 3 }] } },
  { endpoint: 'carts.checkout', keep: { draft_id: 'data.order_id' } },
  { endpoint: 'orders.void', params: { order_id: '{{draft_id}}' } },
  { endpoint: 'carts.create', body: { items: lines }, keep: { other_cart_id: 'data.cart_id' } },
  { endpoint: 'carts.delete', params: { cart_id: '{{other_cart_id}}' } },
]
