import { readData } from './gateway-client.ts'
import { readOrder } from './order-reader.ts'
import { type BuyerParts, OrderWriter } from './orders.ts'

const shipping = { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' }
const maxQuantity = 3
const maxLines = 2
const chances = { fromCart: 0.4, previewed: 0.6, abandoned: 0.2, read: 0.5, voided: 0.25 } as const
const maxPauseMs = 250

interface OrderInput {
  readonly order: string
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[]
}

/** Places wholesale orders, one after another: from a cart or a draft, to preview, submit and void. */
export async function buyWholesale(parts: BuyerParts): Promise<void> {
  const { scheduler, random, rounds, isOver } = parts
  const writer = new OrderWriter(parts)
  for (let round = 1; round <= rounds && !isOver(); round++) {
    await placeOrder(parts, writer, round)
    await scheduler.sleep(random.integer(10, maxPauseMs))
  }
}

async function placeOrder(parts: BuyerParts, writer: OrderWriter, round: number) {
  const { client, random, skus } = parts
  const order = `${client.name}-${round}`
  const wanted = new Set(Array.from({ length: random.integer(1, maxLines) }, () => random.pick(skus)))
  const lines = [...wanted].map((sku) => ({ sku, quantity: random.integer(1, maxQuantity) }))
  const input = { order, lines }
  const isFromCart = random.chance(chances.fromCart)
  const id = await (isFromCart ? checkOutCart(writer, input) : createDraft(writer, input))
  if (id === undefined) return
  const path = `/api/v1/orders/${id}`
  if (random.chance(chances.previewed)) {
    // The preview of a wholesale order holds nothing.
    await writer.write({ method: 'POST', path: `${path}/allocation-preview`, body: { shipping } })
    if (random.chance(chances.abandoned)) {
      await writer.write({ method: 'DELETE', path, operation: 'order.void', input: { order } })
      return
    }
  }
  const body = { shipping, payment_method: 'invoice' }
  const submitted = await writer.write({
    ...{ method: 'POST', path: `${path}/submit`, body, operation: 'order.submit', input },
  })
  if (random.chance(chances.read)) await readOrder(parts, order, path)
  if (submitted && submitted.status < 300 && random.chance(chances.voided))
    await writer.write({ method: 'DELETE', path, operation: 'order.void', input: { order } })
}

/** Returns the id of a new draft; undefined if there is none. */
async function createDraft(writer: OrderWriter, { order, lines }: OrderInput): Promise<string | undefined> {
  const body = { lines, shipping, client_order_number: order, payment_method: 'invoice' }
  const created = await writer.write({ method: 'POST', path: '/api/v1/orders', body })
  return readData<{ order_id: string }>(created).order_id
}

/** Puts the lines into a cart and checks it out. Returns the id of the draft; undefined if there is none. */
async function checkOutCart(writer: OrderWriter, { order, lines }: OrderInput): Promise<string | undefined> {
  const [first] = lines
  const body = { client_order_number: order, items: [first] }
  const created = await writer.write({ method: 'POST', path: '/api/v1/carts', body })
  const { cart_id } = readData<{ cart_id: string }>(created)
  if (cart_id === undefined) return undefined
  const path = `/api/v1/carts/${cart_id}`
  const filled = await writer.write({ method: 'PUT', path: `${path}/items`, body: { items: lines } })
  if (!filled || filled.status >= 300) return undefined
  const confirmed = await writer.write({ method: 'POST', path: `${path}/checkout` })
  const { items = [], order_id } = readData<{ items: OrderInput['lines']; order_id: string }>(confirmed)
  // A restored database has the cart as it was: the buyer must look at what it is about to order.
  const isSame = lines.every(({ sku, quantity }) =>
    items.some((item) => item.sku === sku && item.quantity === quantity),
  )
  return isSame && items.length === lines.length ? order_id : undefined
}
