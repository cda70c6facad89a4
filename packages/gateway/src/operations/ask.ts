import { type Answer, type CallOptions, UnknownOutcome } from '@trade-gateway/connector'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { definiteFailure } from './failures.ts'

/** How long a caller waits for what only the ERP can say. */
const askTimeoutMs = 15_000
const retrySeconds = 2

/** Asks the ERP something that changes nothing. Throws `UPSTREAM_*`. */
export async function asked<T>(
  call: Call,
  question: (options: CallOptions) => Promise<Answer<T>>,
): Promise<T> {
  const signal = AbortSignal.timeout(askTimeoutMs)
  const options = call.fault === undefined ? { signal } : { signal, fault: call.fault }
  const answer = await question(options).catch((error: unknown) => {
    throw askFailure(error)
  })
  if ('ok' in answer) return answer.ok
  throw definiteFailure(answer.rejected)
}

/** What a caller is told where the ERP did not answer a question; any other error as it is. */
export function askFailure(error: unknown): unknown {
  if (!(error instanceof UnknownOutcome)) return error
  const code = error.kind === 'timeout' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR'
  return new GatewayError(code, { retryAfter: retrySeconds, cause: error })
}
