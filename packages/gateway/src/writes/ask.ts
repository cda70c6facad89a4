import { type CallOptions, type ErpResult, UnknownOutcome } from '@trade-gateway/connector'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { toRejectionError } from './failures.ts'

/** The longest time that a caller waits for a response that only the ERP can give. */
const askTimeoutMs = 15_000
const retrySeconds = 2

/** Sends the ERP a request that changes nothing. Throws `UPSTREAM_*`. */
export async function askErp<T>(
  call: Call,
  question: (options: CallOptions) => Promise<ErpResult<T>>,
): Promise<T> {
  const signal = AbortSignal.timeout(askTimeoutMs)
  const options = call.fault === undefined ? { signal } : { signal, fault: call.fault }
  const answer = await question(options).catch((error: unknown) => {
    throw toAskError(error)
  })
  if ('ok' in answer) return answer.ok
  throw toRejectionError(answer.rejected)
}

/**
 * Converts the failure of a request to the ERP to the error for the caller. Any error other than a missing response is
 * returned unchanged.
 */
export function toAskError(error: unknown): unknown {
  if (!(error instanceof UnknownOutcome)) return error
  const code = error.kind === 'timeout' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR'
  return new GatewayError(code, { retryAfter: retrySeconds, cause: error })
}
