import { OutcomeUnknownError, type Sent, type TradeGateway } from '@trade-gateway/sdk'

export type NewOrder = Sent<'dropship.submit'>

/** An order as the shop stores it before it is sent. */
export interface StoredOrder {
  readonly order: NewOrder
  /** The `Idempotency-Key`: a random UUID that was made with the order and never changes. */
  readonly key: string
  readonly storedAt: Date
}

/** How long a key surely names its order, an hour less than the gateway keeps it. */
const keyLifeMs = 23 * 60 * 60_000

/**
 * Places an order exactly once: sent again under its key, also by another process after a crash, it is the same order. An
 * order that is older than its key is looked up first. Throws `RejectedError` with a `reason` if the wholesaler refuses
 * it.
 */
export async function placeOrder(client: TradeGateway, { order, key, storedAt }: StoredOrder) {
  const isKeyOver = Date.now() - storedAt.getTime() > keyLifeMs
  const placed = isKeyOver ? await findOrder(client, order) : undefined
  if (placed) return placed
  try {
    return await client.dropship.submit(order, { idempotencyKey: key })
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error
    // The response was lost. The gateway finds out what became of the order.
    return error.recover<Awaited<ReturnType<typeof client.dropship.submit>>>()
  }
}

/** Finds the newest order with a number and SKU, also one that was cancelled since. */
async function findOrder(client: TradeGateway, { client_order_number, sku }: NewOrder) {
  for await (const found of client.dropship.list({ client_order_number })) if (found.sku === sku) return found
  return undefined
}
