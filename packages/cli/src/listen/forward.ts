import { sign, type WebhookEvent } from '@trade-gateway/sdk/webhooks'
import { UsageError } from '../failures.ts'

/** How a handler responded. */
export interface HandlerResponse {
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  readonly durationMs: number
  /** Why there was no response. */
  readonly problem: string | undefined
}

/** The gateway allows a receiver as much time. */
const handlerTimeoutMs = 15_000

/** Reads where events go: a URL, `host:port/path`, `:port/path` or a port. Throws `UsageError`. */
export function readTarget(given: string): string {
  const text = /^\d+(?:\/|$)/.test(given) ? `:${given}` : given
  const full = /^https?:\/\//.test(text) ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`
  if (URL.canParse(full)) return new URL(full).href
  throw new UsageError(`--forward-to must be an address such as :3000/hook, and is "${given}".`)
}

/** Signs an event as the gateway does, with a secret of this machine, and sends it to the handler. */
export async function forward(
  event: WebhookEvent,
  target: string,
  secret: string,
  signal: AbortSignal,
): Promise<HandlerResponse> {
  const { body, headers } = await sign(event, secret)
  const began = performance.now()
  const finish = (status: number | undefined, problem?: string): HandlerResponse => ({
    status,
    durationMs: Math.round(performance.now() - began),
    problem,
  })
  const timeout = AbortSignal.timeout(handlerTimeoutMs)
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { ...headers, 'user-agent': 'tgw listen' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    // The status accepts the event. A body is read to free the connection.
    await response.arrayBuffer().catch(() => {})
    return finish(response.status)
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return finish(undefined, `no response within ${handlerTimeoutMs / 1000} s`)
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return finish(undefined, cause instanceof Error ? cause.message : String(cause))
  }
}
