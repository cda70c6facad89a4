import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { ControlResponse } from '../upstream/steer.ts'

/**
 * Calls a control of the built-in ERP. Throws `NOT_FOUND` if the ERP is not the built-in one, `UPSTREAM_ERROR` if it
 * cannot be reached, and `UPSTREAM_REJECTED` if it refuses.
 */
export async function controlSandbox(
  gateway: Gateway,
  control: string,
  input: object,
): Promise<ControlResponse['body']> {
  const { upstream } = gateway
  if (!upstream.isSandbox || !upstream.steer) {
    throw new GatewayError('NOT_FOUND', { say: ['sandbox_only'], hint: ['hint_sandbox_only'] })
  }
  const { status, body } = await upstream.steer(control, input).catch((cause: unknown) => {
    throw new GatewayError('UPSTREAM_ERROR', { say: ['erp_unreachable'], retryAfter: 1, cause })
  })
  if (status < 300) return body
  throw new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['erp_rejected', { reason: String(body.failed ?? status) }],
  })
}
