import type { Answer } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { changeAccess } from './channels.ts'
import { sessionPurpose } from './grants.ts'

const retrySeconds = 5

/**
 * Runs `work` with the ERP's session of the caller's account. A session that the ERP refuses ends the token for
 * good. Throws `OMS_LOGIN_REQUIRED` for a caller without an account and `AUTH_EXPIRED` for an ended session.
 */
export async function withUpstreamSession<T>(
  gateway: Gateway,
  caller: Caller,
  work: (session: string) => Promise<Answer<T>>,
  session = upstreamSession(gateway, caller),
): Promise<Answer<T>> {
  const { jti } = caller.token
  const answer = await work(await session)
  if ('ok' in answer || answer.rejected.reason !== 'session_expired') return answer
  await revoke(gateway, jti)
  throw new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
}

/** The session, looked up ahead of its use, while something else is waited for. */
export function sessionAhead(gateway: Gateway, caller: Caller): Promise<string> {
  const session = upstreamSession(gateway, caller)
  session.catch(() => {
    // Whoever uses it is told; nobody may.
  })
  return session
}

/** The session itself, for as long as nobody has ended it. */
async function upstreamSession(gateway: Gateway, caller: Caller): Promise<string> {
  if (!caller.account) throw new GatewayError('OMS_LOGIN_REQUIRED')
  const { jti } = caller.token
  const row = await gateway.store.db
    .selectFrom('sessions')
    .select(['channel_code', 'upstream_session'])
    .where('jti', '=', jti)
    .executeTakeFirst()
    .catch((cause: unknown) => {
      throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: retrySeconds })
    })
  if (!row?.upstream_session) throw new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
  return gateway.secrets.unseal(row.upstream_session, sessionPurpose(jti, row.channel_code))
}

async function revoke(gateway: Gateway, jti: string): Promise<void> {
  const ended = {
    revoked_at: gateway.clock.now(),
    revoked_reason: 'upstream_ended',
    upstream_session: null,
  }
  await changeAccess(gateway, (tx) =>
    tx.updateTable('sessions').set(ended).where('jti', '=', jti).where('revoked_at', 'is', null).execute(),
  )
}
