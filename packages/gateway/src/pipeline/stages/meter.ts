import type { Call } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { windowSeconds } from '../../kernel/quota.ts'
import type { StageFactory } from './authenticate.ts'

/** Charges the call's points. A call that the channel cannot pay costs nothing, and its `Retry-After` is exact. */
export const chargePoints: StageFactory = (endpoint, gateway) => {
  if (endpoint.access !== 'bearer') return undefined
  const { cost = 0 } = endpoint
  return (call) => {
    const input = isObject(call.input) ? call.input : {}
    const points = typeof cost === 'number' ? cost : cost.points({ gateway, call, input })
    charge(gateway, call, points)
    return undefined
  }
}

/** Throws `RATE_LIMITED` if the channel has too few points left. */
export function charge(gateway: Gateway, call: Call, points: number) {
  const { caller } = call
  if (!caller || points === 0) return
  const limit = caller.points_per_minute
  const purchase = gateway.quota.points.take(caller.channel_code, points, limit, gateway.clock.monotonic())
  if (purchase.paid) {
    call.cost = points
    return
  }
  throw new GatewayError('RATE_LIMITED', {
    say: ['points_used', { cost: points, remaining: purchase.remaining, limit }],
    retryAfter: purchase.retryAfter,
  })
}

/** Reduces the charge of a call to `points`, for example because the response was a replay. */
export function adjustCharge(gateway: Gateway, call: Call, points: number) {
  const { caller, cost = 0 } = call
  if (!caller || cost <= points) return
  gateway.quota.points.giveBack(caller.channel_code, cost - points, gateway.clock.monotonic())
  call.cost = points
}

/**
 * Builds the quota headers of an authenticated response: the common `RateLimit-*` headers and those of the current IETF
 * draft.
 */
export function buildQuotaHeaders(gateway: Gateway, call: Call): string[] {
  const { caller, cost = 0 } = call
  if (!caller) return []
  const limit = caller.points_per_minute
  const { remaining, resetSeconds } = gateway.quota.points.readState(
    caller.channel_code,
    limit,
    gateway.clock.monotonic(),
  )
  return [
    'RateLimit-Limit',
    String(limit),
    'RateLimit-Remaining',
    String(remaining),
    'RateLimit-Reset',
    String(resetSeconds),
    'RateLimit-Cost',
    String(cost),
    'RateLimit-Policy',
    `"default";q=${limit};w=${windowSeconds}`,
    'RateLimit',
    `"default";r=${remaining};t=${resetSeconds}`,
  ]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
