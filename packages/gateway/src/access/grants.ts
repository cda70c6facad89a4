import { timingSafeEqual } from 'node:crypto'
import { type RejectionReason, UnknownOutcome, withTimeout } from '@trade-gateway/connector'
import type { Call, GrantType, ShippingPreferences } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { capabilitiesOfPlan, toPlan } from '../identity/plans.ts'
import { isCapability, refusePausedChannel } from '../identity/sessions.ts'
import { formatInstant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { Db, Tx } from '../store/store.ts'
import { withAddressGuard } from './address-guard.ts'
import { toUsernameSubject, withSignInGuard } from './guard.ts'

/**
 * A token request as received. Its members may have any type; values that are not strings are never valid credentials.
 */
export interface TokenRequest {
  readonly grant_type?: unknown
  readonly client_id?: unknown
  readonly client_secret?: unknown
  readonly username?: unknown
  readonly password?: unknown
}

const signInTimeoutMs = 15_000
const maxTokensPerMinute = 60
const maxCredentialCharacters = 1_000
/** The connector's `sign_in` accepts usernames up to this length. */
const maxUsernameCharacters = 200
/**
 * Reasons with which an ERP refuses a wrong username or password. `sign_in` has no other fields to which they could
 * refer.
 */
const wrongCredentials: readonly RejectionReason[] = ['bad_credentials', 'invalid_field', 'not_found']
const queryCredentials = ['client_id', 'client_secret', 'username', 'password', 'grant_type']

/**
 * Issues a token for either grant (`POST /auth/token`). Throws `AUTH_BAD_CREDENTIALS`, `AUTH_LOCKED`,
 * `AUTHZ_UNAVAILABLE`, `RATE_LIMITED`, and `AUTH_INVALID_TOKEN` for the right credentials of a paused channel.
 */
export async function issueToken(gateway: Gateway, call: Call, request: TokenRequest) {
  refuseCredentialsInQuery(call)
  return withAddressGuard(gateway, call.address, async () =>
    readGrantType(request) === 'password'
      ? issueAccountToken(gateway, request)
      : issueChannelToken(gateway, request),
  )
}

function refuseCredentialsInQuery(call: Call) {
  const names = new URLSearchParams(call.rawQuery)
  const leaked = queryCredentials.find((name) => names.has(name))
  if (leaked)
    throw new GatewayError('BAD_REQUEST', { param: leaked, say: ['credentials_in_query', { param: leaked }] })
}

/**
 * Determines the grant type. A missing `grant_type` is inferred from the other parameters. An empty one counts as
 * missing (RFC 6749 §3.2).
 */
function readGrantType(request: TokenRequest): GrantType {
  const { grant_type: grant } = request
  if (grant === 'password' || grant === 'client_credentials') return grant
  if (grant === undefined || grant === '') {
    return request.client_id === undefined && request.username !== undefined
      ? 'password'
      : 'client_credentials'
  }
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'grant_type',
    reason: 'invalid_field',
    say: ['grant_unknown', { grant: typeof grant === 'string' ? grant : JSON.stringify(grant) }],
  })
}

