/** `SECRETS_KEY` is rotated as the guide says, with real processes that are stopped and started one at a time. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort, findFreePorts } from '../../../trials/src/free-ports.ts'
import { adminToken, type CallResult, type LooseJson } from '../harness.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, openErpWithPorts } from './erp-with-ports.ts'
import {
  type GatewayProcess,
  launchGateway,
  readJson,
  sendRequest,
  startGateway,
  waitUntil,
} from './processes.ts'
import { shouldSkip } from './sizes.ts'

const keyA = 'an operator’s own sentence, which is long enough'
const keyB = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'
const trialTimeoutMs = 240_000
const resealedMs = 60_000

const setOnlyKey = (key: string) => ({ SECRETS_KEY: key })
const setBothKeys = (key: string, previous: string) => ({ SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: previous })

interface Customer {
  readonly token: string
  /** The call that registers a webhook endpoint. Its stored response contains a secret. */
  readonly create: { readonly body: object; readonly key: string }
  readonly answer: string
}

async function openChannel(url: string, code: string): Promise<Customer> {
  const body = { channel_code: code, name: code, plan: 'full', points_per_minute: 1_000_000 }
  const made = await readJson(sendRequest(url, 'POST', '/admin/api/channels', { admin: adminToken, body }))
  const { client_id, client_secret } = made.data
  const { access_token } = await readJson(
    sendRequest(url, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } }),
  )
  const create = {
    body: { url: `https://${code}.example/hooks`, event_types: ['order.created'] },
    key: `key-of-${code}`,
  }
  const answer = await register(url, String(access_token), create)
  expect(answer.status, answer.text).toBe(201)
  return { token: String(access_token), create, answer: answer.text }
}

