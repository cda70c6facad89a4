import { expect, it } from 'vitest'
import type { MedusaHttp } from './http.ts'
import { OrderStore } from './medusa-orders.ts'
import { metadataKey, RecordStore } from './records.ts'

const day = '2026-11-28'
const arrival = {
  ...{ earliest_ship_date: day, latest_ship_date: day },
  ...{ earliest_arrival_date: day, latest_arrival_date: day },
}

const createOrder = (id: string, reference: string) => ({
  ...{ id, display_id: 1, status: 'pending', created_at: `${day}T00:00:00Z`, canceled_at: null },
  ...{ currency_code: 'aud', total: 1, item_subtotal: 1, shipping_subtotal: 0, tax_total: 0, items: [] },
  metadata: {
    [metadataKey]: {
      ...{ reference, order_type: 'wholesale', warehouse_code: 'W', hold_reference: null, remark: null },
      ...{ client_order_number: null, payment_method: 'invoice', arrival, lines: [] },
    },
  },
})

/** A Medusa with orders, in which the search finds none: staff have edited their addresses. */
function createMedusa(orders: readonly ReturnType<typeof createOrder>[]) {
  const records: object[] = []
  const http = {
    get: async (path: string, _schema: unknown, query: Readonly<Record<string, unknown>>) => {
      if (path === '/admin/reservations') return { reservations: records }
      if (path === '/admin/draft-orders') return { draft_orders: [] }
      const ids = Array.isArray(query.id) ? query.id : []
      return { orders: orders.filter(({ id }) => ids.includes(id)) }
    },
    post: async (_path: string, _schema: unknown, { metadata, ...body }: { metadata: object }) => {
      const place = { location_id: 'L', inventory_item_id: 'I', ...body }
      records.push({ id: `record-${records.length}`, ...place, metadata })
    },
  }
  // Finding orders uses no other part of it.
  const medusa = http as unknown as MedusaHttp
  return { medusa, records: new RecordStore(medusa) }
}

const place = { locationId: 'L', inventoryItemId: 'I' }

it('An order whose billing address was edited is found by its record', async () => {
  const { medusa, records } = createMedusa([createOrder('order-1', 'R-1'), createOrder('order-2', 'R-2')])
  // The first draft of the reference was taken back.
  for (const [reference, order_id] of [
    ['R-1', 'order-0'],
    ['R-1', 'order-1'],
    ['R-2', 'order-2'],
  ] as const)
    await records.createOrderRecord(place, { reference, order_id, placed: null })
  expect((await new OrderStore(medusa, records).find('R-1')).order?.id).toBe('order-1')
  const found = await new OrderStore(medusa, records).findOrders(['R-2', 'R-3', 'R-1'])
  expect(found.map(({ id }) => id)).toEqual(['order-2', 'order-1'])
})

it('An order without a record is only found by its address', async () => {
  const { medusa, records } = createMedusa([createOrder('order-1', 'R-1')])
  expect(await new OrderStore(medusa, records).find('R-1')).toEqual({ drafts: [] })
})
