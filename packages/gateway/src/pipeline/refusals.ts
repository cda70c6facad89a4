/**
 * Limits refused calls, because they also take time of the event loop. A channel pays points for malformed calls, and for
 * those that the gateway cannot serve yet, after the first ten in a minute. Calls without a valid token are counted by
 * address. A valid call is never refused because of other callers' mistakes. The counts are those of the gateway's
 * quotas, so processes share them with `VALKEY_URL`.
 */

import type { Call, Caller } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-table.ts'
import { GatewayError } from '../contract/errors.ts'
import { isNotFilledError } from '../contract/not-filled.ts'
import type { Gateway } from '../gateway.ts'
import { charge } from './stages/meter.ts'

/** The number of malformed calls in a minute that cost a channel nothing. */
const maxFreeRefusals = 10
const refusalPoints = 1
const maxRefusalsPerAddress = 60
/** The largest body that is read without a check of the refusal budget: parsing it takes less than 1 ms. */
export const maxCheapBodyBytes = 16 * 1024

const malformedCallCodes: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'BAD_REQUEST'])
/**
 * The codes of calls without a known caller. Wrong credentials are not among them, because `access/guard.ts` limits
 * those.
 */
const codesWithoutCaller: ReadonlySet<ErrorCode> = new Set([
  ...malformedCallCodes,
  'AUTH_MISSING_TOKEN',
  'AUTH_INVALID_TOKEN',
  'AUTH_EXPIRED',
])

/** Throws `RATE_LIMITED` before a large body is read if the channel could not pay for a refusal of the call. */
export async function requireRefusalBudget(gateway: Gateway, call: Call): Promise<void> {
  const { caller } = call
  if (!caller || !hasLargeBody(call)) return
  const { quota, clock } = gateway
  const isFree = await quota.refusals.test(caller.channel_code, 1, maxFreeRefusals, clock.monotonic())
  if (!isFree.paid) await charge(gateway, call, refusalPoints, 'test')
}

function hasLargeBody(call: Call): boolean {
  const [length = '0'] = call.header('content-length')
  return Number(length) > maxCheapBodyBytes || call.header('transfer-encoding').length > 0
}

/**
 * Counts a refused call and charges its channel once the free refusals are used up. `paid` are the points that the call
 * was charged, or one message of its batch. Returns the error to respond with, as a promise only if a count has to be
 * waited for.
 */
export function chargeRefusal(gateway: Gateway, call: Call, error: unknown, paid = call.cost ?? 0): unknown {
  return error instanceof GatewayError && isCounted(call, error, paid)
    ? countRefusal(gateway, call, error)
    : error
}

/** Whether a refusal is counted. Most are, but a call that was paid, or that no limit applies to, is not. */
function isCounted({ caller, address }: Call, error: GatewayError, paid: number): boolean {
  const { code } = error
  if (caller) return paid === 0 && (malformedCallCodes.has(code) || isNotFilledError(error))
  return codesWithoutCaller.has(code) && address !== undefined
}

async function countRefusal(gateway: Gateway, call: Call, error: GatewayError): Promise<unknown> {
  try {
    if (call.caller) await countMalformedCall(gateway, call, call.caller)
    else await countByAddress(gateway, call)
    return error
  } catch (limit) {
    return limit
  }
}

async function countMalformedCall(gateway: Gateway, call: Call, { channel_code }: Caller) {
  const { quota, clock } = gateway
  const isFree = await quota.refusals.take(channel_code, 1, maxFreeRefusals, clock.monotonic())
  if (!isFree.paid) await charge(gateway, call, refusalPoints)
}

async function countByAddress(gateway: Gateway, { address }: Call) {
  if (address === undefined) return
  const now = gateway.clock.monotonic()
  const { paid, retryAfter } = await gateway.quota.addresses.take(address, 1, maxRefusalsPerAddress, now)
  if (!paid) throw toRefusalLimitError(retryAfter)
}

function toRefusalLimitError(seconds: number): GatewayError {
  return new GatewayError('RATE_LIMITED', { say: ['refusals_address', { seconds }], retryAfter: seconds })
}
