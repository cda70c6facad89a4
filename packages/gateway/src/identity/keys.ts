import {
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { type SelectQueryBuilder, sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Secrets } from '../kernel/secrets.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { Db, Store, Tx } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

const algorithm = 'EdDSA'
const tokenType = 'at+jwt'
/** A key signs tokens for 90 days. */
const rotationMs = 90 * 24 * 60 * 60 * 1000
/** The number of newest keys that are never removed: the signing key and the one before it. */
const minLiveKeys = 2
/**
 * How long a key verifies after it stopped signing: at least as long as its last token can live. `TOKEN_TTL_SECONDS` is
 * at most a day, and other processes notice a rotation within a minute.
 */
const keptMs = 25 * 60 * 60 * 1000
/** The shortest time between two reads of the table because of unknown key ids, however many requests contain one. */
const rereadMs = 1_000

/** The column of encrypted private keys, for `reseal.ts`. */
export const sealedSigningKeys = describeSealedColumn({
  table: 'signing_keys',
  key: 'kid',
  column: 'private_sealed',
  purposeOf,
})

/** A key that can still verify tokens. */
export interface LiveKey {
  readonly kid: string
  readonly created_at: number
}

interface SigningKey {
  readonly kid: string
  readonly key: Awaited<ReturnType<typeof importJWK>>
}

/**
 * The keys that sign access tokens (RFC 9068), stored in a table with sealed private keys. The gateway uses `kid` only
 * to look up a row of that table (RFC 8725 §3.10).
 */
export class Keys {
  readonly #store: Store
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #issuer: string
  #signing: SigningKey | undefined
  #public: JSONWebKeySet = { keys: [] }
  #resolve = createLocalJWKSet({ keys: [] })
  #createdAt = 0
  #rereadAt = Number.NEGATIVE_INFINITY
  #reread = Promise.resolve()

  constructor(store: Store, secrets: Secrets, clock: Clock, ids: Ids, issuer: string) {
    this.#store = store
    this.#secrets = secrets
    this.#clock = clock
    this.#ids = ids
    this.#issuer = issuer
  }

  /** The public keys (RFC 7517). */
  get jwks(): JSONWebKeySet {
    return this.#public
  }

  /**
   * Loads the keys from the table, and creates the first one if there is none. The public keys are loaded first, so
   * that a process that cannot decrypt the signing key still refuses tokens of deleted keys.
   */
  async load(): Promise<void> {
    let rows = await this.#readRows()
    if (rows.length === 0) {
      await this.#store.withLock('signing keys', 5_000, async () => {
        if ((await this.#readRows()).length === 0) await this.#transact((tx) => this.replace(tx))
      })
      rows = await this.#readRows()
    }
    const [newest] = rows
    if (!newest) throw new Error('There is no signing key.')
    this.#public = { keys: rows.map(({ public_jwk }): JWK => JSON.parse(public_jwk)) }
    this.#resolve = createLocalJWKSet(this.#public)
    if (newest.kid === this.#signing?.kid) return
    const privateJwk: JWK = JSON.parse(this.#secrets.unseal(newest.private_sealed, purposeOf(newest.kid)))
    this.#signing = { kid: newest.kid, key: await importJWK(privateJwk, algorithm) }
    this.#createdAt = newest.created_at
  }

  /** Lists the keys that can still verify tokens, the signing key first. */
  list(db: Db): Promise<LiveKey[]> {
    return sortNewestFirst(db.selectFrom('signing_keys').select(['kid', 'created_at'])).execute()
  }

  /** Creates a new signing key and loads it. */
  async rotate(): Promise<void> {
    await this.#transact((tx) => this.replace(tx))
    await this.load()
  }

  /**
   * Creates a new signing key. Tokens of the earlier keys are accepted until they expire. If the earlier keys are
   * compromised, they are deleted at once. Other processes see the change once they load the keys.
   */
  async replace(tx: Tx, areCompromised = false): Promise<void> {
    const now = this.#clock.now()
    const made = await this.#generate(now)
    if (areCompromised) await tx.deleteFrom('signing_keys').execute()
    await tx.updateTable('signing_keys').set({ retired_at: now }).where('retired_at', 'is', null).execute()
    await tx.insertInto('signing_keys').values(made).execute()
  }

  /**
   * Loads the keys, removes those that are no longer needed, and rotates the signing key once it is old. Only one
   * process rotates it; the others load the result from the table. `replaceKey` calls `replace` in its transaction.
   */
  async rotateWhenDue(replaceKey: (tx: Tx) => Promise<void>): Promise<void> {
    await this.load()
    await this.#deleteEndedKeys()
    if (this.#clock.now() - this.#createdAt < rotationMs) return
    await this.#store.withLock('signing keys', 0, async () => {
      await this.load()
      if (this.#clock.now() - this.#createdAt < rotationMs) return
      await this.#transact(replaceKey)
      await this.load()
    })
  }

  /** Removes keys whose last token has expired, except the newest ones. */
  async #deleteEndedKeys(): Promise<void> {
    const ended = (await this.#readRows())
      .slice(minLiveKeys)
      .filter(({ retired_at }) => (retired_at ?? 0) < this.#clock.now() - keptMs)
      .map(({ kid }) => kid)
    if (ended.length === 0) return
    await this.#store.db.deleteFrom('signing_keys').where('kid', 'in', ended).execute()
    await this.load()
  }

  /** Signs the claims of an access token and adds `iss`, `aud`, `iat` and `exp`. */
  async sign(
    claims: JWTPayload & { sub: string; jti: string },
    issuedAt: number,
    expiresAt: number,
  ): Promise<string> {
    if (!this.#signing) throw new Error('The signing keys were not loaded.')
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid: this.#signing.kid, typ: tokenType })
      .setIssuer(this.#issuer)
      .setAudience(this.#issuer)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(this.#signing.key)
  }

  /**
   * Checks signature, type, issuer, audience and expiry. Throws jose's errors, and `AUTHZ_UNAVAILABLE` if the key is
   * unknown and the table cannot be read.
   */
  async verify(token: string): Promise<JWTPayload> {
    const options = {
      algorithms: [algorithm],
      issuer: this.#issuer,
      audience: this.#issuer,
      typ: tokenType,
      requiredClaims: ['sub', 'jti', 'iat', 'exp'],
      currentDate: new Date(this.#clock.now()),
    }
    const { payload } = await jwtVerify(token, this.#resolve, options).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await this.#loadAgain()
      return jwtVerify(token, this.#resolve, options)
    })
    return payload
  }

  /**
   * Loads the table at most once a second and shares the result among all waiting requests, so that requests with
   * invented key ids cannot flood the database.
   */
  async #loadAgain(): Promise<void> {
    const now = this.#clock.monotonic()
    if (now - this.#rereadAt >= rereadMs) {
      this.#rereadAt = now
      this.#reread = this.load()
    }
    await this.#reread.catch((cause: unknown) => {
      throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: 5 })
    })
  }

  async #generate(now: number) {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
    const kid = this.#ids.next('key')
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
    return {
      kid,
      public_jwk: JSON.stringify(publicJwk),
      private_sealed: this.#secrets.seal(JSON.stringify(await exportJWK(privateKey)), purposeOf(kid)),
      created_at: now,
      retired_at: null,
    }
  }

  #transact(work: (tx: Tx) => Promise<void>): Promise<void> {
    return this.#store.db.transaction().execute(work)
  }

  #readRows() {
    return sortNewestFirst(this.#store.db.selectFrom('signing_keys').selectAll()).execute()
  }
}

/**
 * Sorts keys, newest first. The signing key always comes first: the clocks of processes differ, so the creation time
 * alone is not reliable.
 */
function sortNewestFirst<Row>(query: SelectQueryBuilder<Tables, 'signing_keys', Row>) {
  return query
    .orderBy(sql`case when retired_at is null then 0 else 1 end`)
    .orderBy('created_at', 'desc')
    .orderBy('kid')
}

function purposeOf(kid: string): string {
  return `signing key ${kid}`
}
