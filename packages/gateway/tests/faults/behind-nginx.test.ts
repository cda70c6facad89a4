/**
 * Four gateway processes behind nginx, on one PostgreSQL and one Redis server, in front of one ERP. Clients call nginx,
 * which sends each request to any of them. What the processes share must be as exact as with one process.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePorts } from '../../../trials/src/free-ports.ts'
import { type Nginx, startNginx } from '../../../trials/src/nginx.ts'
import { Buyer } from '../../../trials/src/order-replay/buyer.ts'
import { placeOrder } from '../../../trials/src/order-replay/place-order.ts'
import { readShipping } from '../../../trials/src/order-replay/replay-system.ts'
import { type RedisServer, startRedis } from '../../../trials/src/redis-server.ts'
import { Follower } from '../follower.ts'
import { adminToken, buyers, type CallResult, type LooseJson } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { createChannel, requestToken } from './channels.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, Movements, openErpWithPorts } from './erp-with-ports.ts'
import { type GatewayProcess, readJson, sendRequest, startGateway, waitUntil } from './processes.ts'
import { shouldSkip, sizes } from './sizes.ts'

const processes = 4
const styles = 20
const trialTimeoutMs = 1_800_000
const sku = 'SBX-SHORT-3'
const warehouse = 'AUSYD1'
const [{ username, password, customer_code }] = buyers

/** The channels whose points are counted, and how many calls are in progress at a time. */
const [channels, atOnce] = [50, 24] as const
/** The lowest limit that a channel may have. Each channel asks for twice its limit. */
const minPoints = 60
/** Points come back after a minute. The calls of a channel must end before. */
const windowMs = 55_000
/** The maximum time for which another process may serve a channel that lost its permission, as promised. */
const [permissionMs, slackMs] = [1_000, 1_000] as const
const permissionTrials = 4
const failuresOfName = 5
const failuresOfAddress = 100
const orders = 40
const receivers = 2
const deliveryMs = 60_000
const feedPages = 60

const needs = { postgres: true, long: true, nginx: true, redis: true } as const

