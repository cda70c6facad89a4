/**
 * Starts a whole gateway that serves real HTTP, with a real store and the real sandbox ERP. Only time is simulated.
 * Runs on SQLite in `npm test`, and on PostgreSQL if TEST_DATABASE_URL specifies a server.
 */

import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { leastHashCost, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { openFilledErp } from '@trade-gateway/sandbox-erp/filled'
import pg from 'pg'
import { type ChannelFields, createChannel } from '../src/access/channels.ts'
import { adminCatalogue, catalogue } from '../src/catalogue.ts'
import { openGateway } from '../src/compose.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Plan } from '../src/contract/call.ts'
import { listColumns } from '../src/contract/csv.ts'
import { errorTable, isErrorCode } from '../src/contract/error-table.ts'
import { errorBody } from '../src/contract/fields.ts'
import { apiVersion } from '../src/contract/version.ts'
import { syncDocuments } from '../src/documents/sync.ts'
import type { Endpoint } from '../src/endpoint.ts'
import type { Gateway } from '../src/gateway.ts'
import { createApp } from '../src/http/app.ts'
import type { Clock } from '../src/kernel/clock.ts'
import type { Ids } from '../src/kernel/ids.ts'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import type { Spans } from '../src/kernel/spans.ts'
import { Router } from '../src/pipeline/router.ts'
import { listErrorCodes } from '../src/projections/openapi.ts'
import {
  buildFailureHeaders,
  buildNotModifiedHeaders,
  buildSuccessHeaders,
} from '../src/projections/response-headers.ts'
import { syncReference } from '../src/reference/sync.ts'
import { migrate } from '../src/store/migrate.ts'
import { withoutPatience } from '../src/store/patience.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { createWatchedLog, findPlanted, plantCanaries } from './canaries.ts'
import { appendLine, forcedSettings, recordOperations } from './read-only-run.ts'
import { syncStock } from './sync-stock.ts'

export class TestClock implements Clock {
  #now: number
  #monotonic = 0
  #suspendedMs = 0

  constructor(start: number) {
    this.#now = start
  }

  now() {
    return this.#now
  }

  monotonic() {
    return this.#monotonic
  }

  machine() {
    return this.#now + this.#suspendedMs
  }

  advance(ms: number) {
    this.#now += ms
    this.#monotonic += ms
  }

  /** As if the machine, whose gateway takes the time of a database, was suspended: until it asks again, it has lost this time. */
  suspend(ms: number) {
    this.#suspendedMs += ms
  }

  set(epochMs: number) {
    this.#now = epochMs
  }
}

/**
 * The time at which the test clock starts, nine days before legacy tokens expire, so that no test depends on the
 * current date.
 */
export const testStart = Date.UTC(2026, 10, 21, 12, 0, 0)
const testStyles = 30
export const adminToken = 'an-admin-token-for-tests-only-0123456789'
export const legacySecret = 'a-legacy-secret-for-tests-only-0123456789'
/** 32 random bytes, as `openssl rand -hex 32` prints them. A passphrase would make every start slow. */
export const testSecretsKey = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
plantCanaries(adminToken, legacySecret, testSecretsKey)

export interface Account {
  readonly username: string
  readonly password: string
  readonly customer_code: string
}

export const buyers: readonly [Account, Account] = [
  { username: 'buyer@test.example', password: 'right-password-1', customer_code: 'CUST-HARBOUR' },
  { username: 'other@test.example', password: 'right-password-2', customer_code: 'CUST-LANTERN' },
]

export interface TestGateway {
  readonly url: string
  readonly port: number
  readonly gateway: Gateway
  readonly sandbox: SandboxErp
  readonly clock: TestClock
  /** Runs every sync once and updates the data that the gateway keeps in memory. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface TestGatewayOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly capabilities?: Partial<Capabilities>
  /** How long after its submit an order is handed over and shipped. The default is that of the sandbox ERP. */
  readonly journey?: { readonly handoverMs: number; readonly shippingMs: number }
  /** How far the ERP's clock is ahead of the gateway's. Negative if it is behind. */
  readonly erpAheadMs?: number
  /** Wraps the sandbox ERP, to inject faults. */
  readonly wrapErp?: (erp: Erp) => Erp
  readonly log?: Log
  /** The source of randomness, for runs that must be equal to each other. */
  readonly ids?: Ids
  readonly styles?: number
  /** The accounts of the ERP, if they are not the two buyers. */
  readonly accounts?: readonly Account[]
  /** Records spans. */
  readonly spans?: Spans
  /** Whether to start without reading the stock of any warehouse, as at a first start. */
  readonly unfilled?: boolean
  /** Whether to use the embedded store even if TEST_DATABASE_URL specifies a server. */
  readonly isEmbedded?: boolean
  /** The file of an embedded store; without it, the store is in memory. */
  readonly databaseFile?: string
  /** The id of the installation, so that gateways on different stores share counts in `VALKEY_URL`. */
  readonly installation?: string
  /** How long to wait for the server of `VALKEY_URL`, for tests of exact counts on a busy machine. */
  readonly valkeyWaitMs?: number
}

export async function openTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = new TestClock(testStart)
  const watched = createWatchedLog()
  const log = options.log ?? watched.log
  const { store, drop } = await openTestStore(log, options.isEmbedded, options.databaseFile)
  await migrate(store)
  const { installation } = options
  if (installation !== undefined)
    await store.db.insertInto('installation').values({ key: 'id', value: installation }).execute()
  const { styles = testStyles, erpAheadMs = 0, accounts = buyers } = options
  const sandbox = await openFilledErp(JSON.stringify([styles, erpAheadMs, accounts]), {
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles, today: '2026-11-21' }),
    catalogue_id: 'test',
    clock: { now: () => clock.now() + erpAheadMs },
    ...(options.capabilities ? { capabilities: options.capabilities } : {}),
    ...options.journey,
    hashCost: leastHashCost,
    accounts: accounts.map((buyer, index) => ({
      ...buyer,
      account_id: `acc_${index + 1}`,
      name: `Buyer ${index + 1}`,
    })),
  })
  const bare = recordOperations(sandbox.erp)
  const erp = options.wrapErp?.(bare) ?? bare
  const gateway = await openGateway({
    config: createTestConfig(options.settings),
    store,
    erp,
    clock,
    log,
    ...(options.ids ? { ids: options.ids } : {}),
    ...(options.spans ? { spans: options.spans } : {}),
    ...(options.valkeyWaitMs === undefined ? {} : { valkey: { waitMs: options.valkeyWaitMs } }),
  })
  const stopFollowing = followStock(gateway)
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
      const leaks = await listOtherLeaks(gateway)
      await stopFollowing()
      gateway.valkey?.close()
      await store.close()
      sandbox.close()
      await drop()
      leaks.push(...watched.listLeaks().map((line) => `log: ${line}`))
      if (leaks.length > 0)
        throw new Error(`Something was written that must not be:\n${leaks.slice(0, 3).join('\n')}`)
    },
  }
}

