/** Orders of Medusa and its drafts: found by the gateway's reference, created, converted and cancelled. */
import { arrival, orderTypes, paymentMethods } from '@trade-gateway/connector'
import { z } from 'zod'
import { isFailure } from './failures.ts'
import { type MedusaHttp, toQueryString } from './http.ts'
import { metadataKey, type OrderRecord, type Placed, type RecordStore } from './records.ts'

const anything = z.unknown()
const maxFound = 50
const idsPerCall = maxFound
/** The number of references whose order this process remembers, so that it need not search for them. */
const maxRemembered = 20_000

/** What the gateway asked for, in the metadata of the order. */
const particulars = z.object({
  reference: z.string(),
  order_type: z.enum(orderTypes),
  warehouse_code: z.string(),
  hold_reference: z.string().nullable(),
  client_order_number: z.string().nullable(),
  remark: z.string().nullable(),
  payment_method: z.enum(paymentMethods),
  arrival,
  /** The ordered lines. A line of a partial order may have fewer units in Medusa, or none. */
  lines: z.array(
    z.object({
      sku: z.string(),
      product_code: z.string(),
      quantity: z.int().min(1),
      unit_price: z.int().min(0),
    }),
  ),
})
export type OrderParticulars = z.output<typeof particulars>

const item = z.object({
  id: z.string(),
  variant_sku: z.string().nullable(),
  quantity: z.number(),
  unit_price: z.number(),
  /** Of a draft only. */
  variant: z.object({ allow_backorder: z.boolean().nullish() }).nullish(),
  detail: z
    .object({ shipped_quantity: z.number().nullish(), fulfilled_quantity: z.number().nullish() })
    .nullish(),
})

const fulfillment = z.object({
  id: z.string(),
  location_id: z.string().nullish(),
  shipped_at: z.string().nullable(),
  delivered_at: z.string().nullish(),
  canceled_at: z.string().nullable(),
  labels: z
    .array(z.object({ tracking_number: z.string().nullish(), tracking_url: z.string().nullish() }))
    .nullish(),
  items: z
    .array(z.object({ line_item_id: z.string().nullish(), sku: z.string().nullish(), quantity: z.number() }))
    .nullish(),
})

export type Fulfillment = z.output<typeof fulfillment>

const order = z.object({
  id: z.string(),
  display_id: z.number(),
  status: z.string(),
  fulfillment_status: z.string().nullish(),
  payment_status: z.string().nullish(),
  payment_collections: z
    .array(z.object({ status: z.string(), amount: z.number(), captured_amount: z.number().nullish() }))
    .nullish(),
  created_at: z.string(),
  canceled_at: z.string().nullable(),
  currency_code: z.string(),
  total: z.number(),
  item_subtotal: z.number(),
  shipping_subtotal: z.number(),
  tax_total: z.number(),
  discount_subtotal: z.number().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  items: z.array(item),
  shipping_methods: z.array(z.object({ name: z.string() })).nullish(),
  fulfillments: z.array(fulfillment).nullish(),
})

/** An order or a draft of Medusa that carries a reference of the gateway. */
export type MedusaOrder = z.output<typeof order> & {
  readonly isDraft: boolean
  readonly particulars: OrderParticulars
  /** What was recorded when it was placed. Null for a draft. */
  readonly placed: Placed | null
}

type Known = Pick<OrderRecord, 'order_id' | 'placed'>

const fields = [
  'id,display_id,status,payment_status,created_at,canceled_at,currency_code,metadata',
  'payment_collections.status,payment_collections.amount,payment_collections.captured_amount',
  'total,item_subtotal,shipping_subtotal,tax_total,discount_subtotal',
  'items.*,items.detail.*,shipping_methods.name',
  'fulfillments.id,fulfillments.location_id,fulfillments.shipped_at,fulfillments.delivered_at',
  'fulfillments.canceled_at,fulfillments.labels.*,fulfillments.items.*',
].join(',')
const draftFields = `${fields},items.variant.allow_backorder`

/**
 * The word by which Medusa's search finds the order of a reference, if it was not recorded. It stands in the billing
 * address, which staff may edit.
 */
export const toSearchWord = (reference: string) => `[${reference}]`

export interface NewDraft {
  readonly body: Readonly<Record<string, unknown>>
  readonly particulars: OrderParticulars
}

export class OrderStore {
  readonly #http: MedusaHttp
  readonly #records: Pick<RecordStore, 'read'>
  readonly #known = new Map<string, Known>()

  constructor(http: MedusaHttp, records: Pick<RecordStore, 'read'>) {
    this.#http = http
    this.#records = records
  }

