/** Transactions that lock the same rows on PostgreSQL: they lock them in one order, so none ends in a deadlock. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pruneEvents } from '../src/events/prune.ts'
import { prune } from '../src/housekeeping.ts'
import { storeRequests } from '../src/requests/record.ts'
import { beginEpoch } from '../src/snapshot/epoch.ts'
import { beginRestored } from '../src/start/restored.ts'
import { retireViews } from '../src/stock/sync-warehouses.ts'
import type { Tx } from '../src/store/store.ts'
import { bringForward } from '../src/webhooks/bring-forward.ts'
import { cancelQueue, freeStrayLeases } from '../src/webhooks/queue.ts'
import { createDelivery, insertDeliveries } from '../src/webhooks/sequence.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { adminToken, call, openTestGateway, type TestGateway } from './harness.ts'
import { addOrderEvents } from './many-endpoints.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const waitMs = 4_000

const withoutPostgres = shouldSkip('the order of locks', { postgres: true })

describe.skipIf(withoutPostgres)('the rows', () => {
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway({ styles: 1 })
  })
  afterAll(() => house.close())

  async function isAnyWaiting(): Promise<boolean> {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(house.gateway.store.db)
    return rows.length > 0
  }

  /**
   * Begins `work` while a transaction has the lock of the first key, and then locks the second one in that transaction.
   * If `work` locks the second row first, PostgreSQL ends one of the two.
   */
  async function runBetweenLocks<T>(
    lock: (tx: Tx, key: string) => Promise<unknown>,
    [first, second]: readonly [string, string],
    work: () => Promise<T>,
  ): Promise<T> {
    const { working } = await house.gateway.store.db.transaction().execute(async (tx) => {
      await lock(tx, first)
      const working = work()
      // The deadlock is reported by the transaction or by `work`, which is awaited only after it.
      working.catch(() => {})
      await waitUntil(isAnyWaiting, waitMs)
      await lock(tx, second)
      return { working }
    })
    return working
  }

  it('of counted requests are locked in the order of channel and route', async () => {
    const { gateway, clock } = house
    const at = Math.floor(clock.now() / minuteMs) * minuteMs - minuteMs
    const [first, second] = ['chn_lock /a', 'chn_lock /b'] as const
    const count = (...slots: string[]) => {
      const rows = slots.map((slot) => {
        const [channel_code = '', route = ''] = slot.split(' ')
        return { slot, at, channel_code, route, calls: 1, points: 0, duration_us: 1 }
      })
      gateway.memory.requests.counts.set(at, new Map(rows.map((row) => [row.slot, row])))
      return storeRequests(gateway)
    }
    await count(first, second)
    const lock = (tx: Tx, slot: string) =>
      sql`select 1 from request_counts where slot = ${slot} for update`.execute(tx)
    await runBetweenLocks(lock, [first, second], () => count(second, first))
    const stored = await gateway.store.db
      .selectFrom('request_counts')
      .select(['slot', 'calls'])
      .where('at', '=', at)
      .orderBy('slot')
      .execute()
    expect(stored).toEqual([
      { slot: first, calls: 2 },
      { slot: second, calls: 2 },
    ])
  })

  /** Adds two queues that a process has leased, the second one first. */
  async function addLeasedQueues([first, second]: readonly [string, string]) {
    const { store, clock } = house.gateway
    const lease = { due_at: null, leased_by: 'other', leased_until: clock.now() + minuteMs }
    for (const endpoint_id of [second, first])
      await store.db
        .insertInto('webhook_queues')
        .values({ endpoint_id, ...lease })
        .execute()
  }

  it.each([
    ['stray leases are freed', () => freeStrayLeases(house.gateway, 'other', ['whe_used'])],
    ['the database was restored', () => beginRestored(house.gateway, true)],
  ])('of queues are locked in the order of their ids when %s', async (name, freeLeases) => {
    const { store, clock } = house.gateway
    const keys = [`whe_${name}_1`, `whe_${name}_2`] as const
    await addLeasedQueues(keys)
    const makeDue = (tx: Tx, endpoint_id: string) =>
      tx
        .updateTable('webhook_queues')
        .set({ due_at: clock.now() })
        .where('endpoint_id', '=', endpoint_id)
        .execute()
    await runBetweenLocks(makeDue, keys, freeLeases)
    const freed = { due_at: clock.now(), leased_by: null, leased_until: 0 }
    const stored = await store.db
      .selectFrom('webhook_queues')
      .select(['due_at', 'leased_by', 'leased_until'])
      .where('endpoint_id', 'in', keys)
      .execute()
    expect(stored).toEqual([freed, freed])
  })

  it('of leases are locked in the order of their names when the database was restored', async () => {
    const { db } = house.gateway.store
    const keys = ['lease 1', 'lease 2'] as const
    for (const name of keys.toReversed())
      await db.insertInto('leases').values({ name, holder: 'prc', term: 1, beats: 0 }).execute()
    const lock = (tx: Tx, name: string) =>
      tx.updateTable('leases').set({ beats: 1 }).where('name', '=', name).execute()
    await runBetweenLocks(lock, keys, () => beginRestored(house.gateway, true))
    const stored = await db
      .selectFrom('leases')
      .select(['holder', 'beats'])
      .where('name', 'in', keys)
      .execute()
    expect(stored).toEqual([
      { holder: null, beats: 1 },
      { holder: null, beats: 1 },
    ])
  })

  /** Adds a pending delivery of one event for each endpoint, in this order, with ids in the reverse order. */
  async function addDeliveries(name: string, endpoints: readonly string[]) {
    const { gateway, clock } = house
    const [event] = await addOrderEvents(house, 'chn_lock', { name, count: 1 })
    if (!event) throw new Error('There is no event.')
    const deliveries = endpoints.map((endpoint_id, at) => ({
      ...createDelivery(gateway, { ...event, endpoint_id }, clock.now()),
      delivery_id: `whd_${name}_${endpoints.length - at}`,
    }))
    await gateway.store.db.transaction().execute((tx) => insertDeliveries(gateway, tx, deliveries))
    return event
  }

  const attemptDelivery = (tx: Tx, delivery_id: string) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ attempts: 1 })
      .where('delivery_id', '=', delivery_id)
      .executeTakeFirstOrThrow()

  it('of deliveries are locked in the order of their ids when their event is deleted', async () => {
    const { gateway, clock } = house
    const { db } = gateway.store
    const { event_id } = await addDeliveries('old', ['whe_old_1', 'whe_old_2'])
    const later = {
      now: () => clock.now() + 31 * dayMs,
      monotonic: () => clock.monotonic(),
      machine: () => 0,
    }
    await runBetweenLocks(attemptDelivery, ['whd_old_1', 'whd_old_2'], () =>
      pruneEvents({ ...gateway, clock: later }),
    )
    for (const table of ['webhook_deliveries', 'events'] as const) {
      const left = await db.selectFrom(table).select('event_id').where('event_id', '=', event_id).execute()
      expect(left).toEqual([])
    }
  })

  it('of deliveries are locked in the order of their ids when the clock of the sandbox is advanced', async () => {
    await addDeliveries('forward', ['whe_forward_1', 'whe_forward_2'])
    const keys = ['whd_forward_1', 'whd_forward_2'] as const
    await runBetweenLocks(attemptDelivery, keys, () => bringForward(house.gateway, minuteMs))
    const stored = await house.gateway.store.db
      .selectFrom('webhook_deliveries')
      .select(['attempts', 'ahead_ms'])
      .where('delivery_id', 'in', keys)
      .execute()
    const forward = { attempts: 1, ahead_ms: minuteMs }
    expect(stored).toEqual([forward, forward])
  })

  it('of deliveries that others have locked stay pending when their endpoint’s queue is cancelled', async () => {
    const { gateway } = house
    const { db } = gateway.store
    const endpoint_id = 'whe_cancelled'
    await addDeliveries('cancel_1', [endpoint_id])
    await addDeliveries('cancel_2', [endpoint_id])
    await db.transaction().execute(async (tx) => {
      await attemptDelivery(tx, 'whd_cancel_1_1')
      await cancelQueue(gateway, endpoint_id)
    })
    const read = () =>
      db
        .selectFrom('webhook_deliveries')
        .select('status')
        .where('endpoint_id', '=', endpoint_id)
        .orderBy('delivery_id')
        .execute()
    expect(await read()).toEqual([{ status: 'pending' }, { status: 'cancelled' }])
    await cancelQueue(gateway, endpoint_id)
    expect(await read()).toEqual([{ status: 'cancelled' }, { status: 'cancelled' }])
  })

  it('of expired keys that others have locked are deleted in a later turn', async () => {
    const { gateway } = house
    const { db } = gateway.store
    const scope = 'expired'
    const request = { channel_code: 'chn_lock', method: 'POST', path: '/', idempotency_key: scope }
    const response = { state: 'completed', http_status: 200, answer_sealed: null }
    const row = { scope, ...request, ...response, fingerprint: '', created_at: 0, expires_at: 0 }
    await db
      .insertInto('idempotency_keys')
      .values({ ...row, resource_type: null, resource_id: null })
      .execute()
    const erase = (tx: Tx) =>
      tx.updateTable('idempotency_keys').set({ answer_sealed: 'x' }).where('scope', '=', scope).execute()
    const isKept = async () =>
      (await db.selectFrom('idempotency_keys').select('scope').where('scope', '=', scope).execute()).length >
      0
    await db.transaction().execute(async (tx) => {
      await erase(tx)
      await prune(gateway)
    })
    expect(await isKept()).toBe(true)
    await prune(gateway)
    expect(await isKept()).toBe(false)
  })

  const lockWarehouse = (tx: Tx, code: string) =>
    sql`select 1 from warehouses where warehouse_code = ${code} for update`.execute(tx)

  /** Moves a row behind all others of its table, where a statement without an order finds it last. */
  const moveToEnd = async (code: string) => {
    const { db } = house.gateway.store
    const row = await db
      .deleteFrom('warehouses')
      .where('warehouse_code', '=', code)
      .returningAll()
      .executeTakeFirstOrThrow()
    await db.insertInto('warehouses').values(row).execute()
  }

  it('of the members of a view are locked in the order of their codes when a comparison is requested', async () => {
    await moveToEnd('AUSYD1')
    const request = { admin: adminToken, headers: { 'x-admin-actor': 'Kim' } }
    const requested = await runBetweenLocks(lockWarehouse, ['AUSYD1', 'AUSYD2'], () =>
      call(house, 'POST', '/admin/api/stock-copies/AU/compare', request),
    )
    expect(requested.status).toBe(200)
  })

  it('of warehouses are locked in the order of their codes, whatever the collation of the database', async () => {
    const { store, clock, log } = house.gateway
    await sql`alter table warehouses alter column warehouse_code type text collate "und-x-icu"`.execute(
      store.db,
    )
    const row = await store.db.selectFrom('warehouses').selectAll().executeTakeFirstOrThrow()
    const [first, second] = ['B', 'a'] as const
    const rows = [second, first].map((warehouse_code) => ({
      ...row,
      warehouse_code,
      kind: 'warehouse',
      members: '[]',
    }))
    await store.db.insertInto('warehouses').values(rows).execute()
    await runBetweenLocks(lockWarehouse, [first, second], () => beginEpoch({ store, clock, log }))
    const { rows: begun } = await sql`select 1 from warehouses where version > ${row.version}`.execute(
      store.db,
    )
    expect(begun.length).toBeGreaterThan(2)
  })

  it('of views are locked one by one when they are retired', async () => {
    const { gateway } = house
    await moveToEnd('AU')
    const config = { ...gateway.config, views: { OTHER: ['AUSYD1'] } }
    await runBetweenLocks(lockWarehouse, ['AU', 'CN'], () => retireViews({ ...gateway, config }))
    const retired = await gateway.store.db
      .selectFrom('warehouses')
      .select('warehouse_code')
      .where('kind', '=', 'retired')
      .orderBy('warehouse_code')
      .execute()
    expect(retired.map(({ warehouse_code }) => warehouse_code)).toEqual(['AU', 'CN'])
  })
})
