import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import type { Tx } from '../src/store/store.ts'
import type { WebhookDeliveryRow } from '../src/store/tables.ts'
import { type Outcome, readDue, writeOutcomes } from '../src/webhooks/queue.ts'
import { addDeliveries, newDelivery } from '../src/webhooks/sequence.ts'
import { type House, openHouse, testDatabaseUrl } from './harness.ts'

/** However much is waiting, work is found and written by its keys: not even statistics that lag behind change that. */
const endpoint = 'whe_with_a_backlog'
const waiting = 5_000
const batch = 100

let house: House
let due: WebhookDeliveryRow[]

beforeAll(async () => {
  house = await openHouse()
  const { gateway } = house
  const now = gateway.clock.now()
  due = Array.from({ length: waiting }, (_, at) => {
    const event = { event_id: `evt_${at}`, type: 'order.created', channel_code: 'some', number: at + 1 }
    return newDelivery(gateway, event, endpoint, now)
  })
  // Nobody looks at the table before it is measured.
  if (gateway.store.kind === 'postgres') {
    await sql`alter table webhook_deliveries set (autovacuum_enabled = false)`.execute(gateway.store.db)
  }
  await gateway.store.db.transaction().execute((tx) => addDeliveries(gateway, tx, due))
})
afterAll(() => house.close())

describe.runIf(testDatabaseUrl() !== undefined)('a backlog on PostgreSQL', () => {
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
    const read = await rowsRead((gateway) => writeOutcomes(gateway, outcomes))
    expect(read).toBe(batch)
    const written = await house.gateway.store.db
      .selectFrom('webhook_deliveries')
      .select('delivery_id')
      .where('status', '=', 'delivered')
      .execute()
    expect(written).toHaveLength(batch)
  })

  it('is not read to find the first deliveries that are due', async () => {
    const cursor = { endpoint_id: endpoint, due_at: -1, event_number: -1 }
    const read = await rowsRead(async (gateway) => {
      expect(await readDue(gateway, [cursor], batch)).toHaveLength(batch)
    })
    // What was delivered by the test before is passed over.
    expect(read).toBeLessThanOrEqual(3 * batch)
  })
})

/** The rows of deliveries that PostgreSQL reads for `work`. */
async function rowsRead(work: (gateway: Gateway) => Promise<void>): Promise<number> {
  const { gateway } = house
  return gateway.store.db.transaction().execute(async (tx) => {
    const before = await rowsReadIn(tx)
    await work({ ...gateway, store: { ...gateway.store, db: tx } })
    return (await rowsReadIn(tx)) - before
  })
}

async function rowsReadIn(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
    where relname = 'webhook_deliveries'`.execute(tx)
  return rows[0]?.read ?? Number.NaN
}
