import { readData } from './gateway-client.ts'
import { readOrder } from './order-reader.ts'
import { type BuyerParts, OrderWriter } from './orders.ts'

const recipient = {
  ...{ name: 'Alex Lee', phone: '+61 2 5550 1234', address: '1 Example Street', city: 'Sydney' },
  ...{ state: 'NSW', postal_code: '2000', country_code: 'AU' },
}
const path = '/api/v1/dropship-orders'
const maxQuantity = 3
const chances = { previewed: 0.5, released: 0.4, read: 0.5, voided: 0.25 } as const
const maxPauseMs = 250

interface DropshipData {
  readonly dropship_order_id: string
  /** Null if the preview is short. */
  readonly hold: object | null
}

/** Places drop-ship orders, one after another. Some it previews, releases or voids. */
export async function buyDropship(parts: BuyerParts): Promise<void> {
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
  const [sku, quantity] = [random.pick(skus), random.integer(1, maxQuantity)]
  const body = { sku, quantity, recipient: { ...recipient, phone: order }, client_order_number: order }
  const input = { order, lines: [{ sku, quantity }] }
  let known: Partial<DropshipData> = {}
  if (random.chance(chances.previewed)) {
    const held = await writer.write({
      ...{ method: 'POST', path: `${path}/allocation-preview`, body, operation: 'hold.place', input },
      isDone: (reply) => Boolean(readData<DropshipData>(reply).hold),
    })
    known = readData<DropshipData>(held)
    if (known.dropship_order_id !== undefined && random.chance(chances.released)) {
      const at = `${path}/${known.dropship_order_id}/allocation`
      await writer.write({ method: 'DELETE', path: at, operation: 'hold.release', input: { order } })
      return
    }
  }
  const { dropship_order_id: id } = known
  const submitted = await writer.write({
    ...{ method: 'POST', path: `${path}/submit`, operation: 'order.submit', input },
    body: id === undefined ? body : { ...body, dropship_order_id: id },
  })
  const { dropship_order_id: placed } = readData<DropshipData>(submitted)
  if (placed === undefined) return
  if (random.chance(chances.read)) await readOrder(parts, order, `${path}/${placed}`)
  if (!random.chance(chances.voided)) return
  await writer.write({
    ...{ method: 'DELETE', path: `${path}/${placed}`, operation: 'order.void', input: { order } },
  })
}
