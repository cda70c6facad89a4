import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'

/** What the ERP said of a control: its status and its JSON. */
export interface Steered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export type Steer = (control: string, input: object) => Promise<Steered>

/** Tells the built-in ERP something. Throws `NOT_FOUND` in front of any other ERP, and `UPSTREAM_*`. */
export async function steer(gateway: Gateway, control: string, input: object): Promise<Steered['body']> {
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

const timeoutMs = 15_000

/** The controls of a sandbox ERP at a URL. */
export function steerAt(url: string, token: string): Steer {
  return async (control, input) => {
    const response = await fetch(`${url.replace(/\/$/, '')}/sandbox/${control}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: Object(await response.json()) }
  }
}
