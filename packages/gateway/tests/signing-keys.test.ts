/** The operator rotates the key that signs tokens. `second` is another gateway process. */

import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rotateSigningKeyWhenDue } from '../src/access/signing-keys.ts'
import { Keys } from '../src/identity/keys.ts'
import { Sessions } from '../src/identity/sessions.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { expectData, openSecondGateway } from './trade.ts'

let house: TestGateway
let second: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ unfilled: true })
  second = await openSecondGateway(house, {})
})

afterAll(async () => {
  await second.close()
  await house.close()
})

const rotateKey = async (body: object, at: TestGateway = house) =>
  expectData(await call(at, 'POST', '/admin/api/signing-keys', { admin: adminToken, body }), 201)
const readKeyId = (token: string) => String(decodeProtectedHeader(token).kid)
const readStatus = async (at: TestGateway, token: string) =>
  (await call(at, 'GET', '/api/v1/me', { token })).status
const readPublishedKeys = async (at: TestGateway): Promise<LooseJson> =>
  (await call(at, 'GET', '/.well-known/jwks.json')).json

/** Creates `Sessions` as another process has them. A test can hold back their reads of the signing keys. */
async function createGatedSessions() {
  const { config, store, secrets, clock, ids, installation } = house.gateway
  let gate = Promise.resolve()
  let [open, found] = [() => {}, () => {}]
  let reads = Promise.resolve()
  const gated: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      found()
      await gate
      return result
    },
  }
  const keyStore = { ...store, db: store.db.withPlugin(gated) }
  const keys = new Keys(keyStore, secrets, clock, ids, `trade-gateway:${installation}`)
  const sessions = new Sessions({ store, clock, config, keys })
  await sessions.follow()
  return {
    keys,
    sessions,
    waitForRead: () => reads,
    holdBackReads() {
      ;({ promise: gate, resolve: open } = Promise.withResolvers<void>())
      ;({ promise: reads, resolve: found } = Promise.withResolvers<void>())
    },
    releaseReads: () => open(),
    /** Lets later reads pass while those that are held back still wait. */
    passReads() {
      gate = Promise.resolve()
    },
  }
}

describe('a rotation of the signing key because of its age', () => {
  it('is followed by the other processes within a turn, and their tokens are valid everywhere', async () => {
    await second.gateway.sessions.follow()
    house.clock.advance(91 * 24 * 60 * 60_000)
    await rotateSigningKeyWhenDue(house.gateway)
    await second.gateway.sessions.follow()
    const { token } = await createWorld(second)
    const { keys } = await readPublishedKeys(second)
    expect(keys[0].kid).toBe((await readPublishedKeys(house)).keys[0].kid)
    expect(readKeyId(token)).toBe(keys[0].kid)
    expect([await readStatus(house, token), await readStatus(second, token)]).toEqual([200, 200])
  })
})

