import { sign, type WebhookEvent } from '@trade-gateway/sdk/webhooks'

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
