/** What processes that deliver webhooks together leave alone: the leases of the others, and newer outcomes. */

import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freeOrphanedLeases, type Outcome, releaseQueues, writeOutcomes } from '../src/webhooks/queue.ts'
import { addDeliveries, createDelivery } from '../src/webhooks/sequence.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway
beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())

/** Adds a queue that a process has leased, and returns its endpoint. */
async function addLeasedQueue(leased_by: string): Promise<string> {
  const endpoint_id = `whe_${leased_by}`
  const { store, clock } = house.gateway
  const row = { endpoint_id, due_at: null, leased_by, leased_until: clock.now() + 60_000 }
  await store.db.insertInto('webhook_queues').values(row).execute()
  return endpoint_id
}

function readLease(endpoint_id: string) {
  return house.gateway.store.db
    .selectFrom('webhook_queues')
    .select(['leased_by', 'leased_until'])
    .where('endpoint_id', '=', endpoint_id)
    .executeTakeFirstOrThrow()
}

describe('the lease of a queue', () => {
  it('is freed if its process has ended, and not if it lives', async () => {
    const { gateway } = house
    const ended = await addLeasedQueue('ended')
    const others = [await addLeasedQueue('living'), await addLeasedQueue('own')]
    const before = await Promise.all(others.map(readLease))
    await gateway.store.withLock('delivering living', 0, () => freeOrphanedLeases(gateway, 'own'))
    expect(await readLease(ended)).toEqual({ leased_by: null, leased_until: 0 })
    expect(await Promise.all(others.map(readLease))).toEqual(before)
  })

  it('is released only by the process that has it', async () => {
    const { gateway } = house
    const queue = await addLeasedQueue('successor')
    const before = await readLease(queue)
    const release = { endpoint_id: queue, last_success_at: null, due_at: null }
    await releaseQueues(gateway, 'former', [release])
    expect(await readLease(queue)).toEqual(before)
    await releaseQueues(gateway, 'successor', [release])
    expect(await readLease(queue)).toEqual({ leased_by: null, leased_until: 0 })
  })
})

describe('the outcome of an attempt', () => {
  /** Adds a pending delivery, and returns the outcome of a first attempt that failed. */
  async function addFailure(name: string): Promise<Outcome> {
    const { store, clock } = house.gateway
    const endpoint_id = `whe_${name}`
    const event = { event_id: `evt_${name}`, type: 'order.created', channel_code: 'some', number: 1 }
    const delivery = createDelivery(house.gateway, { ...event, endpoint_id }, clock.now())
    await store.db.transaction().execute((tx) => addDeliveries(house.gateway, tx, [delivery]))
    return {
      ...{ delivery_id: delivery.delivery_id, endpoint_id, attempts: 0, status: 'pending', last_status: 503 },
      ...{ last_error: 'status', last_response: null, attempted_at: clock.now(), due_at: 30_000 },
    }
  }

  it('does not replace that of a later attempt, if it is written late', async () => {
    const { store } = house.gateway
    const outcome = await addFailure('late')
    const { delivery_id } = outcome
    const read = () =>
      store.db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('delivery_id', '=', delivery_id)
        .executeTakeFirstOrThrow()
    await writeOutcomes(house.gateway, [outcome])
    const written = await read()
    expect(written).toMatchObject({ attempts: 1, last_status: 503 })
    await writeOutcomes(house.gateway, [{ ...outcome, last_status: 500 }])
    expect(await read()).toEqual(written)
  })

  it('is counted once, if the health of its endpoint is written only after a failure', async () => {
    const { gateway } = house
    const { store, memory } = gateway
    const outcome = await addFailure('counted')
    memory.hours.take()
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('webhook_queues')) throw new Error('the connection broke')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const broken = { ...gateway, store: { ...store, db: store.db.withPlugin(failing) } }
    await expect(writeOutcomes(broken, [outcome])).rejects.toThrow('broke')
    await writeOutcomes(gateway, [outcome])
    expect(memory.hours.take()).toMatchObject([{ kind: 'webhook', name: 'failed', calls: 1 }])
  })
})