describe('a rotation of the signing key', () => {
  it('signs new tokens with a new key, and tokens of the earlier keys go on, in every process', async () => {
    const tokens = [(await createWorld(house)).token]
    for (let times = 0; times < 3; times++) {
      house.clock.advance(1)
      const { kid, earlier_kids } = await rotateKey({})
      expect(earlier_kids).toContain(readKeyId(tokens.at(-1) ?? ''))
      const { token } = await createWorld(house)
      expect(readKeyId(token)).toBe(kid)
      tokens.push(token)
    }
    await second.gateway.sessions.follow()
    expect(readKeyId((await createWorld(second)).token)).toBe(readKeyId(tokens.at(-1) ?? ''))
    for (const at of [house, second]) {
      const published = await readPublishedKeys(at)
      for (const token of tokens) {
        expect(await readStatus(at, token)).toBe(200)
        const issuer = `trade-gateway:${at.gateway.installation}`
        const currentDate = new Date(house.clock.now())
        await jwtVerify(token, createLocalJWKSet(Object(published)), { issuer, currentDate })
      }
    }
  })

  it('needs the new key in another process only once its watch has looked', async () => {
    await rotateKey({})
    const { token } = await createWorld(house)
    house.clock.advance(1_000)
    expect(await readStatus(second, token)).toBe(200)
  })

  it('with compromised keys refuses their tokens at once, and elsewhere from the next look of its watch', async () => {
    const { token } = await createWorld(house)
    for (const at of [house, second]) expect(await readStatus(at, token)).toBe(200)
    const { kid, earlier_kids } = await rotateKey({ compromised: true })
    expect(earlier_kids).toEqual([])
    const refused = await call(house, 'GET', '/api/v1/me', { token })
    expect(refused.json.error.code).toBe('AUTH_INVALID_TOKEN')
    await second.gateway.sessions.follow()
    expect((await call(second, 'GET', '/api/v1/me', { token })).json.error.code).toBe('AUTH_INVALID_TOKEN')
    for (const at of [house, second]) {
      expect((await readPublishedKeys(at)).keys.map((key: LooseJson) => key.kid)).toEqual([kid])
      const { token: next } = await createWorld(at)
      expect(readKeyId(next)).toBe(kid)
      for (const other of [house, second]) expect(await readStatus(other, next)).toBe(200)
    }
  })

  it('is not undone by a decision that was made while the watch read the keys', async () => {
    const { token } = await createWorld(house)
    const { sessions, waitForRead, holdBackReads, releaseReads } = await createGatedSessions()
    holdBackReads()
    await rotateKey({ compromised: true })
    const following = sessions.follow()
    await waitForRead()
    expect(await sessions.authenticate(token), 'with the keys of before').toMatchObject({ plan: 'full' })
    releaseReads()
    await following
    await expect(async () => sessions.authenticate(token)).rejects.toThrow('AUTH_INVALID_TOKEN')
  })

  it('is not taken back by a read of the keys that began before it and ends after a newer one', async () => {
    const { token } = await createWorld(house)
    const { keys, waitForRead, holdBackReads, passReads, releaseReads } = await createGatedSessions()
    holdBackReads()
    const early = keys.load()
    await waitForRead()
    passReads()
    await rotateKey({ compromised: true })
    await keys.load()
    const published = structuredClone(keys.jwks)
    releaseReads()
    await early
    expect(keys.jwks).toEqual(published)
    await expect(keys.verify(token)).rejects.toThrow()
    const { kid } = (await keys.list(house.gateway.store.db))[0] ?? {}
    const { jti, sign } = keys.beginToken()
    const signed = await sign({ sub: 'channel', jti }, house.clock.now(), house.clock.now() + 60_000)
    expect(readKeyId(signed)).toBe(kid)
  })

  it('leaves one row in the audit, with the keys before and after and nothing secret', async () => {
    const [before] = (await house.gateway.keys.list(house.gateway.store.db)).map(({ kid }) => kid)
    const headers = { 'x-admin-actor': 'Robin' }
    const answer = await call(house, 'POST', '/admin/api/signing-keys', {
      admin: adminToken,
      body: { compromised: true },
      headers,
    })
    const rows = await house.gateway.store.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('request_id', '=', answer.headers.get('x-request-id') ?? '')
      .execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ action: 'admin.signing_keys.rotate', actor: 'Robin' })
    expect(JSON.parse(rows[0]?.detail ?? '{}')).toMatchObject({
      before: { kid: before },
      after: expectData(answer, 201),
    })
    const sealed = await house.gateway.store.db.selectFrom('signing_keys').selectAll().execute()
    for (const { private_sealed, public_jwk } of sealed) {
      expect(rows[0]?.detail).not.toContain(private_sealed)
      expect(rows[0]?.detail).not.toContain(JSON.parse(public_jwk).x)
    }
  })

  it('does not happen if it cannot be recorded', async () => {
    const broken = await openTestGateway({ unfilled: true })
    const { token } = await createWorld(broken)
    await broken.gateway.store.db.schema.dropTable('admin_audit').execute()
    const body = { compromised: true }
    const { status } = await call(broken, 'POST', '/admin/api/signing-keys', { admin: adminToken, body })
    expect(status).toBe(500)
    expect(await readStatus(broken, token)).toBe(200)
    expect(readKeyId((await createWorld(broken)).token)).toBe(readKeyId(token))
    await broken.close()
  })

  it.each([{ compromised: 'yes' }, { compromised: null }, { comprimised: true }])(
    'refuses the body %j and changes nothing',
    async (body) => {
      const before = await house.gateway.keys.list(house.gateway.store.db)
      const { status } = await call(house, 'POST', '/admin/api/signing-keys', { admin: adminToken, body })
      expect(status).toBe(422)
      expect(await house.gateway.keys.list(house.gateway.store.db)).toEqual(before)
    },
  )
})

describe('a process without the key that sealed the newest signing key', () => {
  it('still refuses tokens of withdrawn keys', async () => {
    await second.gateway.sessions.follow()
    const { token } = await createWorld(house)
    expect(await readStatus(second, token)).toBe(200)
    await rotateKey({ compromised: true })
    const { db } = house.gateway.store
    await db.updateTable('signing_keys').set({ private_sealed: 'AA' }).execute()
    await expect(second.gateway.sessions.follow()).rejects.toThrow()
    expect((await call(second, 'GET', '/api/v1/me', { token })).json.error.code).toBe('AUTH_INVALID_TOKEN')
  })

  it('accepts tokens of a key that it cannot open, by their signature alone', async () => {
    const { token } = await createWorld(house)
    const { secrets, clock, ids, installation, store, config } = house.gateway
    const unseal = (sealed: string, purpose: string) => {
      if (purpose.includes(readKeyId(token)))
        throw new Error('The value was sealed with a key that was not given.')
      return secrets.unseal(sealed, purpose)
    }
    house.clock.advance(1)
    await rotateKey({})
    const keys = new Keys(store, { ...secrets, unseal }, clock, ids, `trade-gateway:${installation}`)
    await keys.load()
    const sessions = new Sessions({ store, clock, config, keys })
    await sessions.follow()
    expect(await sessions.authenticate(token)).toMatchObject({ plan: 'full' })
  })
})
