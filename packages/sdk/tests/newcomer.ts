/** A program of a new user, compiled by `.ci/sdk.sh` against the packed SDK with strict settings. It is not run. */

import { isGatewayError, OutcomeUnknownError, TradeGateway } from '@trade-gateway/sdk'
import { webhook as expressWebhook } from '@trade-gateway/sdk/express'
import { webhookPlugin } from '@trade-gateway/sdk/fastify'
import { webhook as honoWebhook } from '@trade-gateway/sdk/hono'
import { MemoryStore, StockMirror } from '@trade-gateway/sdk/mirror'
import { webhookRoute } from '@trade-gateway/sdk/next'
import { webhookListener } from '@trade-gateway/sdk/node'
import { verify } from '@trade-gateway/sdk/webhooks'

const client = new TradeGateway({
  baseUrl: 'https://gateway.example',
  auth: { clientId: 'id', clientSecret: 's' },
})
export const mirror = new StockMirror(client, { warehouses: ['AU'], store: new MemoryStore() })
const secret = 'whsec_'
export const receivers = [
  expressWebhook,
  webhookPlugin,
  honoWebhook,
  webhookRoute,
  webhookListener,
  verify,
  secret,
]

export async function listOpenOrders(): Promise<string[]> {
  const found: string[] = []
  try {
    for await (const order of client.dropship.list({ status: 'pending' }))
      found.push(order.client_order_number)
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return error.recover<string[]>()
    if (isGatewayError(error, 'RATE_LIMITED')) throw new Error(`Wait ${error.retryAfterMs} ms.`)
    throw error
  }
  return found
}

/** An enum of a response is open: a later word is a text like any other. */
export const isKnown = (order: { status: string }) => ['pending', 'shipped'].includes(order.status)

// @ts-expect-error An enum of a request is closed.
export const mistyped = () => client.dropship.list({ status: 'pendng' })