async function issueChannelToken(gateway: Gateway, request: TokenRequest) {
  const clientId = requireCredential(request.client_id)
  const secret = requireCredential(request.client_secret)
  const rows = await withAuthzUnavailable(() =>
    gateway.store.db
      .selectFrom('channels')
      .innerJoin('channel_secrets', 'channel_secrets.channel_code', 'channels.channel_code')
      .select(['channels.channel_code', 'plan', 'paused', 'secret_id', 'secret_hash'])
      .where('client_id', '=', clientId)
      .where('deleted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .execute(),
  )
  const given = sha256(secret)
  const unknown = { secret_hash: sha256('').toString('hex') }
  const matching = (rows.length > 0 ? rows : [unknown]).filter((row) =>
    timingSafeEqual(Buffer.from(row.secret_hash, 'hex'), given),
  )
  const found = rows.find((row) => matching.includes(row))
  if (!found) throw new GatewayError('AUTH_BAD_CREDENTIALS')
  await takeTokenQuota(gateway, `client ${clientId}`)
  refusePausedChannel(found)
  return createSession(gateway, {
    channel_code: found.channel_code,
    plan: found.plan,
    grant_type: 'client_credentials',
    secret_id: found.secret_id,
  })
}

async function issueAccountToken(gateway: Gateway, request: TokenRequest) {
  const username = requireCredential(request.username, maxUsernameCharacters)
  const password = requireCredential(request.password)
  const account = await withAuthzUnavailable(() =>
    withSignInGuard(gateway, username, () => signIn(gateway, username, password)),
  )
  if (!account) throw new GatewayError('AUTH_BAD_CREDENTIALS')
  const channel = await withAuthzUnavailable(() =>
    gateway.store.db
      .selectFrom('channels')
      .select(['channel_code', 'plan', 'paused'])
      .where('customer_code', '=', account.customer_code)
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
  )
  if (!channel) {
    gateway.log.warn(
      { subject: account.customer_code },
      'an OMS account signed in whose customer has no channel',
    )
    throw new GatewayError('AUTH_BAD_CREDENTIALS')
  }
  await takeTokenQuota(gateway, toUsernameSubject(username))
  refusePausedChannel(channel)
  return createSession(gateway, {
    channel_code: channel.channel_code,
    plan: channel.plan,
    grant_type: 'password',
    account: { ...account, username },
  })
}

/**
 * Signs in at the ERP. Returns undefined for a wrong username or password. Throws `AUTHZ_UNAVAILABLE` for every other
 * failure.
 */
async function signIn(gateway: Gateway, username: string, password: string) {
  const answer = await gateway.erp
    .sign_in({ username, password }, withTimeout(signInTimeoutMs))
    .catch((cause: unknown) => {
      if (!(cause instanceof UnknownOutcome)) throw cause
      throw new GatewayError('AUTHZ_UNAVAILABLE', { say: ['sign_in_unavailable'], retryAfter: 5, cause })
    })
  if ('ok' in answer) return answer.ok
  if (wrongCredentials.includes(answer.rejected.reason)) return undefined
  throw new GatewayError('AUTHZ_UNAVAILABLE', {
    say: ['sign_in_unavailable'],
    retryAfter: 5,
    cause: answer.rejected,
  })
}

interface NewSession {
  readonly channel_code: string
  readonly plan: string
  readonly grant_type: GrantType
  readonly secret_id?: string
  readonly account?: {
    readonly account_id: string
    readonly customer_code: string
    readonly name: string
    readonly username: string
    readonly capabilities?: readonly string[] | undefined
    readonly preferences?: ShippingPreferences | undefined
    readonly session: string
    readonly session_expires_at: string
  }
}

/** Stores a new session and returns its signed access token. The caller has authenticated whom it is for. */
export async function createSession(gateway: Gateway, opened: NewSession) {
  const { account } = opened
  const { jti, sign } = gateway.keys.beginToken()
  const issuedAt = Math.floor(gateway.clock.now() / 1000) * 1000
  const ownEnd = issuedAt + gateway.config.tokenTtlSeconds * 1000
  const expiresAt = account
    ? Math.min(ownEnd, requireSessionEnd(gateway, account.session_expires_at))
    : ownEnd
  const narrowed = account?.capabilities?.filter(isCapability)
  await insertSession(gateway, opened, { jti, issuedAt, expiresAt, narrowed })
  gateway.memory.metrics.tokensIssued.inc({ grant: opened.grant_type })
  const scope = capabilitiesOfPlan[toPlan(opened.plan)].filter((name) => !narrowed || narrowed.includes(name))
  const { channel_code, grant_type } = opened
  const claims = { sub: account?.account_id ?? channel_code, jti, channel: channel_code, grant: grant_type }
  const oauth = {
    access_token: await sign(claims, issuedAt, expiresAt),
    token_type: 'Bearer' as const,
    expires_in: Math.floor((expiresAt - issuedAt) / 1000),
    scope: scope.join(' '),
  }
  return { data: { ...oauth, expires_at: formatInstant(expiresAt), grant_type, channel_code }, ...oauth }
}

interface NewToken {
  readonly jti: string
  /** Epoch milliseconds, in whole seconds as in the token. */
  readonly issuedAt: number
  readonly expiresAt: number
  /**
   * The capabilities to which the ERP limits the account; undefined if the account has all capabilities of the plan.
   */
  readonly narrowed: readonly string[] | undefined
}

/** Stores the token. Throws `AUTH_BAD_CREDENTIALS` if the channel is meanwhile no longer of the account's customer. */
async function insertSession(gateway: Gateway, opened: NewSession, token: NewToken): Promise<void> {
  const { account } = opened
  const { jti, narrowed } = token
  const insert = (db: Db | Tx) =>
    db
      .insertInto('sessions')
      .values({
        jti,
        channel_code: opened.channel_code,
        grant_type: opened.grant_type,
        secret_id: opened.secret_id ?? null,
        account_id: account?.account_id ?? null,
        account_name: account?.name ?? null,
        username: account?.username ?? null,
        capabilities: narrowed ? JSON.stringify(narrowed) : null,
        preferences: account?.preferences ? JSON.stringify(account.preferences) : null,
        upstream_session: account
          ? gateway.secrets.seal(account.session, buildSessionPurpose(jti, opened.channel_code))
          : null,
        issued_at: token.issuedAt,
        expires_at: token.expiresAt,
        revoked_at: null,
        revoked_reason: null,
      })
      .execute()
  await withAuthzUnavailable(() =>
    account ? insertOfCustomer(gateway, { ...opened, account }, insert) : insert(gateway.store.db),
  )
}

/** Locks the channel while the token is stored, so that a change of its customer finds every token to revoke. */
function insertOfCustomer(
  { store }: Gateway,
  { channel_code, account }: Required<Pick<NewSession, 'channel_code' | 'account'>>,
  insert: (tx: Tx) => Promise<unknown>,
): Promise<unknown> {
  return store.db.transaction().execute(async (tx) => {
    const channel = await tx
      .selectFrom('channels')
      .select('channel_code')
      .where('channel_code', '=', channel_code)
      .where('customer_code', '=', account.customer_code)
      .modifyEnd(store.locking.forUpdate)
      .executeTakeFirst()
    if (!channel) throw new GatewayError('AUTH_BAD_CREDENTIALS')
    return insert(tx)
  })
}

/**
 * Converts the end of the ERP's session to epoch milliseconds, rounded down to whole seconds as in tokens. Throws if
 * the session has already ended, which is a fault of the ERP.
 */
function requireSessionEnd(gateway: Gateway, expires: string): number {
  const end = Math.floor(Date.parse(expires) / 1000) * 1000
  if (end > gateway.clock.now()) return end
  throw new GatewayError('AUTHZ_UNAVAILABLE', { say: ['sign_in_unavailable'], retryAfter: 5 })
}

/**
 * Builds the text that binds an encrypted ERP session to its token and channel. The session can be decrypted only with
 * the same text.
 */
export function buildSessionPurpose(jti: string, channel: string): string {
  return `upstream session ${jti} of ${channel}`
}

/** The column of encrypted ERP sessions, for `reseal.ts`. */
export const sealedSessions = describeSealedColumn({
  table: 'sessions',
  key: 'jti',
  owner: 'channel_code',
  column: 'upstream_session',
  purposeOf: buildSessionPurpose,
})

function requireCredential(value: unknown, most: number = maxCredentialCharacters): string {
  if (value === undefined || value === '') {
    throw new GatewayError('AUTH_BAD_CREDENTIALS', { say: ['credentials_missing'] })
  }
  if (typeof value !== 'string' || value.length > most || value.includes('\0')) {
    throw new GatewayError('AUTH_BAD_CREDENTIALS')
  }
  return value
}

async function takeTokenQuota(gateway: Gateway, subject: string): Promise<void> {
  const purchase = await gateway.quota.tokens.take(subject, 1, maxTokensPerMinute, gateway.clock.monotonic())
  if (purchase.paid) return
  throw new GatewayError('RATE_LIMITED', {
    say: ['tokens_too_many', { most: maxTokensPerMinute }],
    retryAfter: purchase.retryAfter,
  })
}

/** Converts storage errors to `AUTHZ_UNAVAILABLE`, because nobody can be authenticated without the store. */
async function withAuthzUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: 5 })
  }
}
