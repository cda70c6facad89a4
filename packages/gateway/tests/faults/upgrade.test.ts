/**
 * An upgrade from the release before, on the database that it filled, while its processes serve: the new release
 * migrates and serves beside them, takes over, and gives back to a process of the release before, which starts on the
 * migrated database. No request may fail.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../../trials/src/free-ports.ts'
import { load } from '../../src/backup/postgres-tools.ts'
import { buyers } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import {
  findGoods,
  placeReleaseDatabase,
  releaseFiles,
  releaseSettings,
  releaseStyles,
  unpackRelease,
} from '../release/release.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, openErpWithPorts } from './erp-with-ports.ts'
import { type GatewayProcess, readJson, sendRequest, startGateway } from './processes.ts'
import { shouldSkip } from './sizes.ts'

const clients = 4
const pauseMs = 40
const phaseMs = 3_000
const timeoutMs = 600_000
const shipping = { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' }

/** What a load balancer does: it sends each request to the next process in its list. */
class Balancer {
  readonly #targets = new Map<string, number>()
  #next = 0

  add({ url }: GatewayProcess) {
    this.#targets.set(url, 0)
  }

  /** Sends no more to a process, and waits for the end of what it was sent. */
  async remove({ url }: GatewayProcess) {
    const running = this.#targets.get(url) ?? 0
    this.#targets.delete(url)
    if (running > 0) await new Promise((resolve) => setTimeout(resolve, phaseMs))
  }

  async send(method: string, path: string, token: string, body?: object) {
    const urls = [...this.#targets.keys()]
    const url = urls[this.#next++ % urls.length] ?? ''
    this.#targets.set(url, (this.#targets.get(url) ?? 0) + 1)
    try {
      const sent = body ? { token, body } : { token }
      const { status, text, json } = await sendRequest(url, method, path, sent)
      if (status >= 300) throw new Error(`${method} ${path} at ${url}: ${status} ${text}`)
      return json
    } finally {
      if (this.#targets.has(url)) this.#targets.set(url, (this.#targets.get(url) ?? 1) - 1)
    }
  }
}

/** Clients that read, place orders and read them back, and note what fails. */
class Load {
  requests = 0
  orders = 0
  readonly failures: string[] = []
  readonly #ended: Promise<unknown>
  #isOver = false

  constructor(balancer: Balancer, token: string, sku: string) {
    const run = async () => {
      for (let turn = 0; !this.#isOver; turn++) {
        await this.#act(balancer, token, { sku, turn }).catch((error: unknown) =>
          this.failures.push(String(error)),
        )
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
    this.#ended = Promise.all(Array.from({ length: clients }, run))
  }

  async #act(balancer: Balancer, token: string, { sku, turn }: { sku: string; turn: number }) {
    this.requests += 1
    if (turn % 8 !== 7) return balancer.send('GET', '/api/v1/warehouses/AUSYD1/stock?page_size=20', token)
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }], shipping }
    const { data } = await balancer.send('POST', '/api/v1/orders', token, body)
    await balancer.send('POST', `/api/v1/orders/${data.order_id}/submit`, token, {})
    const read = await balancer.send('GET', `/api/v1/orders/${data.order_id}`, token)
    if (read.data.status !== 'confirmed') throw new Error(`${data.order_id} is ${read.data.status}`)
    await balancer.send('DELETE', `/api/v1/orders/${data.order_id}`, token)
    this.requests += 3
    this.orders += 1
  }

  async stop() {
    this.#isOver = true
    await this.#ended
  }
}

const phase = () => new Promise((resolve) => setTimeout(resolve, phaseMs))

describe.skipIf(shouldSkip('an upgrade from the release before', { long: true }))('an upgrade', () => {
  let folder: string
  let release: string
  let erp: ErpWithPorts
  const running = new Set<GatewayProcess>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tg-upgrade-'))
    release = unpackRelease(mkdtempSync(join(folder, 'release-')))
    const accounts = buyers.map((buyer, at) => ({ ...buyer, account_id: `acc_${at}`, name: `Buyer ${at}` }))
    erp = await openErpWithPorts(1, releaseStyles, async () => {}, accounts)
  }, timeoutMs)
  afterAll(async () => {
    for (const gateway of running) await gateway.kill()
    await erp.close()
    rmSync(folder, { recursive: true, force: true })
  }, timeoutMs)

  async function start(settings: Readonly<Record<string, string>>, main?: string): Promise<GatewayProcess> {
    const port = await findFreePort()
    const gateway = await startGateway(
      {
        ...releaseSettings,
        UPSTREAM_URL: erp.urls[0] ?? '',
        UPSTREAM_TOKEN: erp.token,
        RATE_LIMIT_POINTS: '1000000000',
        TOKEN_TTL_SECONDS: '86400',
        DATA_DIR: mkdtempSync(join(folder, 'data-')),
        PORT: String(port),
        ...settings,
      },
      [],
      main,
    )
    running.add(gateway)
    return gateway
  }

  async function stop(gateway: GatewayProcess): Promise<void> {
    await gateway.stop()
    running.delete(gateway)
  }

  async function signIn({ url }: GatewayProcess): Promise<string> {
    const [{ username, password }] = buyers
    const body = { grant_type: 'password', username, password }
    const { access_token } = await readJson(sendRequest(url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  it.skipIf(shouldSkip('an upgrade on PostgreSQL', { postgres: true }))(
    'fails no request while both releases serve, and lets the release before start again',
    async () => {
      const database: Database = await createFreshDatabase()
      try {
        await load({ url: database.url, environment: process.env }, releaseFiles.postgres)
        const settings = { DATABASE_URL: database.url }
        const before = await start(settings, release)
        const token = await signIn(before)
        const balancer = new Balancer()
        balancer.add(before)
        const clients = new Load(balancer, token, await findGoods(before.url, token))
        await phase()
        const after = await start(settings)
        balancer.add(after)
        await phase()
        await balancer.remove(before)
        await stop(before)
        await phase()
        const again = await start(settings, release)
        balancer.add(again)
        await phase()
        await balancer.remove(after)
        await stop(after)
        await phase()
        await clients.stop()
        expect(clients.failures.slice(0, 3)).toEqual([])
        expect(clients.orders).toBeGreaterThan(0)
        const { data } = await readJson(
          sendRequest(again.url, 'GET', '/api/v1/orders?client_order_number=W-1', { token }),
        )
        expect(data).toMatchObject([{ client_order_number: 'W-1', status: 'confirmed' }])
        await stop(again)
        reportFigure(
          ['I44'],
          `upgrade and return: ${clients.requests} requests, ${clients.orders} orders; 0 failures`,
        )
      } finally {
        for (const gateway of running) await gateway.kill()
        await database.drop()
      }
    },
    timeoutMs,
  )

  it(
    'serves the embedded database of the release before, which then opens it again',
    async () => {
      const DATA_DIR = mkdtempSync(join(folder, 'data-'))
      placeReleaseDatabase(DATA_DIR)
      for (const main of [undefined, release]) {
        const gateway = await start({ DATA_DIR }, main)
        const token = await signIn(gateway)
        const { data } = await readJson(
          sendRequest(gateway.url, 'GET', '/api/v1/orders?client_order_number=W-1', { token }),
        )
        expect(data).toMatchObject([{ client_order_number: 'W-1', status: 'confirmed' }])
        await stop(gateway)
      }
    },
    timeoutMs,
  )
})
