/**
 * Authenticates tokens. The result, called a decision, is cached by the token's SHA-256 until the token expires or any
 * permission changes.
 *
 * One counter in the database is incremented by every revocation and every change of permissions. Each process reads it
 * twice a second and on each announcement, and discards its decisions if it has changed. While the counter cannot be
 * read, cached decisions are used for at most a minute; after that, every token is refused.
 */

import { hash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { type Caller, type Capability, capabilityNames, type GrantType } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { type Clock, formatInstant } from '../kernel/clock.ts'
import { growingTo } from '../kernel/growing-cache.ts'
import type { Store } from '../store/store.ts'
import type { ChannelRow, SessionRow } from '../store/tables.ts'
import type { Keys, UnverifiedToken } from './keys.ts'
import { capabilitiesOfPlan, toPlan } from './plans.ts'

/** The largest number of cached decisions. */
const maxDecisions = 100_000
/** The largest number of remembered tokens whose signature was wrong. */
const maxForged = 10_000
/** How long decisions are used while the database cannot be read. */
const unconfirmedMs = 60_000
/** If the counter was read within this time and has not changed, work that has waited need not read its token again. */
const maxWatchAgeMs = 1_000
/** Tokens of the legacy gateway, which this one replaces, are accepted until the end of the configured last second. */
const lastSecondMs = 1_000
/**
 * The largest time in seconds that a `Date` can hold (ECMA-262). A token with a later expiry is treated as one without
 * an expiry.
 */
const maxNumericDate = 8.64e12
/** Three parts in base64url (RFC 7515 §3.1). */
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Only the algorithm in its header makes a token a legacy token; nothing else in the header has an effect. */
const legacyAlgorithm = 'HS256'
/** The clock of the legacy gateway may be this far ahead. */
const maxClockSkewMs = 60_000
export const accessCounter = 'access'

interface Decision {
  readonly caller: Caller
  /** When the cached decision ends, in epoch milliseconds. A later call checks the token again. */
  readonly until: number
}

interface SessionParts {
  readonly store: Store
  readonly clock: Clock
  readonly config: Config
  readonly keys: Keys
}

export class Sessions {
  readonly #parts: SessionParts
  readonly #decisions = new LRUCache<string, Decision>(growingTo(maxDecisions))
  /** The hashes of tokens whose signature was wrong. It stays wrong, whatever permissions change. */
  readonly #forged = new LRUCache<string, true>(growingTo(maxForged))
  /** The hash of the token with an id. An id is signed once, so any other token with the same id is forged. */
  readonly #hashOfId = new LRUCache<string, string>(growingTo(maxDecisions))
  /** The callers of the decisions that are still valid. */
  #live = new WeakSet<Caller>()
  #revision = -1
  /**
   * Incremented whenever decisions are discarded, so that a decision that was already in progress is not cached
   * afterwards.
   */
  #generation = 0
  #confirmedAt: number

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#confirmedAt = parts.clock.monotonic()
  }

  /**
   * Returns the caller of a token, without a promise if the decision is cached. Throws `AUTH_*` and
   * `AUTHZ_UNAVAILABLE`, at once if a signature need not be verified for it.
   */
  authenticate(token: string): Caller | Promise<Caller> {
    const key = hash('sha256', token, 'base64')
    const known = this.#decisions.get(key)
    if (!known) return this.#decide(token, key)
    const { clock } = this.#parts
    const isOver = clock.now() >= known.until
    if (isOver || clock.monotonic() - this.#confirmedAt > unconfirmedMs) return this.#decide(token, key)
    return known.caller
  }

  /**
   * Refuses a caller whose token was revoked after it was authenticated. Called for work that has waited and is about
   * to take effect. Reads the database only if permissions have changed or the counter was not read recently. Throws
   * `AUTH_*` and `AUTHZ_UNAVAILABLE`.
   */
  async requireLive(caller: Caller): Promise<void> {
    const isWatched = this.#parts.clock.monotonic() - this.#confirmedAt <= maxWatchAgeMs
    if (isWatched && this.#live.has(caller)) return
    const generation = this.#generation
    const { jti, legacy } = caller.token
    if (legacy) await this.#findLegacyChannel(caller.channel_code, jti)
    else await this.#findSession(jti)
    if (generation === this.#generation) this.#live.add(caller)
  }

  /**
   * Whether a token claims to be one of the legacy gateway, and these have ended. Its signature is not verified. Throws
   * `AUTH_INVALID_TOKEN` if it has no header.
   */
  isEndedLegacy(token: string): boolean {
    return this.#haveLegacyEnded() && readHeader(token).alg === legacyAlgorithm
  }

  /**
   * Finds the channel of a token, also of a legacy token that was valid until these ended. Throws `AUTH_*` and
   * `AUTHZ_UNAVAILABLE`.
   */
  async findChannelCode(token: string): Promise<string> {
    const { secret, until } = this.#parts.config.legacyTokens
    const isEnded = secret !== undefined && this.isEndedLegacy(token)
    const { caller } = isEnded
      ? await this.#readLegacyToken(token, { secret, at: until })
      : { caller: await this.authenticate(token) }
    return caller.channel_code
  }

  #haveLegacyEnded(): boolean {
    const { clock, config } = this.#parts
    return clock.now() >= config.legacyTokens.until + lastSecondMs
  }

  /** Discards all cached decisions, because a permission may have changed. */
  forget() {
    this.#generation += 1
    this.#decisions.clear()
    this.#live = new WeakSet()
  }

  /** Reads the counter of changes, and discards the decisions if it has changed; one turn of the worker. */
  async follow(): Promise<void> {
    const askedAt = this.#parts.clock.monotonic()
    const row = await this.#parts.store.db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', accessCounter)
      .executeTakeFirst()
    const revision = row?.value ?? 0
    if (revision !== this.#revision) {
      this.forget()
      // A signing key may have been deleted. Decisions that are made with the old keys while the keys are loaded are
      // discarded too.
      await this.#parts.keys.load().finally(() => this.forget())
    }
    this.#revision = revision
    this.#confirmedAt = askedAt
  }

  #decide(token: string, key: string): Promise<Caller> {
    const isSound = !this.#forged.has(key) && tokenPattern.test(token) && isCanonical(token)
    if (!isSound) throw new GatewayError('AUTH_INVALID_TOKEN')
    const { alg, kid } = readHeader(token)
    if (alg === legacyAlgorithm) return this.#keep(key, this.#verifyLegacyToken(token))
    const jti = readTokenId(token)
    this.#refuseForgedId({ kid, jti }, key)
    return this.#keep(key, this.#verifyOwnToken(token, jti, key))
  }

  /** Refuses a token whose id shows that it is forged. This takes a fraction of the time for a signature. */
  #refuseForgedId(named: UnverifiedToken, key: string) {
    const signed = this.#hashOfId.get(named.jti)
    if (signed === undefined) this.#parts.keys.requireProvenId(named)
    else if (signed !== key) {
      this.#forged.set(key, true)
      throw new GatewayError('AUTH_INVALID_TOKEN')
    }
  }

  async #keep(key: string, decided: Promise<Decision>): Promise<Caller> {
    const generation = this.#generation
    const decision = await decided
    if (generation === this.#generation) {
      this.#decisions.set(key, decision)
      this.#live.add(decision.caller)
    }
    return decision.caller
  }

  async #verifyOwnToken(token: string, jti: string, key: string): Promise<Decision> {
    await this.#parts.keys.verify(token).catch((cause: unknown) => {
      if (cause instanceof errors.JWSSignatureVerificationFailed) this.#forged.set(key, true)
      throwTokenError(cause)
    })
    this.#hashOfId.set(jti, key)
    const found = await this.#findSession(jti)
    if (found.expires_at <= this.#parts.clock.now()) throw new GatewayError('AUTH_EXPIRED')
    return { caller: this.#buildCaller(found, found), until: found.expires_at }
  }

  /** Finds the session of a token and its channel. Throws if either has ended. */
  async #findSession(jti: string) {
    const found = await this.#read((db) =>
      db
        .selectFrom('sessions')
        .innerJoin('channels', 'channels.channel_code', 'sessions.channel_code')
        .leftJoin('channel_secrets', 'channel_secrets.secret_id', 'sessions.secret_id')
        .selectAll('sessions')
        .select(channelColumns)
        // A secret that was deleted while its token was issued: the deletion did not find the token.
        .select('channel_secrets.revoked_at as secret_revoked_at')
        .where('jti', '=', jti)
        .executeTakeFirst(),
    )
    if (!found) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    if (found.revoked_at !== null) {
      throw found.revoked_reason === 'upstream_ended'
        ? new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
        : new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    }
    if (found.deleted_at !== null) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['channel_gone'] })
    if (found.secret_revoked_at !== null)
      throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    refusePausedChannel(found)
    return found
  }

  /**
   * Verifies a token of the legacy gateway: HS256 with its own secret, and no other algorithm, until the configured
   * end.
   */
  async #verifyLegacyToken(token: string): Promise<Decision> {
    const { clock, config } = this.#parts
    const { secret, until } = config.legacyTokens
    if (secret === undefined) throw new GatewayError('AUTH_INVALID_TOKEN')
    if (this.#haveLegacyEnded()) {
      throw new GatewayError('AUTH_INVALID_TOKEN', {
        say: ['legacy_token_ended', { until: formatInstant(until) }],
      })
    }
    return this.#readLegacyToken(token, { secret, at: clock.now() })
  }

  /** Verifies a legacy token as of a time in epoch milliseconds. */
  async #readLegacyToken(
    token: string,
    { secret, at }: { readonly secret: string; readonly at: number },
  ): Promise<Decision> {
    const { clock, config } = this.#parts
    const { until } = config.legacyTokens
    const claims = await jwtVerify(token, Buffer.from(secret), {
      algorithms: [legacyAlgorithm],
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(at),
    }).then(
      ({ payload }) => payload,
      (cause: unknown) => throwTokenError(cause),
    )
    const { sub, exp = 0, iat = 0 } = claims
    // JSON allows 1e999, which becomes infinity, and 1e308, which is too large for a date.
    const isTime = exp <= maxNumericDate && iat * 1000 <= clock.now() + maxClockSkewMs
    if (typeof sub !== 'string' || !isTime) throw new GatewayError('AUTH_INVALID_TOKEN')
    const jti = deriveLegacyJti(token)
    const channel = await this.#findLegacyChannel(sub, jti)
    // `exp` may have a fraction, and a revocation stores the time in whole milliseconds.
    const signedUntil = Math.floor(exp * 1000)
    const expiresAt = Math.min(signedUntil, until + lastSecondMs)
    const caller = this.#buildCaller(channel, undefined, { jti, expiresAt, signedUntil })
    return { caller, until: expiresAt }
  }

  /** Finds the channel of a legacy token. The token has a session row only if it was revoked. */
  async #findLegacyChannel(channel_code: string, jti: string) {
    const found = await this.#read((db) =>
      db
        .selectFrom('channels')
        .leftJoin('sessions', (join) => join.on('sessions.jti', '=', jti))
        .selectAll('channels')
        .select('sessions.revoked_at')
        .where('channels.channel_code', '=', channel_code)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    )
    if (!found) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['channel_gone'] })
    if (found.revoked_at !== null) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    refusePausedChannel(found)
    return found
  }

  #buildCaller(
    channel: Pick<ChannelRow, ChannelColumn>,
    session: SessionRow | undefined,
    legacy = { jti: '', expiresAt: 0, signedUntil: 0 },
  ): Caller {
    const plan = toPlan(channel.plan)
    const own: string[] | undefined = session?.capabilities ? JSON.parse(session.capabilities) : undefined
    const allowed = capabilitiesOfPlan[plan].filter((name) => own === undefined || own.includes(name))
    const allowlist: string[] = JSON.parse(channel.warehouse_allowlist)
    const grant: GrantType = session?.grant_type === 'password' ? 'password' : 'client_credentials'
    return {
      channel_code: channel.channel_code,
      channel_name: channel.name,
      plan,
      grant_type: grant,
      capabilities: new Set<Capability>(allowed),
      allowlist: allowlist.length === 0 ? undefined : new Set(allowlist),
      customer_code: channel.customer_code,
      points_per_minute: channel.points_per_minute ?? this.#parts.config.rateLimitPoints,
      switches: {
        wholesale: channel.wholesale_enabled === 1,
        dropship: channel.dropship_enabled === 1,
        webhooks: channel.webhooks_enabled === 1,
      },
      account: session?.account_id
        ? {
            account_id: session.account_id,
            name: session.account_name ?? '',
            username: session.username ?? '',
            preferences: session.preferences ? JSON.parse(session.preferences) : undefined,
          }
        : undefined,
      token: {
        jti: session?.jti ?? legacy.jti,
        expires_at: session?.expires_at ?? legacy.expiresAt,
        signed_until: session?.expires_at ?? legacy.signedUntil,
        legacy: session === undefined,
      },
    }
  }

  async #read<T>(query: (db: Store['db']) => Promise<T>): Promise<T> {
    try {
      return await query(this.#parts.store.db)
    } catch (cause) {
      throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: 5 })
    }
  }
}

