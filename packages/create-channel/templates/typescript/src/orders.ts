import { OutcomeUnknownError, type Sent, type TradeGateway } from '@trade-gateway/sdk'

export type NewOrder = Sent<'dropship.submit'>

/**
 * Places an order exactly once. The key is made of the order's own number, so the same order sent again, also by another
 * process after a crash, returns the first one. Throws `RejectedError` with a `reason` if the wholesaler refuses it.
 */
export async function placeOrder(client: TradeGateway, order: NewOrder) {
  try {
    return await client.dropship.submit(order, { idempotencyKey: `order-${order.client_order_number}` })
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error
    // The response was lost. The gateway finds out what became of the order.
    return error.recover<Awaited<ReturnType<typeof client.dropship.submit>>>()
  }
}