  /** Finds the order of a reference, or else its drafts: more than one if a call that seemed lost took effect. */
  async find(
    reference: string,
  ): Promise<{ readonly order?: MedusaOrder; readonly drafts: readonly MedusaOrder[] }> {
    const known = this.#known.get(reference)
    if (known) {
      const found = (await this.#findKnown([known])).get(reference)
      if (found) return { order: found, drafts: [] }
    }
    const search = { q: toSearchWord(reference) }
    // Drafts first: a draft that becomes an order in between is then found as an order.
    const drafts = await this.#listOwn('draft_orders', reference, search)
    const found =
      (await this.#findRecorded([reference])).get(reference) ??
      (await this.#listOwn('orders', reference, search))[0]
    if (!found) return { drafts }
    this.#remember(found)
    return { order: found, drafts: drafts.filter(({ id }) => id !== found.id) }
  }

  /** Finds the orders whose references were recorded. */
  async #findRecorded(references: readonly string[]): Promise<Map<string, MedusaOrder>> {
    const recorded = await this.#records.read(references)
    return this.#findKnown([...recorded.values()].flatMap(({ orders }) => orders))
  }

  async #findKnown(known: readonly Known[]): Promise<Map<string, MedusaOrder>> {
    const placed = new Map(known.map((one) => [one.order_id, one.placed]))
    const ids = [...placed.keys()]
    const found = new Map<string, MedusaOrder>()
    for (let from = 0; from < ids.length; from += idsPerCall) {
      const part = await this.#list('orders', { id: ids.slice(from, from + idsPerCall) })
      for (const one of part)
        found.set(one.particulars.reference, { ...one, placed: placed.get(one.id) ?? null })
    }
    return found
  }

  async #listOwn(
    kind: 'orders' | 'draft_orders',
    reference: string,
    query: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<MedusaOrder[]> {
    return (await this.#list(kind, query)).filter(({ particulars: own }) => own.reference === reference)
  }

  /** Finds the orders of many references, without drafts. */
  async findOrders(references: readonly string[]): Promise<MedusaOrder[]> {
    const found = await this.#findKnown(references.flatMap((reference) => this.#known.get(reference) ?? []))
    const listMissing = () => references.filter((reference) => !found.has(reference))
    for (const [reference, one] of await this.#findRecorded(listMissing())) {
      found.set(reference, one)
      this.#remember(one)
    }
    for (const reference of listMissing()) {
      const { order: one } = await this.find(reference)
      if (one) found.set(reference, one)
    }
    return references.flatMap((reference) => found.get(reference) ?? [])
  }

  /** Creates a draft and returns it with the totals that Medusa computed. */
  async createDraft({ body, particulars: made }: NewDraft): Promise<MedusaOrder> {
    const { draft_order } = await this.#http.post(
      `/admin/draft-orders${toQueryString({ fields: draftFields })}`,
      z.object({ draft_order: order }),
      { ...body, metadata: { [metadataKey]: made } },
    )
    return { ...draft_order, isDraft: true, particulars: made, placed: null }
  }

  /** Makes the draft an order. Medusa reserves every line in the same workflow, or refuses. */
  async convert(draft: MedusaOrder, placed: Placed): Promise<void> {
    await this.#http.post(`/admin/draft-orders/${draft.id}/convert-to-order`, anything)
    this.#remember({ ...draft, placed })
  }

  /** Deletes a draft. That it is gone already is no failure. */
  async deleteDraft(id: string): Promise<void> {
    try {
      await this.#http.send({ method: 'DELETE', path: `/admin/draft-orders/${id}`, schema: anything })
    } catch (error) {
      if (!isFailure(error, 'missing')) throw error
    }
  }

  async cancelFulfillment(orderId: string, id: string): Promise<void> {
    await this.#http.post(`/admin/orders/${orderId}/fulfillments/${id}/cancel`, anything, {
      no_notification: true,
    })
  }

  async cancel(id: string): Promise<void> {
    await this.#http.post(`/admin/orders/${id}/cancel`, anything)
  }

  async #list(
    kind: 'orders' | 'draft_orders',
    query: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<MedusaOrder[]> {
    const [path, read] = kind === 'orders' ? ['/admin/orders', fields] : ['/admin/draft-orders', draftFields]
    const schema = z.object({ orders: z.array(order).optional(), draft_orders: z.array(order).optional() })
    const page = await this.#http.get(path, schema, { ...query, limit: maxFound, order: 'id', fields: read })
    return (page[kind] ?? []).flatMap((one) => {
      const parsed = particulars.safeParse(one.metadata?.[metadataKey])
      return parsed.success
        ? [{ ...one, isDraft: kind === 'draft_orders', particulars: parsed.data, placed: null }]
        : []
    })
  }

  #remember({ id, placed, particulars: { reference } }: MedusaOrder): void {
    if (this.#known.size >= maxRemembered) this.#known.clear()
    this.#known.set(reference, { order_id: id, placed })
  }
}
