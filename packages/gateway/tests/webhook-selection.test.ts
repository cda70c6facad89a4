/** What one call of a redelivery reads, on a database that is slow. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Place, readSelected, start } from '../src/webhooks/selection.ts'
import { createWorld, openTestGateway, type TestGateway } from './harness.ts'
import { addEndpoints, addOrderEvents } from './many-endpoints.ts'

const endpoints = 4
const sliceMs = 1_000
const maxPasses = 100

let house: TestGateway
beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())

it('ends with a place at which the next call continues, so that a redelivery with nothing to send ends', async () => {
  const { channel_code } = await createWorld(house)
  await addEndpoints(house, channel_code, { name: 'slow', count: endpoints })
  await addOrderEvents(house, channel_code, { name: 'slow', count: 1 })
  let elapsed = 0
  const clock = { now: () => house.clock.now(), monotonic: () => (elapsed += sliceMs), machine: () => 0 }
  const selection = { which: 'dead', channel_code } as const
  const places: Place[] = []
  for (let after: Place | undefined = start; after && places.length < maxPasses; ) {
    const remainder = { selection, after, startedAt: house.clock.now() }
    const batch = await readSelected({ ...house.gateway, clock }, remainder, 500)
    expect(batch.selected).toEqual([])
    if (batch.next) places.push(batch.next)
    after = batch.next
  }
  expect(places.length).toBeGreaterThan(1)
  expect(places.length).toBeLessThan(maxPasses)
  expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(places.length)
})
