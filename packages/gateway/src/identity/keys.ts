import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
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
import { isSameText } from '../kernel/crypto.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Secrets } from '../kernel/secrets.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { Db, Store, Tx } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

const algorithm = 'EdDSA'
/**
 * The prefix of the ids of signing keys. Releases that did not authenticate the ids of tokens named their keys `key_…`,
 * so a key with this prefix shows since when ids are authenticated.
 */
const keyPrefix = 'sig'
/** The length of the key that authenticates ids, and of what it adds to an id. */
const idKeyBytes = 32
const idProofBytes = 16
const tokenType = 'at+jwt'
/** A key signs tokens for 90 days. */
const rotationMs = 90 * 24 * 60 * 60 * 1000
/** The number of newest keys that are never removed: the signing key and the one before it. */
const minLiveKeys = 2
/**
 * How long a key verifies after it stopped signing: at least as long as its last token can live. `TOKEN_TTL_SECONDS` is
 * at most a day, and other processes follow a rotation within a second.
 */
const keptMs = 25 * 60 * 60 * 1000
/**
 * How long ids without a proof are accepted after the first key with `keyPrefix`. During a rolling upgrade, processes of
 * the earlier release sign such tokens, for at most a day, and the last one lives a day.
 */
const unprovenMs = 2 * keptMs
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

type StoredKey = Tables['signing_keys']

interface SigningKey {
  readonly kid: string
  readonly key: Awaited<ReturnType<typeof importJWK>>
  /** Authenticates the ids of the tokens that this key signs. */
  readonly idKey: KeyObject
}

/** A token that is about to be signed. */
interface TokenDraft {
  readonly jti: string
  /** Signs the claims and adds `iss`, `aud`, `iat` and `exp`. */
  sign(
    claims: JWTPayload & { sub: string; jti: string },
    issuedAt: number,
    expiresAt: number,
  ): Promise<string>
}

/** What a token says of itself before anything of it is verified. */
export interface UnverifiedToken {
  readonly kid: string | undefined
  readonly jti: string
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
  /** The keys that authenticate the ids of tokens, by the id of the signing key. */
  #idKeys: ReadonlyMap<string, KeyObject> = new Map()
  #createdAt = 0
  /** The number of loads that have begun, and the newest one that was applied: an earlier one may still be reading. */
  #loads = 0
  #newestLoad = 0
  /** When the last token without a proof in its id has expired, in epoch milliseconds. */
  #unprovenUntil = Number.POSITIVE_INFINITY
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
    const load = ++this.#loads
    let rows = await this.#readRows()
    if (rows.length === 0) {
      await this.#store.withLock('signing keys', 5_000, async () => {
        if ((await this.#readRows()).length === 0) await this.#transact((tx) => this.replace(tx))
      })
      rows = await this.#readRows()
    }
    const [newest] = rows
    if (!newest) throw new Error('There is no signing key.')
    if (load < this.#newestLoad) return
    this.#newestLoad = load
    this.#public = { keys: rows.map(({ public_jwk }): JWK => JSON.parse(public_jwk)) }
    this.#resolve = createLocalJWKSet(this.#public)
    this.#idKeys = new Map(rows.flatMap((row) => this.#findIdKey(row)))
    const since = rows.filter(({ kid }) => provesIds(kid)).map(({ created_at }) => created_at)
    this.#unprovenUntil = Math.min(...since) + unprovenMs
    if (newest.kid === this.#signing?.kid) return
    const jwk = this.#openPrivateKey(newest)
    const key = await importJWK(jwk, algorithm)
    if (load < this.#newestLoad) return
    this.#signing = { kid: newest.kid, key, idKey: deriveIdKey(jwk) }
    this.#createdAt = newest.created_at
  }

  #openPrivateKey({ kid, private_sealed }: StoredKey): JWK {
    return JSON.parse(this.#secrets.unseal(private_sealed, purposeOf(kid)))
  }

  /**
   * Finds the key for the ids of a signing key's tokens. Returns nothing if this process cannot open the signing key:
   * it then verifies the signatures of these tokens, whatever their ids are.
   */
  #findIdKey(row: StoredKey): [string, KeyObject][] {
    const known = this.#idKeys.get(row.kid)
    if (known) return [[row.kid, known]]
    try {
      return [[row.kid, deriveIdKey(this.#openPrivateKey(row))]]
    } catch {
      return []
    }
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
   * process rotates it. `replaceKey` calls `replace` in a transaction that tells the others to load the keys.
   */
  async rotateWhenDue(replaceKey: () => Promise<void>): Promise<void> {
    await this.load()
    await this.#deleteEndedKeys()
    if (!this.#isDue) return
    await this.#store.withLock('signing keys', 0, async () => {
      await this.load()
      if (!this.#isDue) return
      await replaceKey()
      await this.load()
    })
  }

  /** Whether the signing key is to be replaced: because of its age, or because an earlier release created it. */
  get #isDue(): boolean {
    return this.#clock.now() - this.#createdAt >= rotationMs || !provesIds(this.#signing?.kid ?? '')
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

  /** Begins a token. One key proves its id and signs it, even if the signing key is replaced in between. */
  beginToken(): TokenDraft {
    const { kid, key, idKey } = this.#requireSigningKey()
    const id = this.#ids.next('tok')
    return {
      jti: `${id}.${proveId(idKey, id)}`,
      sign: (claims, issuedAt, expiresAt) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: algorithm, kid, typ: tokenType })
          .setIssuer(this.#issuer)
          .setAudience(this.#issuer)
          .setIssuedAt(Math.floor(issuedAt / 1000))
          .setExpirationTime(Math.floor(expiresAt / 1000))
          .sign(key),
    }
  }

  #requireSigningKey(): SigningKey {
    if (!this.#signing) throw new Error('The signing keys were not loaded.')
    return this.#signing
  }

  /**
   * Checks the id of a token before its signature, which takes many times as long. Throws `AUTH_INVALID_TOKEN` for an
   * invented id, and `AUTH_EXPIRED` for an id without a proof once every such token has expired.
   */
  requireProvenId({ kid, jti }: UnverifiedToken) {
    const [id = '', proof] = jti.split('.', 2)
    if (proof === undefined) {
      if (this.#clock.now() < this.#unprovenUntil) return
      throw new GatewayError('AUTH_EXPIRED')
    }
    const idKey = this.#idKeys.get(kid ?? '')
    if (idKey && !isSameText(proof, proveId(idKey, id))) throw new GatewayError('AUTH_INVALID_TOKEN')
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
    const kid = this.#ids.next(keyPrefix)
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

/** Whether a key was created by a release that authenticates the ids of tokens. */
function provesIds(kid: string): boolean {
  return kid.startsWith(`${keyPrefix}_`)
}

/**
 * Derives the key that authenticates ids from the private half of a signing key. So it lives as long as the signing key,
 * whatever `SECRETS_KEY` encrypts that one.
 */
function deriveIdKey({ d = '' }: JWK): KeyObject {
  const privateHalf = Buffer.from(d, 'base64url')
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', privateHalf, '', 'trade-gateway token id', idKeyBytes)),
  )
}

function proveId(idKey: KeyObject, id: string): string {
  return createHmac('sha256', idKey).update(id).digest().subarray(0, idProofBytes).toString('base64url')
}

function purposeOf(kid: string): string {
  return `signing key ${kid}`
}
