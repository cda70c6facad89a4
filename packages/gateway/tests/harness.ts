import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { builtInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import pg from 'pg'
import { type ChannelFields, createChannel } from '../src/access/channels.ts'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Plan } from '../src/contract/call.ts'
import { columnsOf } from '../src/contract/csv.ts'
import type { Endpoint } from '../src/contract/endpoint.ts'
import { errorTable, isErrorCode } from '../src/contract/errors.ts'
import { errorBody } from '../src/contract/fields.ts'
import { codesOf } from '../src/contract/openapi.ts'
import { syncDocuments } from '../src/documents/sync.ts'
import { type Gateway, openGateway } from '../src/gateway.ts'
import { createApp } from '../src/http/app.ts'
import { Router } from '../src/http/router.ts'
import type { Clock } from '../src/kernel/clock.ts'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import { syncReference } from '../src/reference/sync.ts'
import { syncStock } from '../src/stock/sync.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { forcedSettings, note, noted } from './read-only-run.ts'

/**
 * The whole gateway over real HTTP, a real store and the real sandbox ERP. Only time is ours. On SQLite in
 * `npm test`, on PostgreSQL where TEST_DATABASE_URL names a server.
 */
export class TestClock implements Clock {
  #now: number
  #monotonic = 0

  constructor(start: number) {
    this.#now = start
  }

  now() {
    return this.#now
  }

  monotonic() {
    return this.#monotonic
  }

  advance(ms: number) {
    this.#now += ms
    this.#monotonic += ms
  }

  set(epochMs: number) {
    this.#now = epochMs
  }
}

/** Nine days before legacy tokens end; no test depends on today. */
export const testStart = Date.UTC(2026, 10, 21, 12, 0, 0)
const testStyles = 30
export const adminToken = 'an-admin-token-for-tests-only'
export const legacySecret = 'a-legacy-secret-for-tests-only-0123456789'

export interface Account {
  readonly username: string
  readonly password: string
  readonly customer_code: string
}

export const buyers: readonly [Account, Account] = [
  { username: 'buyer@test.example', password: 'right-password-1', customer_code: 'CUST-HARBOUR' },
  { username: 'other@test.example', password: 'right-password-2', customer_code: 'CUST-LANTERN' },
]

export interface House {
  readonly url: string
  readonly port: number
  readonly gateway: Gateway
  readonly sandbox: SandboxErp
  readonly clock: TestClock
  /** One turn of every sync and of the mirror. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface HouseOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly capabilities?: Partial<Capabilities>
  /** How long after its submit an order is handed over, and shipped; the sandbox ERP's usual times where left out. */
  readonly journey?: { readonly handoverMs: number; readonly shippingMs: number }
  /** How far the ERP's clock is ahead of the gateway's; below zero: behind it. */
  readonly erpAheadMs?: number
  /** Stands between the gateway and the sandbox ERP, for faults. */
  readonly wrapErp?: (erp: Erp) => Erp
  readonly log?: Log
  readonly styles?: number
  /** Leaves the warehouses unread, as at a first start. */
  readonly unfilled?: boolean
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const clock = new TestClock(testStart)
  const { store, drop } = await openTestStore()
  await migrate(store)
  const sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => builtInCatalogue({ seed: 1, styles: options.styles ?? testStyles, today: '2026-11-21' }),
    catalogue_id: 'test',
    clock: { now: () => clock.now() + (options.erpAheadMs ?? 0) },
    ...(options.capabilities ? { capabilities: options.capabilities } : {}),
    ...options.journey,
    accounts: buyers.map((buyer, index) => ({
      ...buyer,
      account_id: `acc_${index + 1}`,
      name: `Buyer ${index + 1}`,
    })),
  })
  const bare = noted(sandbox.erp)
  const erp = options.wrapErp?.(bare) ?? bare
  const log = options.log ?? jsonLog('silent')
  const gateway = await openGateway({
    config: testConfig(options.settings),
    store,
    erp,
    clock,
    log,
  })
  gateway.store.listen(() => void gateway.mirror.stock.follow())

  const settle = async () => {
    await syncStock(gateway)
    await syncReference(gateway)
    await syncDocuments(gateway)
    await gateway.mirror.stock.follow()
    await gateway.mirror.reference.follow()
    await gateway.sessions.follow()
  }
  if (!options.unfilled) await settle()
  const server = createApp(gateway)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    gateway,
    sandbox,
    clock,
    settle,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await store.close()
      sandbox.close()
      await drop()
    },
  }
}

export function testConfig(settings: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    SECRETS_KEY: 'a-key-for-tests-only-0123456789-0123456789',
    ADMIN_TOKEN: adminToken,
    LEGACY_TOKEN_SECRET: legacySecret,
    ...settings,
    ...forcedSettings,
  })
}

/** A store of its own for each test file. */
export async function openTestStore(): Promise<{ store: Store; drop: () => Promise<void> }> {
  const server = testDatabaseUrl()
  if (server === undefined) return { store: openSqlite(':memory:'), drop: async () => {} }
  const name = `tg_test_${randomBytes(6).toString('hex')}`
  const admin = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await admin(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    store: await openPostgres(url.toString(), jsonLog('silent')),
    drop: () => admin(`drop database ${name} with (force)`),
  }
}

/** Where PostgreSQL is, when the suite is to run on it. */
export function testDatabaseUrl(): string | undefined {
  return process.env.TEST_DATABASE_URL || undefined
}

