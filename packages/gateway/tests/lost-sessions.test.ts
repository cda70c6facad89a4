/**
 * Two gateways on one PostgreSQL, each with its own connections. Just before one gateway commits, the database ends the
 * session that holds this gateway's locks. The other gateway takes the locks and does the work; then the first one
 * continues.
 */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { openPostgres } from '../src/store/postgres.ts'
import type { Store } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { type CallResult, openTestGateway, readTestDatabaseUrl, type TestGateway } from './harness.ts'
import { Gate, gateCommits } from './losing-process.ts'
import {
  type Buyer,
  buildDropship,
  countHeldAtErp,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  listErpDocuments,
  openSecondGateway,
  openShop,
} from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }

describe.skipIf(shouldSkip('sessions of PostgreSQL that end', { postgres: true }))(
  'a session that ends',
  () => {
    let house: TestGateway
    let beside: TestGateway
    let second: Store
    let holder: Buyer
    let loser: Buyer
    const beforeCommit = new Gate()

    beforeAll(async () => {
      house = await openTestGateway({ styles: 30, journey: never })
      holder = openShop(house)
      await holder.token()
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
        house.gateway.store.db,
      )
      const url = new URL(readTestDatabaseUrl() ?? '')
      url.pathname = `/${rows[0]?.name}`
      second = await openPostgres(url.href, jsonLog('silent'))
      const store = gateCommits(second, beforeCommit)
      beside = await openSecondGateway({ ...house, gateway: { ...house.gateway, store } }, {})
      loser = openShop(beside)
      await loser.token()
    })
    afterAll(async () => {
      await beside.close()
      await second.close()
      await house.close()
    })

    const listPidsWithLocks = async () => {
      const { rows } = await sql<{ pid: number }>`select distinct pid from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
        house.gateway.store.db,
      )
      return rows.map(({ pid }) => pid)
    }

    /** Ends every session that holds a lock. Only the gateway that waits before its commit holds any. */
    async function endSessions() {
      const pids = await listPidsWithLocks()
      expect(pids, 'one process holds locks').toHaveLength(1)
      for (const pid of pids)
        await sql`select pg_terminate_backend(${pid}::int)`.execute(house.gateway.store.db)
      // The session and its locks end shortly after the command.
      await waitUntil(async () => (await listPidsWithLocks()).length === 0, 10_000)
    }

    /** Sends a call that waits before its commit, ends its session, runs `meanwhile`, and then lets it commit. */
    async function runAfterSessionEnds(
      send: (shop: Buyer) => Promise<CallResult>,
      meanwhile = send,
    ): Promise<[CallResult, CallResult]> {
      beforeCommit.arm()
      const late = send(loser)
      await beforeCommit.arrived
      await endSessions()
      const first = await meanwhile(holder)
      beforeCommit.open()
      return [first, await late]
    }

    it.each([
      ['submits', 'POST', '/submit'],
      ['changes', 'PATCH', ''],
      ['voids', 'DELETE', ''],
    ])('takes nothing from whoever submits meanwhile: it %s', async (_name, method, suffix) => {
      const number = createOrderNumber()
      const { order_id } = await createDraft(holder, await holder.createSku(), 2, {
        client_order_number: number,
      })
      const path = `/orders/${order_id}`
      const body = method === 'DELETE' ? {} : { body: { remark: 'too late' } }
      const [first, late] = await runAfterSessionEnds(
        (shop) => shop.send(method, `${path}${suffix}`, body),
        (shop) => shop.post(`${path}/submit`),
      )
      expect(expectData(first)).toMatchObject({ status: 'confirmed' })
      expectError(late, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
      expect(expectData(await holder.get(path))).toMatchObject({
        status: 'confirmed',
        remark: null,
        in_doubt: false,
      })
      expect(listErpDocuments(house, number)).toHaveLength(1)
      expect(await house.gateway.store.db.selectFrom('intents').selectAll().execute()).toEqual([])
    })

    it('sends nothing where nobody takes its place', async () => {
      const body = buildDropship(await holder.createSku())
      const [, late] = await runAfterSessionEnds(
        (shop) => shop.post('/dropship-orders/submit', body),
        (shop) => shop.get('/me'),
      )
      expectError(late, 'INTERNAL', { reason: 'storage_unavailable', retryable: true })
      expect(listErpDocuments(house, body.client_order_number)).toEqual([])
      expectData(await loser.post('/dropship-orders/submit', body))
    })

    it('loses its key to whoever uses it meanwhile', async () => {
      const sku = await holder.createSku()
      const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
      const send = (shop: Buyer) => shop.post('/reservations', body, { 'idempotency-key': 'ended' })
      const [first, late] = await runAfterSessionEnds(send)
      expectData(first, 201)
      expectError(late, 'IDEMPOTENCY_IN_PROGRESS')
      expect(countHeldAtErp(house, sku)).toBe(1)
      expect((await send(loser)).text).toBe(first.text)
    })
  },
)