/**
 * Follows the stock whenever the store announces a change. The returned function ends this after the running turn,
 * which would otherwise query a store that is closed.
 */
function followStock({ store, mirror }: Gateway): () => Promise<void> {
  let isStopped = false
  let turn = Promise.resolve()
  store.listen(() => {
    // As a worker follows: not within the time of the request whose change is announced.
    if (!isStopped) turn = withoutPatience(() => mirror.stock.follow())
  })
  return async () => {
    isStopped = true
    await turn
  }
}

/** Lists what the metrics and the audit log have of planted values. */
async function listOtherLeaks({ store, memory }: Gateway): Promise<string[]> {
  const metrics = (await memory.metrics.registry.metrics()).split('\n').map((line) => `metrics: ${line}`)
  const rows = await store.db
    .selectFrom('admin_audit')
    .selectAll()
    .execute()
    // Some tests leave the database broken or closed.
    .catch(() => [])
  const audited = rows.map((row) => `audit log: ${JSON.stringify(row)}`)
  return [...metrics, ...audited].filter((line) => findPlanted(line) !== undefined)
}

export function createTestConfig(settings: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    SECRETS_KEY: testSecretsKey,
    ADMIN_TOKEN: adminToken,
    LEGACY_TOKEN_SECRET: legacySecret,
    ...settings,
    ...forcedSettings,
  })
}

/** Opens a separate store for one test file. On PostgreSQL, `url` is the address of its database. */
export async function openTestStore(
  log = jsonLog('silent'),
  isEmbedded = false,
  file?: string,
): Promise<{ store: Store; url?: string; drop: () => Promise<void> }> {
  const server = isEmbedded || file !== undefined ? undefined : readTestDatabaseUrl()
  if (server === undefined) return { store: openSqlite(file ?? ':memory:', log), drop: async () => {} }
  const name = `tg_test_${randomBytes(6).toString('hex')}`
  const runAsAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await runAsAdmin(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    store: await openPostgres(url.href, log),
    url: url.href,
    drop: () => runAsAdmin(`drop database ${name} with (force)`),
  }
}

/** Returns the URL of the PostgreSQL server to test on, if one is configured. */
export function readTestDatabaseUrl(): string | undefined {
  return process.env.TEST_DATABASE_URL || undefined
}

export interface World {
  readonly channel_code: string
  readonly client_id: string
  readonly client_secret: string
  /** A token that was requested with the channel's client id and secret (the channel grant). */
  readonly token: string
}

let minted = 0

