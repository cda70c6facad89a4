/** What a warehouse's staff does in Medusa. */
import { randomUUID } from 'node:crypto'
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

/** Records that the customer has paid the total of an order. */
export async function markAsPaid(admin: MedusaHttp, reference: string): Promise<void> {
  const { id } = await findOrder(admin, reference)
  const totals = z.object({ order: z.object({ total: z.number() }) })
  const { order } = await admin.get(`/admin/orders/${id}`, totals, { fields: 'total' })
  const collections = z.object({ payment_collection: z.object({ id: z.string() }) })
  const body = { order_id: id, amount: order.total }
  const { payment_collection } = await admin.post('/admin/payment-collections', collections, body)
  const path = `/admin/payment-collections/${payment_collection.id}/mark-as-paid`
  await admin.post(path, anything, { order_id: id })
}

/** Pays a part of the payment for an order back. */
export async function refund(admin: MedusaHttp, reference: string, amount: number): Promise<void> {
  const { id } = await findOrder(admin, reference)
  const collections = z.array(z.object({ payments: z.array(z.object({ id: z.string() })).nullish() }))
  const found = z.object({ order: z.object({ payment_collections: collections }) })
  const fields = 'payment_collections.payments.id'
  const { order } = await admin.get(`/admin/orders/${id}`, found, { fields })
  const [payment] = order.payment_collections.flatMap(({ payments }) => payments ?? [])
  await admin.post(`/admin/payments/${payment?.id}/refund`, anything, { amount })
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

/** Adds items to an order. */
export async function addItems(
  admin: MedusaHttp,
  reference: string,
  added: readonly { readonly sku: string; readonly quantity: number; readonly unit_price?: number }[],
): Promise<void> {
  const items = []
  for (const { sku, ...rest } of added)
    items.push({ variant_id: (await findVariant(admin, sku)).id, ...rest })
  await edit(admin, reference, { path: 'items', body: { items } })
}

/** Changes the quantity of an item of an order. */
export async function changeItem(
  admin: MedusaHttp,
  reference: string,
  { id, quantity }: { readonly id: string; readonly quantity: number },
): Promise<void> {
  await edit(admin, reference, { path: `items/item/${id}`, body: { quantity } })
}

async function edit(
  admin: MedusaHttp,
  reference: string,
  { path, body }: { readonly path: string; readonly body: object },
): Promise<void> {
  const { id } = await findOrder(admin, reference)
  await admin.post('/admin/order-edits', anything, { order_id: id })
  await admin.post(`/admin/order-edits/${id}/${path}`, anything, body)
  await admin.post(`/admin/order-edits/${id}/request`, anything)
  await admin.post(`/admin/order-edits/${id}/confirm`, anything)
}

/** Exchanges a unit of a shipped order: one is to come back, and one of a SKU is to be sent. */
export async function exchange(
  admin: MedusaHttp,
  reference: string,
  { location, sku }: { readonly location: string; readonly sku: string },
): Promise<void> {
  const { id, items } = await findOrder(admin, reference)
  const locations = z.object({ stock_locations: z.array(z.object({ id: z.string() })) })
  const { stock_locations } = await admin.get('/admin/stock-locations', locations, { name: location })
  const exchanges = z.object({ exchange: z.object({ id: z.string() }) })
  const begun = await admin.post('/admin/exchanges', exchanges, { order_id: id })
  const path = `/admin/exchanges/${begun.exchange.id}`
  const back = { items: [{ id: items[0]?.id, quantity: 1 }], location_id: stock_locations[0]?.id }
  await admin.post(`${path}/inbound/items`, anything, back)
  const variant_id = (await findVariant(admin, sku)).id
  await admin.post(`${path}/outbound/items`, anything, { items: [{ variant_id, quantity: 1 }] })
  await admin.post(`${path}/request`, anything)
}

/** Lets Medusa take more orders of a SKU than there are units, or no longer. */
export async function allowBackorders(
  admin: MedusaHttp,
  sku: string,
  allow_backorder: boolean,
): Promise<void> {
  const { id, product_id } = await findVariant(admin, sku)
  await admin.post(`/admin/products/${product_id}/variants/${id}`, anything, { allow_backorder })
}

export async function findVariant(admin: MedusaHttp, sku: string) {
  const variants = z.object({ variants: z.array(z.object({ id: z.string(), product_id: z.string() })) })
  const query = { sku, fields: 'id,product_id' }
  const [found] = (await admin.get('/admin/product-variants', variants, query)).variants
  if (!found) throw new Error(`Medusa has no variant ${sku}.`)
  return found
}

export interface Zone {
  /** Deletes what was created. */
  remove(): Promise<unknown>
}

/** Creates a zone of a stock location with shipping options of a carrier, each with its prices and rules. */
export async function createZone(
  admin: MedusaHttp,
  {
    location,
    carrier,
    geoZone,
    options,
  }: { location: string; carrier: string; geoZone: object; options: readonly object[] },
): Promise<Zone> {
  const withId = z.object({ id: z.string() })
  const set = withId.extend({ type: z.string() })
  const locations = z.object({ stock_locations: z.array(z.object({ fulfillment_sets: z.array(set) })) })
  const query = { name: location, fields: '*fulfillment_sets' }
  const { stock_locations } = await admin.get('/admin/stock-locations', locations, query)
  const id = stock_locations[0]?.fulfillment_sets.find(({ type }) => type === 'shipping')?.id
  const path = `/admin/fulfillment-sets/${id}/service-zones`
  const name = `${carrier} ${randomUUID()}`
  const zones = z.object({
    fulfillment_set: z.object({ service_zones: z.array(withId.extend({ name: z.string() })) }),
  })
  const body = { name, geo_zones: [geoZone] }
  const { fulfillment_set } = await admin.post(`${path}?fields=*service_zones`, zones, body)
  const zoneId = fulfillment_set.service_zones.find((zone) => zone.name === name)?.id
  const profiles = z.object({ shipping_profiles: z.array(withId) })
  const { shipping_profiles } = await admin.get('/admin/shipping-profiles', profiles, { limit: 1 })
  const ids: string[] = []
  for (const option of options) {
    const made = await admin.post('/admin/shipping-options', z.object({ shipping_option: withId }), {
      name: 'Spare freight',
      service_zone_id: zoneId,
      shipping_profile_id: shipping_profiles[0]?.id,
      provider_id: 'manual_manual',
      price_type: 'flat',
      type: { label: carrier, description: carrier, code: carrier },
      ...option,
    })
    ids.push(made.shipping_option.id)
  }
  return {
    remove: async () => {
      for (const one of ids)
        await admin.send({ method: 'DELETE', path: `/admin/shipping-options/${one}`, schema: anything })
      await admin.send({ method: 'DELETE', path: `${path}/${zoneId}`, schema: anything })
    },
  }
}
