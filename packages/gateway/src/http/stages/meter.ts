import type { Call } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { windowSeconds } from '../../kernel/quota.ts'
import type { StageFactory } from './authenticate.ts'

/** Charges the call's points. What cannot be paid costs nothing and is told exactly when it can be. */
export const meter: StageFactory = (endpoint, gateway) => {
  if (endpoint.access !== 'bearer') return undefined
  const { cost = 0 } = endpoint
  return (call) => {
    const input = isObject(call.input) ? call.input : {}
    const points = typeof cost === 'number' ? cost : cost({ gateway, call, input })
    charge(gateway, call, points)
    return undefined
  }
}

function charge(gateway: Gateway, call: Call, points: number) {
  const { caller } = call
  if (!caller || points === 0) return
  const limit = caller.points_per_minute
  const purchase = gateway.quota.points.take(caller.channel_code, points, limit, gateway.clock.now())
  if (purchase.paid) {
    call.cost = points
    return
  }
  throw new GatewayError('RATE_LIMITED', {
    say: ['points_used', { cost: points, remaining: purchase.remaining, limit }],
    retryAfter: purchase.retryAfter,
  })
}

/** Makes a call that turned out to be cheaper cost `points` only. */
export function settleFor(gateway: Gateway, call: Call, points: number) {
  const { caller, cost = 0 } = call
  if (!caller || cost <= points) return
  gateway.quota.points.giveBack(caller.channel_code, cost - points, gateway.clock.now())
  call.cost = points
}

/** The headers of every authenticated answer: the known ones and the newest IETF draft's. */
export function quotaHeaders(gateway: Gateway, call: Call): string[] {
  const { caller, cost = 0 } = call
  if (!caller) return []
  const limit = caller.points_per_minute
  const { remaining, resetSeconds } = gateway.quota.points.state(
    caller.channel_code,
    limit,
    gateway.clock.now(),
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
