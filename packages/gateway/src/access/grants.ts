import { timingSafeEqual } from 'node:crypto'
import { type RejectionReason, UnknownOutcome, within } from '@trade-gateway/connector'
import type { Call, GrantType, ShippingPreferences } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { sha256 } from '../kernel/crypto.ts'
import { guarded, guardedAddress, subjectOfUsername } from './guard.ts'
import { capabilitiesOfPlan, planNamed } from './plans.ts'
import { isCapability } from './sessions.ts'

/** The token request as it came: members of any type; what is not text was never a credential. */
export interface TokenRequest {
  readonly grant_type?: unknown
  readonly client_id?: unknown
  readonly client_secret?: unknown
  readonly username?: unknown
  readonly password?: unknown
}

const signInTimeoutMs = 15_000
const mostTokensPerMinute = 60
const mostCredentialCharacters = 1_000
/** As long as the connector's `sign_in` takes one. */
const mostUsernameCharacters = 200
/** What an ERP may say of a name or password that it does not take; it has no other field to refuse. */
const wrongCredentials: readonly RejectionReason[] = ['bad_credentials', 'invalid_field', 'not_found']
const queryCredentials = ['client_id', 'client_secret', 'username', 'password', 'grant_type']

/** `POST /auth/token`: either grant. Throws `AUTH_BAD_CREDENTIALS`, `AUTH_LOCKED`, `AUTHZ_UNAVAILABLE`, `RATE_LIMITED`. */
export async function issueToken(gateway: Gateway, call: Call, request: TokenRequest) {
  refuseCredentialsInQuery(call)
  return guardedAddress(gateway, call.address, async () =>
    grantOf(request) === 'password' ? passwordGrant(gateway, request) : channelGrant(gateway, request),
  )
}

function refuseCredentialsInQuery(call: Call) {
  const names = new URLSearchParams(call.rawQuery)
  const leaked = queryCredentials.find((name) => names.has(name))
  if (leaked)
    throw new GatewayError('BAD_REQUEST', { param: leaked, say: ['credentials_in_query', { param: leaked }] })
}

/**
 * `client_credentials` may be left out where the client's credentials are there (RFC 6749 §4.4). A parameter
 * without a value is one that was left out (§3.2).
 */
function grantOf(request: TokenRequest): GrantType {
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

async function channelGrant(gateway: Gateway, request: TokenRequest) {
  const clientId = credential(request.client_id)
  const secret = credential(request.client_secret)
  const rows = await available(() =>
    gateway.store.db
      .selectFrom('channels')
      .innerJoin('channel_secrets', 'channel_secrets.channel_code', 'channels.channel_code')
      .select(['channels.channel_code', 'plan', 'secret_id', 'secret_hash'])
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
  countToken(gateway, `client ${clientId}`)
  return openSession(gateway, {
    channel_code: found.channel_code,
    plan: found.plan,
    grant_type: 'client_credentials',
    secret_id: found.secret_id,
  })
}

async function passwordGrant(gateway: Gateway, request: TokenRequest) {
  const username = credential(request.username, mostUsernameCharacters)
  const password = credential(request.password)
  const account = await available(() => guarded(gateway, username, () => signIn(gateway, username, password)))
  if (!account) throw new GatewayError('AUTH_BAD_CREDENTIALS')
  const channel = await available(() =>
    gateway.store.db
      .selectFrom('channels')
      .select(['channel_code', 'plan'])
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
  countToken(gateway, subjectOfUsername(username))
  return openSession(gateway, {
    ...channel,
    grant_type: 'password',
    account: { ...account, username },
  })
}

/** Asks the ERP; undefined is a wrong name or password, everything else that is not a session is unavailability. */
async function signIn(gateway: Gateway, username: string, password: string) {
  const answer = await gateway.erp
    .sign_in({ username, password }, within(signInTimeoutMs))
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
    readonly name: string
    readonly username: string
    readonly capabilities?: readonly string[] | undefined
    readonly preferences?: ShippingPreferences | undefined
    readonly session: string
    readonly session_expires_at: string
  }
}

async function openSession(gateway: Gateway, opened: NewSession) {
  const { clock, config, ids, secrets } = gateway
  const { account } = opened
  const issuedAt = Math.floor(clock.now() / 1000) * 1000
  const ownEnd = issuedAt + config.tokenTtlSeconds * 1000
  const expiresAt = account ? Math.min(ownEnd, endOfSession(gateway, account.session_expires_at)) : ownEnd
  const jti = ids.next('tok')
  const narrowed = account?.capabilities?.filter(isCapability)
  await available(() =>
    gateway.store.db
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
          ? secrets.seal(account.session, sessionPurpose(jti, opened.channel_code))
          : null,
        issued_at: issuedAt,
        expires_at: expiresAt,
        revoked_at: null,
        revoked_reason: null,
      })
      .execute(),
  )
  const scope = capabilitiesOfPlan[planNamed(opened.plan)].filter(
    (name) => !narrowed || narrowed.includes(name),
  )
  const claims = {
    sub: account?.account_id ?? opened.channel_code,
    jti,
    channel: opened.channel_code,
    grant: opened.grant_type,
  }
  const oauth = {
    access_token: await gateway.keys.sign(claims, issuedAt, expiresAt),
    token_type: 'Bearer' as const,
    expires_in: Math.floor((expiresAt - issuedAt) / 1000),
    scope: scope.join(' '),
  }
  const more = {
    expires_at: instant(expiresAt),
    grant_type: opened.grant_type,
    channel_code: opened.channel_code,
  }
  return { data: { ...oauth, ...more }, ...oauth }
}

/** In whole seconds, as tokens count. A session that is over already is trouble of the ERP. */
function endOfSession(gateway: Gateway, expires: string): number {
  const end = Math.floor(Date.parse(expires) / 1000) * 1000
  if (end > gateway.clock.now()) return end
  throw new GatewayError('AUTHZ_UNAVAILABLE', { say: ['sign_in_unavailable'], retryAfter: 5 })
}

/** What an upstream session is sealed for: it opens for its own token and channel only. */
export function sessionPurpose(jti: string, channel: string): string {
  return `upstream session ${jti} of ${channel}`
}

function credential(value: unknown, most: number = mostCredentialCharacters): string {
  if (value === undefined || value === '') {
    throw new GatewayError('AUTH_BAD_CREDENTIALS', { say: ['credentials_missing'] })
  }
  if (typeof value !== 'string' || value.length > most || value.includes('\0')) {
    throw new GatewayError('AUTH_BAD_CREDENTIALS')
  }
  return value
}

function countToken(gateway: Gateway, subject: string) {
  const purchase = gateway.quota.tokens.take(subject, 1, mostTokensPerMinute, gateway.clock.now())
  if (purchase.paid) return
  throw new GatewayError('RATE_LIMITED', {
    say: ['tokens_too_many', { most: mostTokensPerMinute }],
    retryAfter: purchase.retryAfter,
  })
}

/** A store that does not answer cannot say who somebody is. */
async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: 5 })
  }
}
