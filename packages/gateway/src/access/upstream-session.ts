import type { ErpResult } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { changeAccess } from './channels.ts'
import { buildRevokeTokensUpdate } from './end-tokens.ts'
import { buildSessionPurpose } from './grants.ts'

const retrySeconds = 5

/**
 * Runs `work` with the ERP session of the caller's account. If the ERP refuses the session, the token is revoked.
 * Throws `OMS_LOGIN_REQUIRED` for a caller without an account, `AUTH_EXPIRED` for an ended session and
 * `AUTH_INVALID_TOKEN` for a revoked token.
 */
export async function withUpstreamSession<T>(
  { gateway, caller, session = findSession(gateway, caller) }: SessionOwner,
  work: (session: string) => Promise<ErpResult<T>>,
): Promise<ErpResult<T>> {
  const { jti } = caller.token
  const answer = await work(await session)
  if ('ok' in answer || answer.rejected.reason !== 'session_expired') return answer
  await revokeToken(gateway, jti)
  throw new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
}

interface SessionOwner {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The session, if `prefetchSession` has already started to read it. */
  readonly session?: Promise<string>
}

/** Starts to read the session in advance, so that other work can be done in the meantime. */
export function prefetchSession(gateway: Gateway, caller: Caller): Promise<string> {
  const session = findSession(gateway, caller)
  session.catch(() => {
    // Prevents an unhandled rejection if nobody awaits the session. A caller that awaits it still gets the error.
  })
  return session
}

/** Reads and unseals the session of the caller's account. Throws if the session has ended or the token was revoked. */
async function findSession(gateway: Gateway, caller: Caller): Promise<string> {
  if (!caller.account) throw new GatewayError('OMS_LOGIN_REQUIRED')
  const { jti } = caller.token
  const row = await gateway.store.db
    .selectFrom('sessions')
    .select(['channel_code', 'upstream_session', 'revoked_reason'])
    .where('jti', '=', jti)
    .executeTakeFirst()
    .catch((cause: unknown) => {
      throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: retrySeconds })
    })
  const reason = row?.revoked_reason ?? null
  if (reason !== null && reason !== 'upstream_ended') {
    throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
  }
  if (!row?.upstream_session) throw new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
  return gateway.secrets.unseal(row.upstream_session, buildSessionPurpose(jti, row.channel_code))
}

async function revokeToken(gateway: Gateway, jti: string): Promise<void> {
  await changeAccess(gateway, (tx) =>
    buildRevokeTokensUpdate(tx, gateway.clock.now(), 'upstream_ended').where('jti', '=', jti).execute(),
  )
}
