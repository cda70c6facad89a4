/** A process has a limited number of attempts in flight. The queues that it delivers take them in turn. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Dispatcher } from '../src/webhooks/dispatch.ts'
import type { PostResult, Sender } from '../src/webhooks/egress.ts'
import { addDeliveries, createDelivery } from '../src/webhooks/sequence.ts'
import { waitUntil } from './faults/processes.ts'
import { createWorld, openTestGateway, type TestGateway } from './harness.ts'
import { addEndpoints, addOrderEvents } from './many-endpoints.ts'

/** The largest number of attempts in flight, and that of a queue that was just opened. */
const slots = 1_024
const slotsAtFirst = 4
const busyQueues = slots / slotsAtFirst
const waitMs = 10_000
const fine: PostResult = { status: 200, error: undefined, excerpt: null }

let house: TestGateway
beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())

/** Adds queues with as many deliveries each, which are due. Returns the URLs of their endpoints. */
async function addQueues(name: string, count: number, perQueue: number): Promise<string[]> {
  const { gateway, clock } = house
  const { channel_code } = await createWorld(house)
  const endpoints = await addEndpoints(house, channel_code, { name, count })
  const events = await addOrderEvents(house, channel_code, { name, count: perQueue })
  const deliveries = endpoints.flatMap(({ endpoint_id }) =>
    events.map((event) => createDelivery(gateway, { ...event, endpoint_id }, clock.now())),
  )
  await gateway.store.db.transaction().execute((tx) => addDeliveries(gateway, tx, deliveries))
  return endpoints.map(({ url }) => url)
}

describe('queues that have all the slots of a process', () => {
  it('leave each slot that becomes free to one that waits, and keep all of them in use', async () => {
    const sentTo: string[] = []
    const unanswered: ((result: PostResult) => void)[] = []
    const post: Sender['post'] = ({ url }) => {
      sentTo.push(url)
      return new Promise((resolve) => unanswered.push(resolve))
    }
    const dispatcher = new Dispatcher(house.gateway, { post, close: async () => {} })
    const perQueue = slotsAtFirst + 2
    await addQueues('busy', busyQueues, perQueue)
    while (await dispatcher.turn());
    await waitUntil(() => sentTo.length === slots, waitMs)

    const late = await addQueues('late', 2, 2)
    await dispatcher.turn()
    expect(dispatcher.inFlight).toBe(slots)
    for (let responses = 1; responses <= late.length; responses++) {
      unanswered.shift()?.(fine)
      await waitUntil(() => sentTo.length === slots + responses, waitMs)
    }
    expect(sentTo.slice(slots).toSorted(), 'what was sent after two responses').toEqual(late)

    // The rest was read in advance, so it needs no further turn.
    const all = busyQueues * perQueue + 2 * late.length
    await waitUntil(() => {
      for (const respond of unanswered.splice(0)) respond(fine)
      return sentTo.length === all && dispatcher.inFlight === 0
    }, waitMs)
    await dispatcher.stop()
  })
})
