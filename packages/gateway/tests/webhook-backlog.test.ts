/** However large the backlog, PostgreSQL finds and updates deliveries by index, whatever its statistics say. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import type { Tx } from '../src/store/store.ts'
import type { WebhookDeliveryRow } from '../src/store/tables.ts'
import { type Outcome, readDueDeliveries, writeOutcomes } from '../src/webhooks/queue.ts'
import { rescueDeliveries } from '../src/webhooks/rescue.ts'
import { addDeliveries, createDelivery } from '../src/webhooks/sequence.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

const endpoint = 'whe_with_a_backlog'
const waiting = 5_000
const batch = 100

describe.skipIf(shouldSkip('a backlog of webhooks', { postgres: true })).each([
  ['no statistics', false],
  ['statistics of a time when nothing was waiting', true],
])('a backlog on PostgreSQL with %s', (_name, isAnalyzed) => {
  let house: TestGateway
  let due: WebhookDeliveryRow[]

  beforeAll(async () => {
    house = await openTestGateway()
    const { db } = house.gateway.store
    await sql`alter table webhook_deliveries set (autovacuum_enabled = false)`.execute(db)
    if (isAnalyzed) {
      await addPendingDeliveries(house, 'former')
      await db.updateTable('webhook_deliveries').set({ status: 'delivered', due_at: null }).execute()
      await sql`analyze webhook_deliveries`.execute(db)
    }
    due = await addPendingDeliveries(house, 'due')
  })
  afterAll(() => house.close())

  it('is not read to write what became of a few deliveries', async () => {
    const outcomes: Outcome[] = due.slice(0, batch).map(({ delivery_id }) => ({
      delivery_id,
      endpoint_id: endpoint,
      attempts: 0,
      status: 'delivered',
      last_status: 200,
      last_error: null,
      last_response: null,
      attempted_at: house.clock.now(),
      due_at: null,
    }))
    // Each row is read to lock it, and once more to write it.
    expect(await countRowsRead(house, (gateway) => writeOutcomes(gateway, outcomes))).toBe(2 * batch)
    const written = await house.gateway.store.db
      .selectFrom('webhook_deliveries')
      .select('delivery_id')
      .where('last_status', '=', 200)
      .execute()
    expect(written).toHaveLength(batch)
  })

  it('is not read to find the first deliveries that are due', async () => {
    const cursor = { endpoint_id: endpoint, due_at: -1, event_number: -1 }
    const read = await countRowsRead(house, async (gateway) => {
      expect(await readDueDeliveries(gateway, [cursor], batch)).toHaveLength(batch)
    })
    // The query skips deliveries of the previous test, so it may read more rows than it returns.
    expect(read).toBeLessThanOrEqual(3 * batch)
  })

  it('is not read to look for deliveries of a clock that was ahead', async () => {
    const { db } = house.gateway.store
    await db
      .insertInto('webhook_queues')
      .values({ endpoint_id: endpoint, due_at: null, leased_until: 0 })
      .execute()
    await db
      .updateTable('webhook_deliveries')
      .set({ attempts: 1, due_at: house.clock.now() + 60 * 60_000 })
      .where('status', '=', 'pending')
      .execute()
    expect(await countRowsRead(house, rescueDeliveries)).toBe(0)
  })
})

/** Adds many pending deliveries to one webhook endpoint, each for a different event. */
async function addPendingDeliveries({ gateway }: TestGateway, name: string): Promise<WebhookDeliveryRow[]> {
  const now = gateway.clock.now()
  const rows = Array.from({ length: waiting }, (_, at) => {
    const event = {
      event_id: `evt_${name}_${at}`,
      type: 'order.created',
      channel_code: 'some',
      number: at + 1,
    }
    return createDelivery(gateway, { ...event, endpoint_id: endpoint }, now)
  })
  await gateway.store.db.transaction().execute((tx) => addDeliveries(gateway, tx, rows))
  return rows
}

/** Counts the rows of deliveries that PostgreSQL reads for `work`. */
async function countRowsRead(
  { gateway }: TestGateway,
  work: (gateway: Gateway) => Promise<void>,
): Promise<number> {
  return gateway.store.db.transaction().execute(async (tx) => {
    const before = await readRowCounter(tx)
    await work({ ...gateway, store: { ...gateway.store, db: tx } })
    return (await readRowCounter(tx)) - before
  })
}

async function readRowCounter(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
    where relname = 'webhook_deliveries'`.execute(tx)
  return rows[0]?.read ?? Number.NaN
}