export interface World {
  readonly channel_code: string
  readonly client_id: string
  readonly client_secret: string
  /** A token of the channel grant. */
  readonly token: string
}

let minted = 0

/** Mints a channel of its own with a token of the channel grant. */
export async function world(
  house: House,
  fields: Partial<ChannelFields> & { plan?: Plan } = {},
): Promise<World> {
  minted += 1
  const channel_code = `ch-${minted}`
  const { client_id, client_secret } = await createChannel(house.gateway, channel_code, {
    name: `Channel ${minted}`,
    plan: 'full',
    warehouse_allowlist: [],
    customer_code: null,
    points_per_minute: 1_000_000,
    wholesale_enabled: true,
    dropship_enabled: true,
    webhooks_enabled: true,
    ...fields,
  })
  const answer = await call(house, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } })
  return { channel_code, client_id, client_secret, token: answer.json.access_token }
}

/** A token of the password grant for one of the two buyers; their channels are made at the first call. */
export async function signedIn(
  house: House,
  buyer: Account = buyers[0],
  plan: Plan = 'full',
): Promise<string> {
  const channel_code = `channel-of-${buyer.customer_code}`
  const known = await house.gateway.store.db
    .selectFrom('channels')
    .select('channel_code')
    .where('customer_code', '=', buyer.customer_code)
    .executeTakeFirst()
  if (!known) {
    await createChannel(house.gateway, channel_code, {
      name: channel_code,
      plan,
      warehouse_allowlist: [],
      customer_code: buyer.customer_code,
      points_per_minute: 1_000_000,
      wholesale_enabled: true,
      dropship_enabled: true,
      webhooks_enabled: true,
    })
    await house.settle()
  }
  const { username, password } = buyer
  const body = { grant_type: 'password', username, password }
  const answer = await call(house, 'POST', '/api/v1/auth/token', { body })
  return answer.json.access_token
}

export interface CallInit {
  readonly token?: string
  readonly admin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array
}

/** Parsed JSON, as loosely as a client that trusts nothing reads it. */
export interface Loose {
  // biome-ignore lint/suspicious/noExplicitAny: an HTTP client reads what comes; the harness checks it by schema.
  readonly [key: string]: any
}

export interface Result {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Loose
}

/** One HTTP call. Every response is checked: headers, envelope, result schema, declared failure codes. */
export async function call(house: House, method: string, path: string, init: CallInit = {}): Promise<Result> {
  const headers: Record<string, string> = { ...init.headers }
  if (init.token !== undefined) headers.authorization = `Bearer ${init.token}`
  if (init.admin !== undefined) headers['x-admin-token'] = init.admin
  if (init.body !== undefined) headers['content-type'] ??= 'application/json'
  const body = init.raw ?? (init.body === undefined ? undefined : JSON.stringify(init.body))
  const request: RequestInit = { method, headers, redirect: 'manual' }
  if (body !== undefined) request.body = body
  const response = await fetch(`${house.url}${path}`, request)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const result = {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : {},
  }
  checkResponse(method, path, result)
  return result
}

const router = new Router<Endpoint>()
for (const endpoint of [...catalogue, ...adminCatalogue]) router.add(endpoint, endpoint)

function checkResponse(method: string, path: string, result: Result) {
  const where = `${method} ${path} → ${result.status}`
  const fail = (why: string) => {
    throw new Error(`${where}: ${why}\n${result.text.slice(0, 500)}`)
  }
  if (result.headers.get('x-api-version') !== '1.4.0') fail('X-API-Version is missing')
  const requestId = result.headers.get('x-request-id') ?? ''
  if (!/^[A-Za-z0-9._-]{8,128}$/.test(requestId)) fail('X-Request-Id is missing')
  const endpoint = endpointOf(method, path.split('?')[0] ?? '')
  if (result.status >= 400) {
    const parsed = errorBody.safeParse(result.json)
    if (!parsed.success) return fail(`the error envelope does not fit: ${parsed.error.message}`)
    const { code, request_id } = parsed.data.error
    if (code === 'READ_ONLY_MODE') note('refused', `${method} ${path.split('?')[0]}`)
    if (!isErrorCode(code)) return fail(`${code} is not one of the 28 codes`)
    if (request_id !== requestId) fail('error.request_id differs from X-Request-Id')
    const statuses: readonly number[] =
      code === 'BAD_REQUEST'
        ? [400, 404, 405, 408, 413, 414, 415, 417, 431]
        : code === 'INTERNAL'
          ? [500, 503]
          : [errorTable[code].status]
    if (!statuses.includes(result.status)) fail(`${code} has the wrong status`)
    if (endpoint && code !== 'ENDPOINT_GONE' && !codesOf(endpoint).includes(code))
      fail(`${code} is not declared by ${endpoint.id}`)
    return
  }
  if (!endpoint || result.status === 304 || method === 'HEAD') return
  if (result.headers.get('content-type')?.startsWith('text/csv')) {
    const header = endpoint.csv ? `${columnsOf(endpoint).join(',')}\r\n` : undefined
    if (header === undefined || !result.text.startsWith(header)) fail(`${endpoint.id} has no such CSV`)
    return
  }
  const parsed = endpoint.result.safeParse(result.json)
  if (!parsed.success) fail(`the result does not fit ${endpoint.id}: ${parsed.error.message}`)
}

function endpointOf(method: string, path: string): Endpoint | undefined {
  try {
    return router.match(method, path).route
  } catch {
    return undefined
  }
}
