import { type NodeRequest, type NodeResponse, webhookListener } from './node.ts'
import type { ReceiverOptions } from './receive.ts'

/**
 * Creates a handler for Express 4 and 5. Put its route before `express.json()`, or give it
 * `express.raw({ type: 'application/json' })`: after a parser that has read the bytes they are gone, and the response
 * says so.
 *
 * @example app.post('/hook', webhook({ secret, onOrderCreated }))
 */
export const webhook: (
  options: ReceiverOptions,
) => (request: NodeRequest, response: NodeResponse) => Promise<void> = webhookListener
