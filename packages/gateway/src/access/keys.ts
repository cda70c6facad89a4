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
import { GatewayError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Secrets } from '../kernel/crypto.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Store } from '../store/store.ts'

const algorithm = 'EdDSA'
const tokenType = 'at+jwt'
/** A key signs for 90 days; the one before it still verifies. */
const rotationMs = 90 * 24 * 60 * 60 * 1000
/** Live keys: the signing one and the one before it. */
const liveKeys = 2
/** An unknown key id makes the table be read again, at most this often, however many ask. */
const rereadMs = 1_000

interface SigningKey {
  readonly kid: string
  readonly key: Awaited<ReturnType<typeof importJWK>>
}

/**
 * The keys that sign access tokens (RFC 9068), in our own table, private halves sealed. `kid` is an index into that
 * table and nothing else (RFC 8725 §3.10).
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

  /** Reads the table; makes the first key where there is none. */
  async load(): Promise<void> {
    let rows = await this.#rows()
    if (rows.length === 0) {
      await this.#store.withLock('signing keys', 5_000, async () => {
        if ((await this.#rows()).length === 0) await this.#add()
      })
      rows = await this.#rows()
    }
    const newest = rows[0]
    if (!newest) throw new Error('There is no signing key.')
    const privateJwk: JWK = JSON.parse(
      this.#secrets.unseal(newest.private_sealed, `signing key ${newest.kid}`),
    )
    this.#signing = { kid: newest.kid, key: await importJWK(privateJwk, algorithm) }
    this.#public = { keys: rows.map(({ public_jwk }): JWK => JSON.parse(public_jwk)) }
    this.#resolve = createLocalJWKSet(this.#public)
    this.#createdAt = newest.created_at
  }

  /** Makes a new signing key; the one before it goes on verifying, older ones are dropped. */
  async rotate(): Promise<void> {
    await this.#add()
    const rows = await this.#rows()
    const dropped = rows.slice(liveKeys).map(({ kid }) => kid)
    if (dropped.length > 0)
      await this.#store.db.deleteFrom('signing_keys').where('kid', 'in', dropped).execute()
    await this.load()
  }

  /** Rotates when the signing key is old; one process does it, the others read the table. */
  async rotateWhenDue(): Promise<void> {
    await this.load()
    if (this.#clock.now() - this.#createdAt < rotationMs) return
    await this.#store.withLock('signing keys', 0, async () => {
      await this.load()
      if (this.#clock.now() - this.#createdAt >= rotationMs) await this.rotate()
    })
  }

  /** Signs the claims of an access token; `iss`, `aud`, `iat` and `exp` are added. */
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
   * Checks signature, type, issuer, audience and expiry. Throws jose's errors, and `AUTHZ_UNAVAILABLE` where the key
   * is not known and the table cannot be read.
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
      await this.#readAgain()
      return jwtVerify(token, this.#resolve, options)
    })
    return payload
  }

  /** Reads the table once for all who ask within a second: whoever invents key ids causes no storm of reads. */
  async #readAgain(): Promise<void> {
    const now = this.#clock.monotonic()
    if (now - this.#rereadAt >= rereadMs) {
      this.#rereadAt = now
      this.#reread = this.load()
    }
    await this.#reread.catch((cause: unknown) => {
      throw new GatewayError('AUTHZ_UNAVAILABLE', { cause, retryAfter: 5 })
    })
  }

  async #add(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
    const kid = this.#ids.next('key')
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
    await this.#store.db
      .insertInto('signing_keys')
      .values({
        kid,
        public_jwk: JSON.stringify(publicJwk),
        private_sealed: this.#secrets.seal(JSON.stringify(await exportJWK(privateKey)), `signing key ${kid}`),
        created_at: this.#clock.now(),
        retired_at: null,
      })
      .execute()
  }

  #rows() {
    return this.#store.db
      .selectFrom('signing_keys')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('kid')
      .execute()
  }
}
