import { callListener } from '../listeners.ts'
import { WebhookError } from './errors.ts'
import {
  isOrderCreated,
  isStockChanged,
  type OrderCreatedEvent,
  type StockChangedEvent,
  type WebhookEvent,
} from './event.ts'
import { type HeadersLike, type VerifyOptions, verify } from './verify.ts'

/** What a receiver does with events. Respond within 15 seconds: store the event, and work later. */
export interface ReceiverOptions extends VerifyOptions {
  /** The secret of the endpoint; during a rotation, both. */
  readonly secret: string | readonly string[]
  readonly onStockChanged?: (event: StockChangedEvent) => unknown
  readonly onOrderCreated?: (event: OrderCreatedEvent) => unknown
  /** Every event, also of types that this version does not know. */
  readonly onEvent?: (event: WebhookEvent) => unknown
  /** A webhook that was refused, or a handler that failed. What it throws changes no response. */
  readonly onError?: (error: unknown) => unknown
}

/** The response to a delivery. */
export interface Receipt {
  readonly status: 204 | 400 | 413 | 500
  readonly body: string
}

/**
 * Reads and verifies a delivery, and calls the handlers. Returns 204; 400 for a delivery that must not be trusted; and 500 if a
 * handler fails, after which the gateway delivers again.
 */
export async function receive(
  readRaw: () => Promise<unknown>,
  headers: HeadersLike,
  options: ReceiverOptions,
): Promise<Receipt> {
  try {
    const event = await verify(asBody(await readRaw()), headers, options.secret, options)
    if (isStockChanged(event)) await options.onStockChanged?.(event)
    if (isOrderCreated(event)) await options.onOrderCreated?.(event)
    await options.onEvent?.(event)
    return { status: 204, body: '' }
  } catch (error) {
    if (options.onError) callListener(options.onError, error)
    return describeFailure(error)
  }
}

/** Turns a failure into a response. The text of a handler's error stays here. */
function describeFailure(error: unknown): Receipt {
  if (!(error instanceof WebhookError))
    return { status: 500, body: describe('HANDLER_FAILED', 'The handler failed.') }
  const { code, message } = error
  return { status: code === 'BODY_TOO_LARGE' ? 413 : 400, body: describe(code, message) }
}

function describe(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

/** `verify` checks what it gets, and names the frameworks' ways to the raw body. */
function asBody(rawBody: unknown): string | Uint8Array {
  return rawBody as string | Uint8Array
}
