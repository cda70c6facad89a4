import { type Acting, recordChange, recordOwnChange } from '../audit/audit.ts'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import type { Tx } from '../store/store.ts'
import type { SessionRow } from '../store/tables.ts'
import { changeAccess, readChannel } from './channels.ts'
import { buildRevokeTokensUpdate } from './end-tokens.ts'

/** The number of tokens that a revocation ended. */
export interface Revoked {
  readonly revoked: number
}

/**
 * Revokes the caller's own token, or all tokens of its OMS account on this channel (RFC 7009). Throws
 * `AUTH_INVALID_TOKEN` if the token was already revoked, and `VALIDATION_FAILED` for `all` without an account.
 */
export async function revokeOwn(context: CallContext, isForAll: boolean): Promise<Revoked> {
  const { gateway, caller } = context
  const { account } = caller
  if (isForAll && !account) {
    throw new GatewayError('VALIDATION_FAILED', {
      param: 'all',
      reason: 'invalid_field',
      say: ['all_tokens_of_account'],
    })
  }
  const account_id = isForAll ? account?.account_id : undefined
  const revoked = await changeAccess(gateway, async (tx) => {
    const count = await revokeOwnTokens(gateway, tx, { caller, account_id })
    if (count > 0) await recordOwnRevocation(context, tx, { account_id, count })
    return count
  })
  if (revoked === 0) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
  return { revoked }
}

interface OwnTokens {
  readonly caller: Caller
  /** The account whose tokens are all revoked; undefined revokes the caller's token only. */
  readonly account_id: string | undefined
}

function revokeOwnTokens(gateway: Gateway, tx: Tx, { caller, account_id }: OwnTokens): Promise<number> {
  if (caller.token.legacy) return revokeLegacy(gateway, tx, caller)
  const ended = buildRevokeTokensUpdate(tx, gateway.clock.now(), 'revoked_by_caller')
  return revokeAndCountLiveTokens(
    gateway,
    account_id === undefined
      ? ended.where('jti', '=', caller.token.jti)
      : ended.where('channel_code', '=', caller.channel_code).where('account_id', '=', account_id),
  )
}

interface OwnRevocation {
  readonly account_id: string | undefined
  /** The number of tokens that were revoked. */
  readonly count: number
}

/** Records in the audit log that a channel revoked tokens of its own. */
function recordOwnRevocation({ gateway, call, caller }: CallContext, tx: Tx, revocation: OwnRevocation) {
  const { channel_code, account, token } = caller
  const { account_id, count } = revocation
  const tokens =
    account_id === undefined
      ? { channel_code, account_id: account?.account_id ?? null, jti: token.jti }
      : { channel_code, account_id }
  return recordOwnChange(gateway, tx, {
    actor: `channel ${channel_code}`,
    action: 'auth.revoke',
    subject: call.path,
    call,
    before: { ...tokens, live_tokens: count },
    after: { ...tokens, live_tokens: 0 },
  })
}

/**
 * Revokes a legacy token by inserting a session row, because a legacy token has none until it is revoked. The row is
 * kept until the token's own expiry: an operator may extend `LEGACY_TOKENS_UNTIL` after legacy tokens have ended.
 */
async function revokeLegacy(gateway: Gateway, tx: Tx, { channel_code, token }: Caller): Promise<number> {
  const now = gateway.clock.now()
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sessions')
    .values({
      jti: token.jti,
      channel_code,
      grant_type: 'client_credentials',
      secret_id: null,
      account_id: null,
      account_name: null,
      username: null,
      capabilities: null,
      upstream_session: null,
      preferences: null,
      issued_at: now,
      expires_at: token.signed_until,
      revoked_at: now,
      revoked_reason: 'revoked_by_caller',
    })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0)
}

/** Lists the live tokens of a channel, newest first, without their values. Throws `NOT_FOUND`. */
export async function listTokens(gateway: Gateway, channel_code: string, asked: ListQuery) {
  const { db } = gateway.store
  await readChannel(db, channel_code)
  const query = db
    .selectFrom('sessions')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', gateway.clock.now())
  const list = { query, time: 'issued_at', id: 'jti', unbounded: true } as const
  return readListPage(gateway, asked, list, toTokenJson)
}

function toTokenJson(row: SessionRow) {
  return {
    jti: row.jti,
    channel_code: row.channel_code,
    grant_type: row.grant_type === 'password' ? ('password' as const) : ('client_credentials' as const),
    secret_id: row.secret_id,
    account_id: row.account_id,
    username: row.username,
    issued_at: formatInstant(row.issued_at),
    expires_at: formatInstant(row.expires_at),
  }
}

/** Revokes a token. Idempotent. Throws `NOT_FOUND`. */
export async function revokeToken(acting: Acting, jti: string): Promise<Revoked> {
  const { gateway } = acting
  return changeAccess(gateway, async (tx) => {
    const row = await tx.selectFrom('sessions').selectAll().where('jti', '=', jti).executeTakeFirst()
    if (!row) throw toNotFoundError('token', jti)
    const ended = buildRevokeTokensUpdate(tx, gateway.clock.now(), 'revoked_by_operator')
    const revoked = await revokeAndCountLiveTokens(gateway, ended.where('jti', '=', jti))
    const token = toTokenJson(row)
    const wasLive = revoked > 0
    await recordChange(acting, tx, {
      before: { ...token, is_live: wasLive },
      after: { ...token, is_live: false },
    })
    return { revoked }
  })
}

/** Revokes all tokens of an OMS account on a channel. Throws `NOT_FOUND` if the channel does not exist. */
export async function revokeAccount(
  acting: Acting,
  channel_code: string,
  account_id: string,
): Promise<Revoked> {
  const { gateway } = acting
  return changeAccess(gateway, async (tx) => {
    await readChannel(tx, channel_code)
    const ended = buildRevokeTokensUpdate(tx, gateway.clock.now(), 'revoked_by_operator')
      .where('channel_code', '=', channel_code)
      .where('account_id', '=', account_id)
    const revoked = await revokeAndCountLiveTokens(gateway, ended)
    const account = { channel_code, account_id }
    await recordChange(acting, tx, {
      before: { ...account, live_tokens: revoked },
      after: { ...account, live_tokens: 0 },
    })
    return { revoked }
  })
}

/**
 * Revokes tokens and counts those that were live. Expired tokens are revoked too, because a clock that was ahead may be
 * set back.
 */
async function revokeAndCountLiveTokens(
  { clock }: Gateway,
  ended: ReturnType<typeof buildRevokeTokensUpdate>,
): Promise<number> {
  const revoked = await ended.returning('expires_at').execute()
  return revoked.filter(({ expires_at }) => expires_at > clock.now()).length
}
