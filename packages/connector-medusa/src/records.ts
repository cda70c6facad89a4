/**
 * Holds, fences and the references of orders, as reservations of Medusa that belong to no order. The description of a
 * reservation names the gateway's reference, and its metadata say the rest. A hold ends by setting the quantity of its
 * reservations to zero, which is one step and leaves the record.
 */
import { arrival, costs, orderTypes } from '@trade-gateway/connector'
import { z } from 'zod'
import type { MedusaHttp } from './http.ts'

const referencesPerCall = 20
const maxRows = 2000
/** The number of reservations that are looked through for lines that arrived late. */
const maxNewest = 500
const anything = z.unknown()

/** How a hold can end. */
const endings = ['released', 'expired', 'consumed'] as const
export type Ending = (typeof endings)[number]

/** One line of a hold. The quantity of its reservation is `quantity` until it ends, and then 0. */
const holdLine = z.object({
  kind: z.literal('hold'),
  reference: z.string(),
  order_type: z.enum(orderTypes),
  warehouse_code: z.string(),
  /** The place of the line in the hold, from 0, and the number of lines. */
  index: z.int().min(0),
  count: z.int().min(1),
  sku: z.string(),
  product_code: z.string(),
  quantity: z.int().min(1),
  unit_price: z.int().min(0),
  currency: z.string(),
  expires_at: z.string(),
  /** Of the whole hold, with each of its lines. */
  costs: costs.nullable(),
  arrival: arrival.nullable(),
  /** With the first line, which is reserved first: all lines, so that a hold that was cut off can be finished. */
  plan: z
    .array(
      z.object({
        sku: z.string(),
        product_code: z.string(),
        inventory_item_id: z.string(),
        quantity: z.int().min(1),
        unit_price: z.int().min(0),
      }),
    )
    .nullable(),
  ending: z.enum(endings).nullable(),
  ended_at: z.string().nullable(),
  /** The order that consumed the hold, or the hold that needed its units: if that does not come to be, this is revived. */
  consumed_by: z.string().nullable(),
  /** The hold that this one replaces. Records of before it do not say it. */
  replaces: z.string().nullable().default(null),
  /** Until when the costs are promised. Records of before it do not say it. */
  price_expires_at: z.string().nullable().default(null),
})
const fence = z.object({ kind: z.literal('fence'), reference: z.string() })
/**
 * What a hold or an order is about to end: a hold of whose units it has not enough otherwise, or a draft that is taken
 * back.
 */
const intent = z.object({
  kind: z.literal('intent'),
  reference: z.string(),
  hold_reference: z.string().nullable(),
  /** The lines of the draft, for which Medusa may have reserved units. */
  line_item_ids: z.array(z.string()).default([]),
})
const placed = z.object({
  costs,
  items: z.array(z.object({ id: z.string(), sku: z.string(), quantity: z.number() })),
})
/** Which draft or order has a reference, and what it was when it was placed. Staff may edit everything else that says it. */
const orderRecord = z.object({
  kind: z.literal('order'),
  reference: z.string(),
  order_id: z.string(),
  /** Older records do not say it. */
  placed: placed.nullable().default(null),
})
const particulars = z.discriminatedUnion('kind', [holdLine, fence, intent, orderRecord])

export type HoldLine = z.output<typeof holdLine>
export type Intent = z.output<typeof intent>
export type Placed = z.output<typeof placed>
export type OrderRecord = z.output<typeof orderRecord>
type Particulars = z.output<typeof particulars>

/** A reservation of Medusa that the connector made. */
export interface Row<T> {
  readonly id: string
  readonly locationId: string
  readonly inventoryItemId: string
  /** What Medusa reserves for it now. */
  readonly quantity: number
  readonly particulars: T
}

/** What a reservation is of, even one of nothing. */
export interface Place {
  readonly locationId: string
  readonly inventoryItemId: string
}

export interface Records {
  /** One row for each line, in the order of the lines. */
  readonly hold: readonly Row<HoldLine>[]
  /** Rows that are there a second time, because a call that seemed lost took effect later. */
  readonly surplus: readonly Row<HoldLine>[]
  readonly intents: readonly Row<Intent>[]
  /** The order and drafts. A draft may be gone. */
  readonly orders: readonly OrderRecord[]
  readonly isFenced: boolean
}

