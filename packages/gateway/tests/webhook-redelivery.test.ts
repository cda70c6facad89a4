/** Redelivery of many on PostgreSQL: beside processes that deliver, and over thousands of endpoints. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Outcome, writeOutcomes } from '../src/webhooks/queue.ts'
import { addDeliveries, createDelivery, makeQueuesDue } from '../src/webhooks/sequence.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { adminToken, call, createWorld, openTestGateway, type TestGateway } from './harness.ts'
import { addEndpoints, addOrderEvents } from './many-endpoints.ts'
import { expectData } from './trade.ts'

const perCall = 500
const rounds = 40
const manyEndpoints = 5_000
const timeoutMs = 60_000

const withoutPostgres = shouldSkip('redelivery beside deliveries', { postgres: true })

describe.skipIf(withoutPostgres)('a redelivery of many', () => {
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway({ styles: 1 })
  })
  afterAll(() => house.close())

  const send = async (path: string, body: object) => {
    const headers = { 'x-admin-actor': 'Kim' }
    return expectData(
      await call(house, 'POST', `/admin/api/webhook-redeliveries${path}`, {
        admin: adminToken,
        headers,
        body,
      }),
    )
  }

  /** Adds events of a new channel and endpoints that should have them. */
  async function addSelection(name: string, { endpoints, events }: { endpoints: number; events: number }) {
    const { channel_code } = await createWorld(house)
    return {
      channel_code,
      endpoints: await addEndpoints(house, channel_code, { name, count: endpoints }),
      events: await addOrderEvents(house, channel_code, { name, count: events }),
    }
  }

  it('does not end in a deadlock where the outcomes of the same deliveries are being written', {
    timeout: timeoutMs,
  }, async () => {
    const { channel_code, endpoints, events } = await addSelection('beside', {
      endpoints: 1,
      events: perCall,
    })
    const { gateway, clock } = house
    const deliveries = endpoints.flatMap(({ endpoint_id }) =>
      events.map((event) => createDelivery(gateway, { ...event, endpoint_id }, clock.now())),
    )
    await gateway.store.db.transaction().execute((tx) => addDeliveries(gateway, tx, deliveries))
    const writer = { ...gateway, store: gateway.store.forBackground() }
    const buildOutcomes = (attempts: number) =>
      deliveries.map(({ delivery_id, endpoint_id }): Outcome => {
        const failure = { last_status: 503, last_error: 'status', last_response: null } as const
        const attempt = { attempts, attempted_at: clock.now(), due_at: 30_000 }
        return { delivery_id, endpoint_id, status: 'pending', ...failure, ...attempt }
      })
    let isOver = false
    let written = 0
    const writing = (async () => {
      for (; !isOver; written++) await writeOutcomes(writer, buildOutcomes(written))
    })()
    const sending = (async () => {
      for (let round = 0; round < rounds; round++) {
        const sent = await send('', { which: 'all', channel_code, expected_count: perCall })
        expect(sent).toEqual({ redelivered: perCall, remaining: 0 })
      }
    })()
    await Promise.all([
      writing,
      sending.finally(() => {
        isOver = true
      }),
    ])
    expect(written).toBeGreaterThan(1)
  })

  it('locks the queues of existing and of missing deliveries in the order of their ids', async () => {
    const { channel_code, endpoints, events } = await addSelection('order', { endpoints: 2, events: 1 })
    const { gateway, clock } = house
    const { db } = gateway.store
    const [first = '', second = ''] = endpoints.map(({ endpoint_id }) => endpoint_id)
    const existing = events.map((event) =>
      createDelivery(gateway, { ...event, endpoint_id: first }, clock.now()),
    )
    await db.transaction().execute((tx) => addDeliveries(gateway, tx, existing))
    const isAnyWaiting = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      return rows.length > 0
    }
    const sending = await db.transaction().execute(async (tx) => {
      await makeQueuesDue(gateway, tx, [first])
      const sent = send('', { which: 'all', channel_code, expected_count: 2 })
      await waitUntil(isAnyWaiting, 4_000)
      await makeQueuesDue(gateway, tx, [second])
      return { sent }
    })
    expect(await sending.sent).toEqual({ redelivered: 2, remaining: 0 })
  })

  it('is counted for two seconds over thousands of endpoints, and begins', {
    timeout: timeoutMs,
  }, async () => {
    const { channel_code } = await addSelection('many', { endpoints: manyEndpoints, events: 3 })
    const selection = { which: 'all', channel_code }
    const elapsed = vi.spyOn(house.clock, 'monotonic').mockImplementation(() => performance.now())
    try {
      const counted = await send('/count', selection)
      expect(counted.has_more).toBe(true)
      expect(counted.count).toBeGreaterThan(0)
      const sent = await send('', { ...selection, expected_count: Number.MAX_SAFE_INTEGER })
      expect(sent.redelivered).toBeGreaterThan(0)
      expect(await send('', { ...selection, expected_count: sent.remaining })).toMatchObject({
        redelivered: sent.redelivered,
      })
      expect(house.gateway.store.trouble()).toBeUndefined()
    } finally {
      elapsed.mockRestore()
    }
  })
})
