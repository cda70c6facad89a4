/** What the gateway's public API tells of all orders and of the stock. */
import { z } from 'zod'
import type { Buyer } from './buyer.ts'
import type { Figures } from './erp-desk.ts'

const ordersPerPage = 200
const mostPages = 100_000

const order = z.object({
  order_id: z.string(),
  client_order_number: z.string().nullable(),
  status: z.enum(['draft', 'confirmed', 'cancelled']),
  status_raw: z.string().nullable(),
  in_doubt: z.boolean(),
  lines: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      quantity_allocated: z.int(),
      quantity_shipped: z.int(),
    }),
  ),
  costs: z.object({ total: z.number() }).nullable(),
})
const orderPage = z.object({ data: z.array(order), has_more: z.boolean(), as_of: z.string() })
const stock = z.object({
  data: z.array(z.object({ sku: z.string(), quantity_on_hand: z.int(), quantity_available: z.int() })),
})

/** An order as the gateway shows it; amounts in major units. */
export type ShownOrder = z.infer<typeof order>

/** Every order of the channel. Throws `Unanswered`. */
export async function shownOrders(buyer: Buyer): Promise<ShownOrder[]> {
  const all: ShownOrder[] = []
  let asOf = ''
  for (let page = 1; page <= mostPages; page++) {
    const path = `/api/v1/orders?page_size=${ordersPerPage}&page=${page}${asOf && `&as_of=${encodeURIComponent(asOf)}`}`
    const { data, has_more, as_of } = orderPage.parse(await buyer.read(path))
    all.push(...data)
    if (!has_more) break
    asOf = as_of
  }
  return all
}

/** A full pull of a warehouse. Throws `Unanswered`. */
export async function shownShelf(buyer: Buyer, warehouse_code: string): Promise<Map<string, Figures>> {
  const { data } = stock.parse(await buyer.read(`/api/v1/warehouses/${warehouse_code}/stock`))
  return new Map(
    data.map(({ sku, quantity_on_hand: on_hand, quantity_available: available }) => [
      sku,
      { on_hand, available },
    ]),
  )
}
