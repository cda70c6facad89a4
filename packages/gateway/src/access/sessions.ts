import { hash } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { type Caller, type Capability, capabilityNames, type GrantType } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { type Clock, instant } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'
import type { ChannelRow, SessionRow } from '../store/tables.ts'
import type { Keys } from './keys.ts'
import { capabilitiesOfPlan, planNamed } from './plans.ts'

/**
 * Who a token is. A token's signature is checked once; the decision is kept by the token's SHA-256 until the token
 * expires or any permission changes. One counter in the database moves with every revocation and change of a
 * permission; each process looks at it twice a second (and on each announcement) and forgets its decisions when it
 * moved. While the counter cannot be read, known decisions serve for at most a minute: never open.
 */
const mostDecisions = 100_000
/** How long decisions serve while the store of permissions cannot be read. */
const unconfirmedMs = 60_000
/** The last second of the legacy tokens counts whole. */
const lastSecondMs = 1_000
export const accessCounter = 'access'

interface Decision {
  readonly caller: Caller
  /** Epoch milliseconds from which on the token is over and is decided anew, to tell why. */
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
  readonly #decisions = new LRUCache<string, Decision>({ max: mostDecisions })
  #revision = -1
  /** Counts every forgetting, so that a decision that was begun before it is not kept after it. */
  #generation = 0
  #confirmedAt: number

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#confirmedAt = parts.clock.monotonic()
  }

  /** The caller of a token; at once where it is known. Throws `AUTH_*` and `AUTHZ_UNAVAILABLE`. */
  authenticate(token: string): Caller | Promise<Caller> {
    const key = hash('sha256', token, 'base64')
    const known = this.#decisions.get(key)
    if (!known) return this.#decide(token, key)
    const { clock } = this.#parts
    const isOver = clock.now() >= known.until
    if (isOver || clock.monotonic() - this.#confirmedAt > unconfirmedMs) return this.#decide(token, key)
    return known.caller
  }

  /** Forgets every decision: something about permissions changed. */
  forget() {
    this.#generation += 1
    this.#decisions.clear()
  }

  /** One turn of the watch on the counter of changes. */
  async follow(): Promise<void> {
    const askedAt = this.#parts.clock.monotonic()
    const row = await this.#parts.store.db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', accessCounter)
      .executeTakeFirst()
    const revision = row?.value ?? 0
    if (revision !== this.#revision) this.forget()
    this.#revision = revision
    this.#confirmedAt = askedAt
  }

  async #decide(token: string, key: string): Promise<Caller> {
    const generation = this.#generation
    const decision = isLegacy(token) ? await this.#legacy(token) : await this.#own(token)
    if (generation === this.#generation) this.#decisions.set(key, decision)
    return decision.caller
  }

  async #own(token: string): Promise<Decision> {
    const claims = await this.#parts.keys.verify(token).catch((cause: unknown) => refuse(cause))
    const found = await this.#read((db) =>
      db
        .selectFrom('sessions')
        .innerJoin('channels', 'channels.channel_code', 'sessions.channel_code')
        .selectAll('sessions')
        .select(channelColumns)
        .where('jti', '=', String(claims.jti))
        .executeTakeFirst(),
    )
    if (!found) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    if (found.revoked_at !== null) {
      throw found.revoked_reason === 'upstream_ended'
        ? new GatewayError('AUTH_EXPIRED', { say: ['session_ended'] })
        : new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_revoked'] })
    }
    if (found.deleted_at !== null) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['channel_gone'] })
    if (found.expires_at <= this.#parts.clock.now()) throw new GatewayError('AUTH_EXPIRED')
    return { caller: this.#caller(found, found), until: found.expires_at }
  }

  /** A token of the legacy gateway: HS256 with its secret and nothing else, until the day it ends. */
  async #legacy(token: string): Promise<Decision> {
    const { clock, config } = this.#parts
    const { secret, until } = config.legacyTokens
    if (secret === undefined) throw new GatewayError('AUTH_INVALID_TOKEN')
    if (clock.now() >= until + lastSecondMs) {
      throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['legacy_token_ended', { until: instant(until) }] })
    }
    const claims = await jwtVerify(token, Buffer.from(secret), {
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(clock.now()),
    }).then(
      ({ payload }) => payload,
      (cause: unknown) => refuse(cause),
    )
    const { sub, exp } = claims
    // 1e999 is JSON, and endless.
    if (typeof sub !== 'string' || !Number.isFinite(exp)) throw new GatewayError('AUTH_INVALID_TOKEN')
    const channel = await this.#read((db) =>
      db
        .selectFrom('channels')
        .selectAll()
        .where('channel_code', '=', sub)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    )
    if (!channel) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['channel_gone'] })
    const expiresAt = Math.min(Number(exp) * 1000, until + lastSecondMs)
    const caller = this.#caller(channel, undefined, { jti: `legacy:${sub}`, expiresAt })
    return { caller, until: expiresAt }
  }

  #caller(
    channel: Pick<ChannelRow, ChannelColumn>,
    session: SessionRow | undefined,
    legacy = { jti: '', expiresAt: 0 },
  ): Caller {
    const plan = planNamed(channel.plan)
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

/** All that a token's header decides is which of our two fixed algorithms is tried. */
function isLegacy(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'HS256'
  } catch {
    throw new GatewayError('AUTH_INVALID_TOKEN')
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause
  throw new GatewayError(cause instanceof errors.JWTExpired ? 'AUTH_EXPIRED' : 'AUTH_INVALID_TOKEN', {
    cause,
  })
}

/** Whether a word is a capability of ours. */
export function isCapability(word: string): word is Capability {
  return capabilityNames.some((known) => known === word)
}
