/**
 * The database stops responding at each point of a request in turn: with the n-th packet that the request sends to it,
 * or with the reply to that packet, for every n. What was held back arrives later, as from a database that was paused.
 * Each response comes while a client still waits, nothing reaches the ERP without a committed intent, and a retry with
 * the same key gives exactly one result.
 */

import type { Erp } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../../src/kernel/log.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import type { Store } from '../../src/store/store.ts'
import { settleAll } from '../../src/writes/settle.ts'
import { writes } from '../../src/writes.ts'
import {
  buyers,
  type CallResult,
  call,
  type LooseJson,
  openTestGateway,
  readTestDatabaseUrl,
  type TestGateway,
} from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { openStallingProxy, type StallingProxy, type StallPoint } from '../stalling-proxy.ts'
import {
  buildDropship,
  createDraft,
  expectData,
  listErpDocuments,
  openSecondGateway,
  openShop,
} from '../trade.ts'
import { waitUntil } from './processes.ts'
import { shouldSkip, sizes } from './sizes.ts'

/** A guard against a request that hangs. The contract's limit is 2 s of waiting for the database. */
const hangMs = 10_000
const recoveryMs = 15_000
/** More packets than any request sends. */
const maxPackets = 40
const maxRetries = 8

/** A request, and how to see what it did. */
interface Trial {
  send(): Promise<CallResult>
  /** The references that the request may write to the ERP, by the client's order number. */
  readonly orderNumber?: string
  /** Checks that the request took effect exactly once. */
  check?(): Promise<void> | void
}

interface Ending {
  readonly response: CallResult
  readonly ms: number
  readonly isReached: boolean
}

