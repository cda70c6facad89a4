import { OutcomeUnknownError, type Row, type Sent, type TradeGateway } from '@trade-gateway/sdk'

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
/** How far the clock of the ERP, which says when an order was submitted, may be behind this machine's. */
const erpSkewMs = 60_000
/** How far the clock of the gateway, which says when an order changed, may be behind this machine's. */
const gatewaySkewMs = 2_000

/**
 * Places an order exactly once: sent again under its key, also by another process after a crash, it is the same order. An
 * order that is older than its key is looked up first. Throws `RejectedError` with a `reason` if the wholesaler refuses
 * it, and another error if its outcome is not known yet: then send it again later.
 */
export async function placeOrder(client: TradeGateway, { order, key, storedAt }: StoredOrder) {
  const isKeyOver = Date.now() - storedAt.getTime() > keyLifeMs
  const placed = isKeyOver ? await findOrder(client, order, storedAt) : undefined
  if (placed) return placed
  try {
    return await client.dropship.submit(order, { idempotencyKey: key })
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error
    // The response was lost. The gateway finds out what became of the order.
    return error.recover<Awaited<ReturnType<typeof client.dropship.submit>>>()
  }
}

/**
 * Finds the order that this one has become, also one that was cancelled since. An earlier order with the same number is
 * another one. Throws if the ERP has not confirmed an order yet, because it may be this one.
 */
async function findOrder(client: TradeGateway, { client_order_number, sku }: NewOrder, storedAt: Date) {
  let placed: Row<'dropship.list'> | undefined
  for await (const found of client.dropship.list({ client_order_number })) {
    if (found.sku !== sku) continue
    if (found.in_doubt && found.submitted_at === null)
      throw new Error(
        `It is not known yet whether the order ${client_order_number} (${found.dropship_order_id}) was placed. ` +
          'Send it again later.',
      )
    if (isMadeSince(found, storedAt.getTime())) placed ??= found
  }
  return placed
}

/** Whether an order was submitted after a moment. A preview never was. */
function isMadeSince({ submitted_at, updated_at }: Row<'dropship.list'>, moment: number): boolean {
  if (submitted_at === null || Date.parse(submitted_at) < moment - erpSkewMs) return false
  return Date.parse(updated_at) >= moment - gatewaySkewMs
}