/** Creates a channel and requests a token with its client id and secret. */
export async function createWorld(
  house: TestGateway,
  fields: Partial<ChannelFields> & { plan?: Plan } = {},
): Promise<World> {
  minted += 1
  const channel_code = `ch-${minted}`
  const { client_id, client_secret } = await createChannel(house, channel_code, {
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
  plantCanaries(client_secret, answer.json.access_token)
  return { channel_code, client_id, client_secret, token: answer.json.access_token }
}

/** Requests a token with the password of one of the two buyers. The first call creates their channels. */
export async function signInBuyer(
  house: TestGateway,
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
    await createChannel(house, channel_code, {
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
  plantCanaries(password, answer.json.access_token)
  return answer.json.access_token
}

export interface CallInit {
  readonly token?: string
  readonly admin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The raw body, which is sent instead of `body`. */
  readonly raw?: string | Uint8Array
}

/** Parsed JSON without a type, as read by a client that trusts nothing. */
export interface LooseJson {
  // biome-ignore lint/suspicious/noExplicitAny: an HTTP client reads what comes; the harness checks it by schema.
  readonly [key: string]: any
}

export interface CallResult {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: LooseJson
}

/**
 * Sends one HTTP call. Checks every response: its headers, its envelope, the schema of its result, and that a failure's
 * code is declared.
 */
export async function call(
  house: TestGateway,
  method: string,
  path: string,
  init: CallInit = {},
): Promise<CallResult> {
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

function checkResponse(method: string, path: string, result: CallResult) {
  const where = `${method} ${path} → ${result.status}`
  const fail = (why: string) => {
    throw new Error(`${where}: ${why}\n${result.text.slice(0, 500)}`)
  }
  if (result.headers.get('x-api-version') !== apiVersion) fail('X-API-Version is missing')
  const requestId = result.headers.get('x-request-id') ?? ''
  if (!/^[A-Za-z0-9._-]{8,128}$/.test(requestId)) fail('X-Request-Id is missing')
  const endpoint = findEndpoint(method, path.split('?')[0] ?? '')
  // The recipient is shown on the order alone.
  if (endpoint?.access === 'admin' && endpoint.id !== 'admin.orders.read') {
    const found = findPlanted(result.text)
    if (found !== undefined) fail(`the operator sees ${found}`)
  }
  const wrongHeader = endpoint && findWrongHeader(endpoint, result)
  if (wrongHeader !== undefined) fail(wrongHeader)
  if (result.status >= 400) {
    const parsed = errorBody.safeParse(result.json)
    if (!parsed.success) return fail(`the error envelope does not fit: ${parsed.error.message}`)
    const { code, request_id } = parsed.data.error
    if (code === 'READ_ONLY_MODE') appendLine('refused', `${method} ${path.split('?')[0]}`)
    if (!isErrorCode(code)) return fail(`${code} is not one of the 28 codes`)
    if (request_id !== requestId) fail('error.request_id differs from X-Request-Id')
    const statuses: readonly number[] =
      code === 'BAD_REQUEST'
        ? [400, 404, 405, 408, 413, 414, 415, 417, 431]
        : code === 'INTERNAL'
          ? [500, 503]
          : [errorTable[code].status]
    if (!statuses.includes(result.status)) fail(`${code} has the wrong status`)
    if (endpoint && code !== 'ENDPOINT_GONE' && !listErrorCodes(endpoint).includes(code))
      fail(`${code} is not declared by ${endpoint.id}`)
    return
  }
  if (!endpoint || result.status === 304 || method === 'HEAD') return
  if (endpoint.streamed) {
    const type = result.headers.get('content-type')?.split(';')[0] ?? ''
    if (!endpoint.streamed.includes(type)) fail(`${endpoint.id} does not stream ${type}`)
    return
  }
  if (result.headers.get('content-type')?.startsWith('text/csv')) {
    const header = endpoint.csv ? `${listColumns(endpoint).join(',')}\r\n` : undefined
    if (header === undefined || !result.text.startsWith(header)) fail(`${endpoint.id} has no such CSV`)
    return
  }
  const parsed = endpoint.result.safeParse(result.json)
  if (!parsed.success) fail(`the result does not fit ${endpoint.id}: ${parsed.error.message}`)
}

/** Finds a header that is not as the OpenAPI document says; undefined if all are. */
function findWrongHeader(endpoint: Endpoint, { status, headers }: CallResult): string | undefined {
  const { shape } =
    status >= 400
      ? buildFailureHeaders(endpoint, status)
      : status === 304
        ? buildNotModifiedHeaders(endpoint)
        : buildSuccessHeaders(endpoint, true)
  for (const [name, schema] of Object.entries(shape)) {
    const value = headers.get(name) ?? undefined
    const isFit =
      schema.safeParse(value).success || (value !== undefined && schema.safeParse(Number(value)).success)
    if (!isFit) return `${name}: ${value} does not fit the documented headers of ${endpoint.id}`
  }
  return undefined
}

function findEndpoint(method: string, path: string): Endpoint | undefined {
  try {
    return router.match(method, path).route
  } catch {
    return undefined
  }
}
