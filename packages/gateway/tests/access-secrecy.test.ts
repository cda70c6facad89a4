/**
 * No secret is stored in plain text or logged: the test uses marked secrets and searches every table and log line for
 * them.
 */

import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSessionPurpose } from '../src/access/grants.ts'
import { jsonLog } from '../src/kernel/log.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  legacySecret,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'

const [buyer] = buyers
const lines: string[] = []
const upstreamSessions: string[] = []
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    log: jsonLog('debug', { write: (line: string) => void lines.push(line) }),
    wrapErp: (erp) => ({
      ...erp,
      sign_in: async (input, options) => {
        const answer = await erp.sign_in(input, options)
        if ('ok' in answer) upstreamSessions.push(answer.ok.session)
        return answer
      },
    }),
  })
})
afterAll(() => house.close())

/** Returns every row of every table as text. */
async function dumpTables(): Promise<string> {
  const { db, kind } = house.gateway.store
  const names =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{
          name: string
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`
  const { rows } = await names.execute(db)
  const tables = await Promise.all(
    rows.map(async ({ name }) => ({
      name,
      rows: (await sql`select * from ${sql.table(name)}`.execute(db)).rows,
    })),
  )
  expect(tables.length).toBeGreaterThan(10)
  return JSON.stringify(tables)
}

/** Returns a secret in plain text and in each encoding in which it could leak. */
function listEncodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

function expectNoSecrets(secrets: readonly string[], text: string) {
  expect(secrets.length).toBeGreaterThan(0)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8)
    for (const form of listEncodings(secret)) expect(text.includes(form), form).toBe(false)
  }
}

/** Uses every kind of secret, with valid and invalid values. */
async function useEverySecret() {
  const token = await signInBuyer(house)
  const { client_id, client_secret, token: channelToken } = await createWorld(house)
  const wrong = 'a-wrong-password-as-canary'
  const requestToken = (body: unknown) => call(house, 'POST', '/api/v1/auth/token', { body })
  await requestToken({ grant_type: 'password', username: buyer.username, password: wrong })
  await requestToken({ client_id, client_secret: 'a-wrong-secret-as-canary' })
  await call(house, 'POST', '/api/v1/auth/token?password=a-canary-in-the-url', { body: {} })
  await call(house, 'GET', '/api/v1/me?token=a-canary-token-in-the-url')
  const made = await call(house, 'POST', '/admin/api/channels', {
    admin: adminToken,
    headers: { 'idempotency-key': 'make-it' },
    body: { channel_code: 'made', name: 'Made', plan: 'reader' },
  })
  await call(house, 'GET', '/admin/api/channels', { admin: 'a-wrong-admin-token-as-canary' })
  for (const each of [token, channelToken, 'a-wrong-token-as-canary']) {
    await call(house, 'GET', '/api/v1/me', { token: each })
    await call(house, 'POST', '/api/v1/plan-requests', { token: each, body: { plan: 'reader' } })
  }
  return {
    passwords: [buyer.password, wrong],
    clientSecrets: [client_secret, made.json.data.client_secret, 'a-wrong-secret-as-canary'],
    tokens: [token, channelToken, 'a-wrong-token-as-canary'],
    settings: [
      adminToken,
      legacySecret,
      'a-wrong-admin-token-as-canary',
      'a-key-for-tests-only-0123456789-0123456789',
    ],
    inUrls: ['a-canary-in-the-url', 'a-canary-token-in-the-url'],
  }
}

describe('secrets', () => {
  it('stand in no table and in no line of the log', async () => {
    const used = await useEverySecret()
    const text = `${await dumpTables()}\n${lines.join('\n')}`
    expect(lines.length).toBeGreaterThan(5)
    expect(upstreamSessions.length).toBeGreaterThan(0)
    for (const secrets of Object.values(used)) expectNoSecrets(secrets, text)
    expectNoSecrets(upstreamSessions, text)
    for (const password of used.passwords) {
      const digest = createHash('sha256').update(password)
      expect(text).not.toContain(digest.digest('hex'))
    }
  })

  it('of a channel are shown once: neither a read nor the list repeats them', async () => {
    const body = { channel_code: 'once', name: 'Once', plan: 'reader' }
    const made = await call(house, 'POST', '/admin/api/channels', { admin: adminToken, body })
    const secret: string = made.json.data.client_secret
    expect(secret.length).toBeGreaterThanOrEqual(43)
    for (const path of ['/admin/api/channels/once', '/admin/api/channels']) {
      expect((await call(house, 'GET', path, { admin: adminToken })).text).not.toContain(secret)
    }
  })
})

describe('what is sealed', () => {
  const readSessionRow = async () => {
    await signInBuyer(house)
    return house.gateway.store.db
      .selectFrom('sessions')
      .selectAll()
      .where('upstream_session', 'is not', null)
      .executeTakeFirstOrThrow()
  }

  it('is the ERP’s session, and it opens for its own token and channel only', async () => {
    const { jti, channel_code, upstream_session } = await readSessionRow()
    const { secrets } = house.gateway
    const sealed = upstream_session ?? ''
    expect(upstreamSessions).toContain(secrets.unseal(sealed, buildSessionPurpose(jti, channel_code)))
    for (const purpose of [
      buildSessionPurpose('tok_00000000000000000000000000', channel_code),
      buildSessionPurpose(jti, 'another-channel'),
      '',
    ]) {
      expect(() => secrets.unseal(sealed, purpose)).toThrow()
    }
  })

  it('does not open once a byte of it was changed', async () => {
    const { jti, channel_code, upstream_session } = await readSessionRow()
    const bytes = Buffer.from(upstream_session ?? '', 'base64url')
    for (const at of [0, 1, 13, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() =>
        house.gateway.secrets.unseal(changed.toString('base64url'), buildSessionPurpose(jti, channel_code)),
      ).toThrow()
    }
  })

  it('differs each time, though the session were the same', async () => {
    const { secrets } = house.gateway
    expect(secrets.seal('same', 'same')).not.toBe(secrets.seal('same', 'same'))
  })

  it('is the private half of each signing key', async () => {
    const rows = await house.gateway.store.db.selectFrom('signing_keys').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    for (const { kid, public_jwk, private_sealed } of rows) {
      const { d } = JSON.parse(house.gateway.secrets.unseal(private_sealed, `signing key ${kid}`))
      expect(d).toMatch(/^[\w-]{43}$/)
      expect(`${public_jwk}${private_sealed}`).not.toContain(d)
      expect(() => house.gateway.secrets.unseal(private_sealed, 'signing key another')).toThrow()
    }
  })
})
