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
    if (!(error instanceof UnknownOutcome)) throw error
    const isLate = error.kind === 'timeout'
    throw new GatewayError(isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', {
      retryAfter: retrySeconds,
      cause: error,
    })
  })
  if ('ok' in answer) return answer.ok
  throw definiteFailure(answer.rejected)
}
