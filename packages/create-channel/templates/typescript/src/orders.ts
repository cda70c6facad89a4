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
/** How far the clock of the ERP, which says when an order was submitted, may be behind the gateway's. */
const erpSkewMs = 60_000
/** How far the clocks of two processes of the gateway may differ. */
const gatewaySkewMs = 2_000

/**
 * Places an order exactly once: sent again under its key, also by another process after a crash, it is the same order. An
 * order that is older than its key is looked up first. Throws `RejectedError` with a `reason` if the wholesaler refuses
 * it, and another error if its outcome is not known yet: then send it again later.
 */
export async function placeOrder(client: TradeGateway, { order, key, storedAt }: StoredOrder) {
  const ageMs = computeAge(storedAt)
  const placed = ageMs > keyLifeMs ? await findOrder(client, order, ageMs) : undefined
  if (placed) return placed
  try {
    return await client.dropship.submit(order, { idempotencyKey: key })
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error
    // The response was lost. The gateway finds out what became of the order.
    return error.recover<Awaited<ReturnType<typeof client.dropship.submit>>>()
  }
}

/** Computes the age of an order. One that was stored in the future has no known age: a clock was wrong. */
function computeAge(storedAt: Date): number {
  const ageMs = Date.now() - storedAt.getTime()
  return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs
}

/**
 * Finds the order that this one has become, also one that was cancelled since. An earlier order with the same number is
 * another one. Throws if the ERP has not confirmed an order yet, because it may be this one.
 */
async function findOrder(client: TradeGateway, { client_order_number, sku }: NewOrder, ageMs: number) {
  let placed: Row<'dropship.list'> | undefined
  for await (const { data, as_of } of client.dropship.list({ client_order_number }).pages()) {
    // By the clock of the gateway, because the clock of this machine may be wrong.
    const moment = Date.parse(as_of) - ageMs
    for (const found of data) {
      if (found.sku !== sku) continue
      if (found.in_doubt && found.submitted_at === null)
        throw new Error(
          `It is not known yet whether the order ${client_order_number} (${found.dropship_order_id}) was placed. ` +
            'Send it again later.',
        )
      if (isMadeSince(found, moment)) placed ??= found
    }
  }
  return placed
}

/** Whether an order was submitted after a moment. A preview never was. */
function isMadeSince({ submitted_at, updated_at }: Row<'dropship.list'>, moment: number): boolean {
  if (submitted_at === null || Date.parse(submitted_at) < moment - erpSkewMs) return false
  return Date.parse(updated_at) >= moment - gatewaySkewMs
}
