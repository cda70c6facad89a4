import { webhookHandler } from './fetch.ts'
import type { ReceiverOptions } from './receive.ts'

/** What the handler needs of Hono's context. */
interface HonoContext {
  readonly req: { readonly raw: Request }
}

/**
 * Creates a handler for Hono.
 *
 * @example app.post('/hook', webhook({ secret: env.WEBHOOK_SECRET, onOrderCreated }))
 */
export function webhook(options: ReceiverOptions): (context: HonoContext) => Promise<Response> {
  const handle = webhookHandler(options)
  return ({ req }) => handle(req.raw)
}
