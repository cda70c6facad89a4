import type { Call } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { type Purchase, windowSeconds } from '../../kernel/quota.ts'
import type { StageFactory } from './authenticate.ts'

/** Charges the call's points. A call that the channel cannot pay costs nothing, and its `Retry-After` is exact. */
export const chargePoints: StageFactory = (endpoint, gateway) => {
  if (endpoint.access !== 'bearer') return undefined
  const { cost = 0 } = endpoint
  if (cost === 0) return (call) => refreshState(gateway, call)
  if (typeof cost === 'number') return (call) => charge(gateway, call, cost)
  return (call) => {
    const input = isObject(call.input) ? call.input : {}
    return charge(gateway, call, cost.points({ gateway, call, input }), cost.isUpTo ? 'takeUpTo' : 'take')
  }
}

/**
 * Charges points; `test` only checks that they could be charged. Throws `RATE_LIMITED` if the channel has too few left.
 * Returns a promise only if the processes share the count.
 */
export function charge(
  gateway: Gateway,
  call: Call,
  points: number,
  way: 'take' | 'takeUpTo' | 'test' = 'take',
): undefined | Promise<undefined> {
  const { caller } = call
  if (!caller || points === 0) return undefined
  const limit = caller.points_per_minute
  const atMs = gateway.clock.monotonic()
  call.chargedAt = atMs
  const purchase = gateway.quota.points[way](caller.channel_code, points, limit, atMs)
  const cost = way === 'takeUpTo' ? 1 : points
  if (!(purchase instanceof Promise)) return settleCharge(call, cost, purchase)
  return purchase.then((decided) => settleCharge(call, cost, decided))
}

function settleCharge(
  call: Call,
  cost: number,
  { paid, points, remaining, retryAfter }: Purchase,
): undefined {
  if (paid) {
    // A batch of messages to /mcp is one call, and each message may be charged.
    if (points > 0) call.cost = (call.cost ?? 0) + points
    return undefined
  }
  const limit = call.caller?.points_per_minute ?? 0
  throw new GatewayError('RATE_LIMITED', { say: ['points_used', { cost, remaining, limit }], retryAfter })
}

/** Brings up to date what this process knows of a count that processes share, for the headers of a free call. */
function refreshState({ quota, clock }: Gateway, { caller }: Call): undefined | Promise<undefined> {
  if (!caller) return undefined
  const state = quota.points.test(caller.channel_code, 0, caller.points_per_minute, clock.monotonic())
  return state instanceof Promise ? state.then(() => undefined) : undefined
}

/** Reduces the charge of a call to `points`, for example because the response was a replay. */
export function adjustCharge(gateway: Gateway, call: Call, points: number) {
  const { caller, cost = 0, chargedAt = 0 } = call
  if (!caller || cost <= points) return
  gateway.quota.points.giveBack(caller.channel_code, cost - points, chargedAt, gateway.clock.monotonic())
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