const page = z.object({
  reservations: z.array(
    z.object({
      id: z.string(),
      location_id: z.string(),
      inventory_item_id: z.string(),
      quantity: z.number(),
      metadata: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
})

/** The field of metadata that the connector owns. */
export const metadataKey = 'trade_gateway'
const describeReference = (reference: string) => `Trade Gateway ${reference}`

/** Reads and writes the reservations. */
export class RecordStore {
  readonly #http: MedusaHttp

  constructor(http: MedusaHttp) {
    this.#http = http
  }

  /** Reads what is recorded under references. A reference without a record has an empty one. */
  async read(references: readonly string[]): Promise<Map<string, Records>> {
    const rows: Row<Particulars>[] = []
    for (let from = 0; from < references.length; from += referencesPerCall) {
      const descriptions = references.slice(from, from + referencesPerCall).map(describeReference)
      const { reservations } = await this.#http.get('/admin/reservations', page, {
        'description[$in]': descriptions,
        limit: maxRows,
        order: 'id',
        fields: 'id,location_id,inventory_item_id,quantity,metadata',
      })
      for (const one of reservations) {
        const parsed = particulars.safeParse(one.metadata?.[metadataKey])
        if (!parsed.success) continue
        const { id, location_id, inventory_item_id, quantity } = one
        const place = { locationId: location_id, inventoryItemId: inventory_item_id }
        rows.push({ id, ...place, quantity, particulars: parsed.data })
      }
    }
    return new Map(references.map((reference) => [reference, gather(rows, reference)]))
  }

  async readOne(reference: string): Promise<Records> {
    return (await this.read([reference])).get(reference) ?? gather([], reference)
  }

  /** Reads the lines of a hold. None without a reference. */
  async readHold(reference: string | null): Promise<readonly Row<HoldLine>[]> {
    return reference === null ? [] : (await this.readOne(reference)).hold
  }

  /** Reserves the units of a line. Throws `MedusaFailure` of kind `refused` if there are too few. */
  async createLine(place: Place, line: HoldLine): Promise<void> {
    await this.#create(place, { quantity: line.quantity, particulars: line })
  }

  /** Records that nothing may come to exist under a reference. */
  async createFence(place: Place, reference: string): Promise<void> {
    await this.#create(place, { quantity: 0, particulars: { kind: 'fence', reference } })
  }

  /** Records what a hold or an order is about to end. */
  async createIntent(place: Place, intent: Omit<Intent, 'kind'>): Promise<void> {
    await this.#create(place, { quantity: 0, particulars: { kind: 'intent', ...intent } })
  }

  /** Records which draft has a reference. It keeps its id when it becomes an order. */
  async createOrderRecord(place: Place, record: Omit<OrderRecord, 'kind'>): Promise<void> {
    await this.#create(place, { quantity: 0, particulars: { kind: 'order', ...record } })
  }

  async #create(
    { locationId, inventoryItemId }: Place,
    { quantity, particulars }: { readonly quantity: number; readonly particulars: Particulars },
  ): Promise<void> {
    await this.#http.post('/admin/reservations', anything, {
      location_id: locationId,
      inventory_item_id: inventoryItemId,
      quantity,
      description: describeReference(particulars.reference),
      metadata: { [metadataKey]: particulars },
    })
  }

  /** Sets the units and the particulars of a line in one step. */
  async updateLine(row: Row<HoldLine>, quantity: number, line: HoldLine): Promise<void> {
    await this.#http.post(`/admin/reservations/${row.id}`, anything, {
      quantity,
      metadata: { [metadataKey]: line },
    })
  }

  /** Lists the references of the newest reservations of the connector that reserve anything. */
  async listNewestReferences(): Promise<string[]> {
    const { reservations } = await this.#http.get('/admin/reservations', page, {
      'description[$like]': `${describeReference('')}%`,
      'quantity[$gt]': 0,
      limit: maxNewest,
      order: '-created_at',
      fields: 'id,location_id,inventory_item_id,quantity,metadata',
    })
    const found = reservations.flatMap(({ metadata }) => {
      const parsed = particulars.safeParse(metadata?.[metadataKey])
      return parsed.success ? [parsed.data.reference] : []
    })
    return [...new Set(found)]
  }

  /** Deletes a record of something that never came to be. */
  async delete({ id }: Pick<Row<Particulars>, 'id'>): Promise<void> {
    await this.#http.send({ method: 'DELETE', path: `/admin/reservations/${id}`, schema: anything })
  }

  /** Finds a place for a record that belongs to no goods. */
  async findPlace(warehouses: readonly Pick<Place, 'locationId'>[]): Promise<Place> {
    for (const { locationId } of warehouses) {
      const inventoryItemId = await this.findAnchor(locationId)
      if (inventoryItemId !== undefined) return { locationId, inventoryItemId }
    }
    throw new Error('No warehouse has an inventory item, so nothing can be recorded.')
  }

  /** Finds a location and an item that Medusa keeps a level of: a reservation of nothing requires one, too. */
  async findAnchor(locationId: string): Promise<string | undefined> {
    const items = z.object({ inventory_items: z.array(z.object({ id: z.string() })) })
    const query = { 'location_levels[location_id]': locationId, limit: 1, fields: 'id' }
    return (await this.#http.get('/admin/inventory-items', items, query)).inventory_items[0]?.id
  }
}

function gather(rows: readonly Row<Particulars>[], reference: string): Records {
  const hold = new Map<number, Row<HoldLine>>()
  const surplus: Row<HoldLine>[] = []
  const intents: Row<Intent>[] = []
  const orders: OrderRecord[] = []
  let isFenced = false
  for (const { particulars: found, ...row } of rows) {
    if (found.reference !== reference) continue
    if (found.kind === 'fence') isFenced = true
    else if (found.kind === 'order') orders.push(found)
    else if (found.kind === 'intent') intents.push({ ...row, particulars: found })
    else if (hold.has(found.index)) surplus.push({ ...row, particulars: found })
    else hold.set(found.index, { ...row, particulars: found })
  }
  const lines = [...hold.values()].sort((one, other) => one.particulars.index - other.particulars.index)
  return { hold: lines, surplus, intents, orders, isFenced }
}

/** The lines that have their units. */
export const listLive = (rows: readonly Row<HoldLine>[]) =>
  rows.filter(({ particulars }) => particulars.ending === null)

/** The state of a hold: `begun` has not all of its lines, `ending` not all of them ended. */
export type HoldState = 'none' | 'begun' | 'held' | 'ending' | Ending

export function readHoldState(rows: readonly Row<HoldLine>[]): HoldState {
  const [first] = rows
  if (!first) return 'none'
  const ended = rows.filter(({ particulars: { ending } }) => ending !== null)
  if (ended.length === 0) return rows.length === first.particulars.count ? 'held' : 'begun'
  return ended.length === rows.length ? (ended[0]?.particulars.ending ?? 'released') : 'ending'
}