const channelColumns = [
  'channels.name',
  'channels.plan',
  'channels.warehouse_allowlist',
  'channels.customer_code',
  'channels.points_per_minute',
  'channels.wholesale_enabled',
  'channels.dropship_enabled',
  'channels.webhooks_enabled',
  'channels.paused',
  'channels.deleted_at',
] as const
type ChannelColumn =
  | 'channel_code'
  | 'name'
  | 'plan'
  | 'warehouse_allowlist'
  | 'customer_code'
  | 'points_per_minute'
  | 'wholesale_enabled'
  | 'dropship_enabled'
  | 'webhooks_enabled'

/** Refuses a token, or a sign-in with the right credentials, while the operator has paused the channel. */
export function refusePausedChannel({ paused }: Pick<ChannelRow, 'paused'>): void {
  if (paused !== 1) return
  throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['channel_paused'], hint: ['hint_channel_paused'] })
}

/**
 * Whether the base64url encoding of a token's signature is canonical. Decoders ignore some bits of the last character,
 * so one signature could have several spellings. Header and claims have only one, because they are signed as text.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

/** Derives the id of a legacy token from its signed part. */
function deriveLegacyJti(token: string): string {
  return `legacy:${hash('sha256', token.slice(0, token.lastIndexOf('.')), 'hex')}`
}

/** Reads the header of a token before its signature is verified. */
function readHeader(token: string) {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw new GatewayError('AUTH_INVALID_TOKEN')
  }
}

/** Reads the id of a token before its signature is verified. */
function readTokenId(token: string): string {
  try {
    const { jti } = decodeJwt(token)
    if (typeof jti === 'string') return jti
  } catch {
    // A token that cannot be decoded is refused like one without an id.
  }
  throw new GatewayError('AUTH_INVALID_TOKEN')
}

function throwTokenError(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause
  // What is wrong with a token is no fault of the gateway, and is not logged as one.
  const fault = cause instanceof errors.JOSEError ? {} : { cause }
  throw new GatewayError(cause instanceof errors.JWTExpired ? 'AUTH_EXPIRED' : 'AUTH_INVALID_TOKEN', fault)
}

/** Whether a text is the name of a capability. */
export function isCapability(word: string): word is Capability {
  return capabilityNames.some((known) => known === word)
}
