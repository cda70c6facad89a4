import { webhookHandler } from './fetch.ts'
import type { ReceiverOptions } from './receive.ts'

/**
 * Creates the handler of a route of Next's App Router. Next leaves the body as it came.
 *
 * @example export const POST = webhookRoute({ secret: process.env.WEBHOOK_SECRET ?? '', onOrderCreated })
 */
export const webhookRoute: (options: ReceiverOptions) => (request: Request) => Promise<Response> =
  webhookHandler