const refusals = ['INTERNAL', 'AUTHZ_UNAVAILABLE', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT']

describe.skipIf(shouldSkip('a PostgreSQL that stalls at every packet', { postgres: true }))(
  'a database that stalls at any point of a request',
  () => {
    let house: TestGateway
    let beside: TestGateway
    let store: Store
    let proxy: StallingProxy
    let sku: string
    let keys = 0
    /** The writes that reached the ERP without a stored intent. */
    const early: string[] = []

    beforeAll(async () => {
      house = await openTestGateway({ styles: 30, settings: { RATE_LIMIT_POINTS: '1000000' } })
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
        house.gateway.store.db,
      )
      const url = new URL(readTestDatabaseUrl() ?? '')
      url.pathname = `/${rows[0]?.name}`
      proxy = await openStallingProxy(url)
      store = await openPostgres(proxy.url, jsonLog('silent'))
      sku = await openShop(house).createSku({ AUSYD1: 5_000 })
      beside = await openSecondGateway(
        { ...house, gateway: { ...house.gateway, store } },
        { RATE_LIMIT_POINTS: '1000000' },
        watchIntents(house.sandbox.erp),
      )
    })
    afterAll(async () => {
      await beside.close()
      await store.close()
      await proxy.close()
      await house.close()
    })

    /** Wraps the ERP: each write must have its intent in the database when it arrives. */
    function watchIntents(erp: Erp): Erp {
      const submit: Erp['submit'] = async (input, options) => {
        const row = await house.gateway.store.db
          .selectFrom('intents')
          .select('reference')
          .where('reference', '=', input.reference)
          .executeTakeFirst()
        if (!row) early.push(`submit ${input.reference}`)
        return erp.submit(input, options)
      }
      return { ...erp, submit }
    }

    const createKey = () => {
      keys += 1
      return { 'idempotency-key': `stall-${keys}` }
    }

    async function withStall(trial: Trial, packet: number, point: StallPoint): Promise<Ending> {
      const stall = proxy.stallAt(packet, point)
      const began = performance.now()
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(new Error(`packet ${packet}, ${point}: it hangs`)), hangMs)
      try {
        const response = await Promise.race([trial.send(), late])
        return { response, ms: performance.now() - began, isReached: stall.isReached }
      } finally {
        clearTimeout(timer)
        stall.resume()
      }
    }

    async function requireRecovery(trial: Trial, { response }: Ending, where: string) {
      await waitUntil(async () => (await call(beside, 'GET', '/readyz')).status === 200, recoveryMs)
      let again = await trial.send()
      // It did nothing, and its key is free.
      if (response.json.error?.reason === 'storage_unavailable') expect(again.status, where).toBeLessThan(300)
      for (let turn = 0; turn < maxRetries && again.status >= 400; turn++) {
        house.clock.advance(30_000)
        await settleAll(house.gateway, writes)
        again = await trial.send()
      }
      expect(again.status, `${where}: ${again.text}`).toBeLessThan(300)
      if (trial.orderNumber !== undefined)
        expect(listErpDocuments(house, trial.orderNumber), where).toHaveLength(1)
      await trial.check?.()
    }

    /** Stalls at each packet of the request in turn, until a request ends before the stall. */
    async function stallEverywhere(name: string, prepare: () => Promise<Trial>) {
      let longestMs = 0
      let stalls = 0
      for (const point of ['statement', 'reply'] as const) {
        for (let packet = 1; packet <= maxPackets; packet++) {
          const trial = await prepare()
          const ending = await withStall(trial, packet, point)
          if (!ending.isReached) {
            expect(ending.response.status, ending.response.text).toBeLessThan(300)
            break
          }
          stalls += 1
          longestMs = Math.max(longestMs, ending.ms)
          const where = `${name}, ${point} ${packet}, ${ending.response.text.slice(0, 200)}`
          if (ending.response.status >= 300) {
            expect(refusals, where).toContain(ending.response.json.error.code)
            expect(ending.response.json.error.retryable, where).toBe(true)
          }
          if (ending.response.json.error?.reason === 'storage_unavailable' && trial.orderNumber !== undefined)
            expect(listErpDocuments(house, trial.orderNumber), where).toEqual([])
          await requireRecovery(trial, ending, where)
          packet += sizes.stallEvery - 1
        }
      }
      expect(stalls).toBeGreaterThan(1)
      expect(early).toEqual([])
      reportFigure(
        ['FM1'],
        `${name}: ${stalls} stalls, the longest response after ${Math.round(longestMs)} ms`,
      )
    }

    async function openKnownShop() {
      const shop = openShop(beside)
      expectData(await shop.get('/me'))
      return shop
    }

    const buildOrder = (): LooseJson => {
      const order = buildDropship(sku, { quantity: 1 })
      return { ...order, recipient: { ...order.recipient, name: `Alex ${order.client_order_number}` } }
    }

    it('submits an order once', async () => {
      const shop = await openKnownShop()
      await stallEverywhere('submit', async () => {
        const order = buildOrder()
        const key = createKey()
        return {
          send: () => shop.post('/dropship-orders/submit', order, key),
          orderNumber: order.client_order_number,
        }
      })
    }, 600_000)

    it('previews', async () => {
      const shop = await openKnownShop()
      await stallEverywhere('preview', async () => {
        const order = buildOrder()
        const key = createKey()
        let id: string | undefined
        return {
          async send() {
            const response = await shop.post('/dropship-orders/allocation-preview', order, key)
            id = response.json?.data?.dropship_order_id ?? id
            return response
          },
          // A channel may have 50 live previews.
          check: async () => void expectData(await shop.send('DELETE', `/dropship-orders/${id}/allocation`)),
        }
      })
    }, 600_000)

    it('voids an order', async () => {
      const shop = await openKnownShop()
      await stallEverywhere('void', async () => {
        const { order_id: id } = await createDraft(shop, sku, 1)
        expectData(await shop.post(`/orders/${id}/submit`, undefined, createKey()))
        const key = createKey()
        return {
          send: () => shop.send('DELETE', `/orders/${id}`, { headers: key }),
          check: async () => expect(expectData(await shop.get(`/orders/${id}`)).status).toBe('cancelled'),
        }
      })
    }, 600_000)

    it('signs in', async () => {
      const { username, password } = buyers[0]
      const body = { grant_type: 'password', username, password }
      await openKnownShop()
      await stallEverywhere('token', async () => {
        await waitUntil(async () => (await call(beside, 'GET', '/readyz')).status === 200, recoveryMs)
        house.clock.advance(61_000)
        return { send: () => call(beside, 'POST', '/api/v1/auth/token', { body }) }
      })
    }, 600_000)

    it('registers a webhook endpoint once', async () => {
      const shop = await openKnownShop()
      await stallEverywhere('webhook registration', async () => {
        for (const { endpoint_id } of (await shop.get('/webhook-endpoints')).json.data)
          await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
        const key = createKey()
        const body = { url: 'https://receiver.example.com/hook', event_types: ['order.created'] }
        return {
          send: () => shop.post('/webhook-endpoints', body, key),
          check: async () => expect((await shop.get('/webhook-endpoints')).json.data).toHaveLength(1),
        }
      })
    }, 600_000)
  },
)