async function register(url: string, token: string, { body, key }: Customer['create']): Promise<CallResult> {
  const response = await fetch(`${url}/api/v1/webhook-endpoints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const json: LooseJson = JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

async function expectServed(url: string, { token, create, answer }: Customer) {
  expect((await register(url, token, create)).text).toBe(answer)
}

const countKeysInUse = async (url: string) =>
  (await readJson(sendRequest(url, 'GET', '/statusz'))).data.secrets.keys_in_use

/** Checks that the gateway refuses to start, and returns the sentence that it prints. */
async function expectRefused(settings: Parameters<typeof launchGateway>[0]): Promise<string> {
  const gateway = launchGateway(settings)
  const error = await gateway.waitUntilReady().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  await gateway.kill()
  expect(String(error)).toMatch(/\b78\b/)
  return gateway.readOutput()
}

const isEmbeddedLeftOut = shouldSkip('SECRETS_KEY rotated on an embedded database', { long: true })

describe.skipIf(isEmbeddedLeftOut)('SECRETS_KEY of an embedded database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-key-'))
  let port: number

  beforeAll(async () => {
    port = await findFreePort()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const buildSettings = (keys: Record<string, string>) => ({
    DATA_DIR: folder,
    PORT: String(port),
    SANDBOX_STYLES: '10',
    SANDBOX_ACTIVITY: '0',
    ADMIN_TOKEN: adminToken,
    ...keys,
  })

  it(
    'is rotated by two restarts, and a start with a key missing ends with 78 and a sentence',
    async () => {
      let gateway = await startGateway(buildSettings(setOnlyKey(keyA)))
      const customer = await openChannel(gateway.url, 'before')
      await gateway.stop()
      expect(await expectRefused(buildSettings(setOnlyKey(keyB)))).toContain(
        'SECRETS_KEY is not the key of this database',
      )

      gateway = await startGateway(buildSettings(setBothKeys(keyB, keyA)))
      await expectServed(gateway.url, customer)
      await waitUntil(async () => (await countKeysInUse(gateway.url)) === 1, resealedMs)
      await expectServed(gateway.url, customer)
      await gateway.stop()

      expect(await expectRefused(buildSettings(setOnlyKey(keyA)))).toContain(
        'SECRETS_KEY is not the key of this database',
      )
      gateway = await startGateway(buildSettings(setOnlyKey(keyB)))
      await expectServed(gateway.url, customer)
      await gateway.stop()
    },
    trialTimeoutMs,
  )
})

const isLeftOut = shouldSkip('SECRETS_KEY rotated under two processes', { postgres: true, long: true })

describe.skipIf(isLeftOut)('SECRETS_KEY of two processes on one database', () => {
  let database: Database
  let erp: ErpWithPorts
  let ports: number[]
  const folder = mkdtempSync(join(tmpdir(), 'tg-keys-'))
  const running: (GatewayProcess | undefined)[] = []

  beforeAll(async () => {
    database = await createFreshDatabase()
    erp = await openErpWithPorts(2, 10, async () => {})
    ports = await findFreePorts(2)
  }, trialTimeoutMs)

  afterAll(async () => {
    await Promise.all(running.map((gateway) => gateway?.stop()))
    await erp?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }, trialTimeoutMs)

  const buildSettings = (index: number, keys: Record<string, string>) => ({
    DATA_DIR: mkdtempSync(join(folder, 'data-')),
    PORT: String(ports[index]),
    DATABASE_URL: database.url,
    UPSTREAM_URL: erp.urls[index] ?? '',
    UPSTREAM_TOKEN: erp.token,
    ADMIN_TOKEN: adminToken,
    ...keys,
  })

  async function restart(index: number, keys: Record<string, string>): Promise<void> {
    await running[index]?.stop()
    running[index] = undefined
    running[index] = await startGateway(buildSettings(index, keys))
  }

  it(
    'is rotated by restarting one after another, and every process serves what the other sealed',
    async () => {
      const customers: Customer[] = []
      await restart(0, setOnlyKey(keyA))
      await restart(1, setOnlyKey(keyA))
      const steps: [number, Record<string, string>][] = [
        [0, setBothKeys(keyA, keyB)],
        [1, setBothKeys(keyA, keyB)],
        [0, setBothKeys(keyB, keyA)],
        [1, setBothKeys(keyB, keyA)],
      ]
      for (const [index, keys] of steps) {
        await restart(index, keys)
        const urls = running.flatMap((gateway) => gateway?.url ?? [])
        expect(urls).toHaveLength(2)
        for (const url of urls) customers.push(await openChannel(url, `customer-${customers.length}`))
        for (const url of urls) for (const customer of customers) await expectServed(url, customer)
      }
      await waitUntil(async () => (await countKeysInUse(running[1]?.url ?? '')) === 1, resealedMs)
      expect(await expectRefused(buildSettings(0, setOnlyKey(keyA)))).toContain('SECRETS_KEY is not the key')
      for (const index of [0, 1]) {
        await restart(index, setOnlyKey(keyB))
        for (const customer of customers) await expectServed(running[index]?.url ?? '', customer)
      }
    },
    trialTimeoutMs,
  )

  it(
    'has no process that takes a token of a compromised signing key a second after its rotation',
    async () => {
      const [one, two] = running.map((gateway) => gateway?.url ?? '')
      const { token } = await openChannel(one ?? '', 'compromised')
      expect((await sendRequest(two ?? '', 'GET', '/api/v1/me', { token })).status).toBe(200)
      await readJson(
        sendRequest(one ?? '', 'POST', '/admin/api/signing-keys', {
          admin: adminToken,
          body: { compromised: true },
        }),
      )
      expect((await sendRequest(one ?? '', 'GET', '/api/v1/me', { token })).status).toBe(401)
      await waitUntil(
        async () => (await sendRequest(two ?? '', 'GET', '/api/v1/me', { token })).status === 401,
        2_000,
      )
      const { token: next } = await openChannel(two ?? '', 'afterwards')
      expect((await sendRequest(one ?? '', 'GET', '/api/v1/me', { token: next })).status).toBe(200)
    },
    trialTimeoutMs,
  )
})
