/** Reads all orders and the stock through the gateway's public API. */
import { z } from 'zod'
import type { Buyer } from './buyer.ts'
import type { Figures } from './replay-erp.ts'

const ordersPerPage = 200
const maxPages = 100_000

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

/** An order as the gateway returns it, with amounts in major units. */
export type GatewayOrder = z.infer<typeof order>

/** Reads all orders of the channel. Throws `NoUsableResponse`. */
export async function readGatewayOrders(buyer: Buyer): Promise<GatewayOrder[]> {
  const all: GatewayOrder[] = []
  let asOf = ''
  for (let page = 1; page <= maxPages; page++) {
    const path = `/api/v1/orders?page_size=${ordersPerPage}&page=${page}${asOf && `&as_of=${encodeURIComponent(asOf)}`}`
    const { data, has_more, as_of } = orderPage.parse(await buyer.read(path))
    all.push(...data)
    if (!has_more) break
    asOf = as_of
  }
  return all
}

/** Reads a warehouse with a full pull. Throws `NoUsableResponse`. */
export async function readGatewaySnapshot(
  buyer: Buyer,
  warehouse_code: string,
): Promise<Map<string, Figures>> {
  const { data } = stock.parse(await buyer.read(`/api/v1/warehouses/${warehouse_code}/stock`))
  return new Map(
    data.map(({ sku, quantity_on_hand: on_hand, quantity_available: available }) => [
      sku,
      { on_hand, available },
    ]),
  )
}
