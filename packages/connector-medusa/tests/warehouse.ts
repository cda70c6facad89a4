/** What a warehouse's staff does in Medusa. */
import { z } from 'zod'
import type { MedusaHttp } from '../src/http.ts'
import { metadataKey } from '../src/records.ts'

const anything = z.unknown()
const newest = 20

const orders = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      items: z.array(z.object({ id: z.string(), quantity: z.number() })),
      fulfillments: z.array(z.object({ id: z.string() })),
    }),
  ),
})

export async function findOrder(admin: MedusaHttp, reference: string) {
  const query = { q: `[${reference}]`, fields: 'id,items.id,items.quantity,fulfillments.id' }
  const [order] = (await admin.get('/admin/orders', orders, query)).orders
  if (!order) throw new Error(`Medusa has no order ${reference}.`)
  return { ...order, items: order.items.map(({ id, quantity }) => ({ id, quantity })) }
}

/** Lists the references of the newest orders with a client's order number that nobody has packed yet. */
export async function listUnpacked(admin: MedusaHttp, client_order_number: string): Promise<string[]> {
  const particulars = z.object({ reference: z.string(), client_order_number: z.string().nullable() })
  const row = z.object({
    metadata: z
      .object({ [metadataKey]: particulars })
      .nullable()
      .catch(null),
    fulfillments: z.array(z.unknown()),
  })
  const query = { order: '-created_at', limit: newest, fields: 'metadata,fulfillments.id' }
  const listed = await admin.get('/admin/orders', z.object({ orders: z.array(row) }), query)
  return listed.orders.flatMap(({ metadata, fulfillments }) => {
    const found = metadata?.[metadataKey]
    const isOpen = found?.client_order_number === client_order_number && fulfillments.length === 0
    return isOpen ? [found.reference] : []
  })
}

export async function pack(admin: MedusaHttp, reference: string): Promise<void> {
  const { id, items } = await findOrder(admin, reference)
  await admin.post(`/admin/orders/${id}/fulfillments`, anything, { items, no_notification: true })
}

/** Ships an order that was packed. */
export async function ship(admin: MedusaHttp, reference: string, tracking_number: string): Promise<void> {
  const { id, items, fulfillments } = await findOrder(admin, reference)
  await admin.post(`/admin/orders/${id}/fulfillments/${fulfillments[0]?.id}/shipments`, anything, {
    items,
    labels: [
      { tracking_number, tracking_url: 'https://track.example/1', label_url: 'https://label.example/1' },
    ],
    no_notification: true,
  })
}

/** Hands an order that was packed over to somebody who picks it up: nothing is shipped. */
export async function handOver(admin: MedusaHttp, reference: string): Promise<void> {
  const { id, fulfillments } = await findOrder(admin, reference)
  const path = `/admin/orders/${id}/fulfillments/${fulfillments[0]?.id}/mark-as-delivered`
  await admin.post(path, anything)
}

/** Takes an amount off what the customer owes for an order, as Medusa does after a refund. */
export async function credit(admin: MedusaHttp, reference: string, amount: number): Promise<void> {
  const { id } = await findOrder(admin, reference)
  await admin.post(`/admin/orders/${id}/credit-lines`, anything, {
    amount,
    reference: 'refund',
    reference_id: id,
  })
}

/** Lets Medusa take more orders of a SKU than there are units, or no longer. */
export async function allowBackorders(
  admin: MedusaHttp,
  sku: string,
  allow_backorder: boolean,
): Promise<void> {
  const variants = z.object({ variants: z.array(z.object({ id: z.string(), product_id: z.string() })) })
  const [found] = (await admin.get('/admin/product-variants', variants, { sku, fields: 'id,product_id' }))
    .variants
  await admin.post(`/admin/products/${found?.product_id}/variants/${found?.id}`, anything, {
    allow_backorder,
  })
}