describe.skipIf(shouldSkip('four processes behind nginx', needs))('four processes behind nginx', () => {
  let database: Database
  let redis: RedisServer
  let erp: ErpWithPorts
  let nginx: Nginx
  let folder: string
  const gateways: GatewayProcess[] = []

  beforeAll(async () => {
    const accounts = buyers.map((buyer, at) => ({ ...buyer, account_id: `acc_${at}`, name: `Buyer ${at}` }))
    database = await createFreshDatabase()
    redis = await startRedis()
    erp = await openErpWithPorts(1, styles, async () => {}, accounts)
    erp.sandbox.store.run('update stock set on_hand = 100000 where sku = ?', sku)
    folder = mkdtempSync(join(tmpdir(), 'tg-nginx-'))
    for (const port of await findFreePorts(processes)) gateways.push(await startProcess(port))
    const urls = gateways.map(({ url }) => url)
    nginx = await startNginx(join(folder, 'nginx'), urls)
    await createChannel(nginx.url, 'buyer', { warehouse_allowlist: [], customer_code })
  }, trialTimeoutMs)

  afterAll(async () => {
    await nginx?.process.stop()
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await erp?.close()
    await redis?.process.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }, trialTimeoutMs)

  function startProcess(port: number): Promise<GatewayProcess> {
    return startGateway({
      DATA_DIR: mkdtempSync(join(folder, 'data-')),
      PORT: String(port),
      DATABASE_URL: database.url,
      VALKEY_URL: redis.url,
      UPSTREAM_URL: erp.urls[0] ?? '',
      UPSTREAM_TOKEN: erp.token,
      SYNC_INTERVAL_MS: '100',
      SECRETS_KEY: 'the-same-key-in-every-process-0123456789',
      ADMIN_TOKEN: adminToken,
      TRUST_PROXY: '127.0.0.1',
      WEBHOOK_ALLOW_PRIVATE_NETS: '1',
    })
  }

  const readAt = (url: string, path: string, token: string) => sendRequest(url, 'GET', path, { token })
  const readUrl = (index: number) => gateways[index % processes]?.url ?? ''

  const openBuyer = () =>
    new Buyer({
      base_urls: [nginx.url],
      username,
      password,
      patience: { usual_ms: trialTimeoutMs, in_doubt_ms: trialTimeoutMs },
      signal: AbortSignal.timeout(trialTimeoutMs),
      onResponse: () => {},
    })

  /** Returns the sum of a metric over all its labels, for each process. */
  async function readMetric(name: string): Promise<number[]> {
    const samples = new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')
    const texts = await Promise.all(
      gateways.map(async ({ url }) => {
        const response = await fetch(`${url}/metrics`, { headers: { 'x-admin-token': adminToken } })
        return response.text()
      }),
    )
    return texts.map((text) => [...text.matchAll(samples)].reduce((sum, [, value]) => sum + Number(value), 0))
  }

  /** Counts the decisions that processes made alone, because the server did not respond in time. */
  async function countOwnDecisions(): Promise<number> {
    const counts = await readMetric('tgw_shared_count_fallback_total')
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Spends a channel's points with `calls` calls of one point each. Returns how many were granted. */
  async function spend(token: string, calls: number): Promise<number> {
    const path = `/api/v1/warehouses/${warehouse}/stock?sku=${sku}`
    let [sent, granted] = [0, 0]
    const spendUntilDone = async () => {
      while (sent < calls) {
        sent += 1
        const { status, json } = await readAt(nginx.url, path, token)
        if (status === 200) granted += 1
        // A process with too much load refuses a call before it counts it.
        else if (status === 503 && json.error.reason === 'overloaded') sent -= 1
        else expect([status, json.error.code]).toEqual([429, 'RATE_LIMITED'])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, spendUntilDone))
    return granted
  }

  it(
    'grant each channel exactly its limit',
    async () => {
      const limit = Math.max(minPoints, Math.ceil(sizes.calls / channels / 2))
      const calls = limit * 2
      let [exact, alone] = [0, 0]
      for (let number = 0; number < channels; number++) {
        const channel = await createChannel(nginx.url, `points-${number}`, { points_per_minute: limit })
        const token = await requestToken(nginx.url, channel)
        const [before, began] = [await countOwnDecisions(), performance.now()]
        const granted = await spend(token, calls)
        if (performance.now() - began > windowMs)
          throw new Error('The machine is too slow to spend the points.')
        // While the server does not respond in time, a process decides by its share, and says so.
        if ((await countOwnDecisions()) > before) alone += 1
        else {
          expect(granted, `channel ${number}`).toBe(limit)
          exact += 1
        }
      }
      reportFigure(
        ['I32'],
        `over HTTP, through nginx: ${exact} channels got exactly ${limit} points of ${calls} calls each; ` +
          `${alone} more while a process decided by its share`,
      )
      expect(exact).toBeGreaterThan(0)
      // Behind a proxy that used only some of them, this would prove less.
      const served = await readMetric('http_server_request_duration_seconds_count')
      expect(Math.min(...served)).toBeGreaterThan(channels)
    },
    trialTimeoutMs,
  )

  it(
    'refuse a permission that was withdrawn, within a second everywhere',
    async () => {
      let slowest = 0
      for (let trial = 0; trial < permissionTrials; trial++) {
        const code = `permission-${trial}`
        const channel = await createChannel(readUrl(trial), code)
        const token = await requestToken(nginx.url, channel)
        const readCode = async (url: string) =>
          (await readAt(url, `/api/v1/warehouses/${warehouse}/stock?sku=${sku}`, token)).json.error?.code
        for (const { url } of gateways) expect(await readCode(url)).toBeUndefined()
        const body = { warehouse_allowlist: ['AUSYD2'] }
        const change = { admin: adminToken, body }
        await readJson(sendRequest(readUrl(trial), 'PATCH', `/admin/api/channels/${code}`, change))
        const began = performance.now()
        for (const { url } of [...gateways, nginx])
          await waitUntil(
            async () => (await readCode(url)) === 'WAREHOUSE_DENIED',
            permissionMs + slackMs,
            `The change was not seen at ${url}`,
          )
        slowest = Math.max(slowest, performance.now() - began)
      }
      reportFigure(
        ['I27'],
        `through nginx: ${permissionTrials} changes, the slowest seen after ${Math.round(slowest)} ms`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'lock a name and an address for all of them',
    async () => {
      const signIn = (url: string, body: object) => sendRequest(url, 'POST', '/api/v1/auth/token', { body })
      const [, other] = buyers
      for (let failure = 0; failure < failuresOfName; failure++)
        await signIn(nginx.url, { grant_type: 'password', username: other.username, password: 'wrong' })
      for (const { url } of gateways) {
        const { json } = await signIn(url, { grant_type: 'password', ...other })
        expect(json.error.code).toBe('AUTH_LOCKED')
      }
      // nginx writes the address of its client, so that these come from a client of the processes themselves.
      const address = '203.0.113.77'
      const guess = async (number: number) => {
        const response = await fetch(`${readUrl(number)}/api/v1/auth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
          body: JSON.stringify({ client_id: `guess-${number}`, client_secret: 'wrong' }),
        })
        const json: LooseJson = Object(await response.json())
        return json.error.code
      }
      const codes = []
      for (let number = 0; number < failuresOfAddress + processes; number++) codes.push(await guess(number))
      expect(codes.slice(0, failuresOfAddress)).toEqual(
        codes.slice(0, failuresOfAddress).fill('AUTH_BAD_CREDENTIALS'),
      )
      expect(codes.slice(failuresOfAddress)).toEqual(Array(processes).fill('AUTH_LOCKED'))
    },
    trialTimeoutMs,
  )

  it(
    'give a client that follows the feed cursors that only go forward',
    async () => {
      const channel = await createChannel(nginx.url, 'follower')
      const token = await requestToken(nginx.url, channel)
      const movements = new Movements(erp.sandbox)
      const get = async (path: string): Promise<CallResult> => {
        const result = await readAt(nginx.url, path, token)
        if (result.status !== 200 || result.json.needs_full_sync)
          throw new Error(`${path} was answered ${result.status}: ${result.text.slice(0, 500)}`)
        return result
      }
      const follower = new Follower(get, warehouse)
      await follower.start(50)
      for (let page = 0; page < feedPages; page++) {
        movements.move()
        await follower.readPage()
      }
      await waitUntil(async () => {
        await follower.catchUp()
        const fresh = await get(`/api/v1/warehouses/${warehouse}/stock`)
        return (
          fresh.json.version === follower.cursor &&
          fresh.json.data.length === movements.countLiveRows(warehouse)
        )
      }, deliveryMs)
      expect(follower.proof?.checksum).toBe(follower.computeChecksum())
    },
    trialTimeoutMs,
  )

  /** Opens an HTTP server that counts the copies of each event. */
  async function openReceiver(): Promise<{ url: string; copies: Map<string, number>; server: Server }> {
    const copies = new Map<string, number>()
    const server = createServer(async (request, response) => {
      const event: LooseJson = JSON.parse((await buffer(request)).toString())
      const order = event.data.client_order_number
      copies.set(order, (copies.get(order) ?? 0) + 1)
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port }: AddressInfo = Object(server.address())
    return { url: `http://127.0.0.1:${port}/`, copies, server }
  }

  it(
    'send each event once to each receiver',
    async () => {
      const buyer = openBuyer()
      const shipping = await readShipping(buyer)
      const opened = await Promise.all(Array.from({ length: receivers }, openReceiver))
      for (const { url } of opened) {
        const body = { url, event_types: ['order.created'] }
        const path = '/api/v1/webhook-endpoints'
        expect(await buyer.write({ method: 'POST', path, key: url, body })).toMatchObject({ kind: 'done' })
      }
      const placed = await Promise.all(
        Array.from({ length: orders }, (_, number) => {
          const order = {
            client_order_number: `NGINX-${number}`,
            customer_id: null,
            goods: new Map([[sku, 1]]),
          }
          return placeOrder(buyer, order, shipping)
        }),
      )
      expect(placed.filter(({ outcome }) => outcome !== 'confirmed')).toEqual([])
      const listPending = async () =>
        Object(await buyer.read('/api/v1/webhook-deliveries?status=pending')).data as unknown[]
      await waitUntil(
        async () =>
          opened.every(({ copies }) => copies.size === orders) && (await listPending()).length === 0,
        deliveryMs,
        'Events did not arrive',
      )
      for (const { copies, server } of opened) {
        expect([...copies.values()]).toEqual(Array(orders).fill(1))
        server.closeAllConnections()
        server.close()
      }
    },
    trialTimeoutMs,
  )

  it(
    'page a statement without a gap or a repeat',
    async () => {
      const buyer = openBuyer()
      const today = new Date().toISOString().slice(0, 10)
      const everything = `/api/v1/transactions?start_date=${addDays(today, -300)}&end_date=${addDays(today, 60)}`
      const whole: LooseJson = Object(await buyer.read(`${everything}&page_size=200`))
      const ids: string[] = []
      let path = `${everything}&page_size=7&as_of=${whole.as_of}`
      for (let page = 0; path !== ''; page++) {
        const { data, next_cursor }: LooseJson = Object(await buyer.read(path))
        for (const { transaction_id } of data) ids.push(transaction_id)
        path = next_cursor === null ? '' : `${everything}&page_size=7&cursor=${next_cursor}`
        // New bookings must not move the pages.
        if (page % 3 === 0)
          await placeOrder(
            buyer,
            { client_order_number: `PAGE-${page}`, customer_id: null, goods: new Map([[sku, 1]]) },
            await readShipping(buyer),
          )
      }
      expect(whole.data.length).toBeGreaterThan(20)
      expect(ids.slice(0, 200)).toEqual(whole.data.map((row: LooseJson) => row.transaction_id))
      expect(new Set(ids).size).toBe(ids.length)
    },
    trialTimeoutMs,
  )
})

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 24 * 60 * 60_000).toISOString().slice(0, 10)
}
