/** The shared window decides as the one in memory does, and gives a channel exactly its limit over all processes. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Quota } from '../../src/kernel/quota.ts'
import { hasServer, openCounter, patientMs, startServer, type TestServer } from './server.ts'

const start = Date.UTC(2026, 10, 21)
const limit = 200

describe.skipIf(!hasServer)('the shared window', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server?.kill())

  it('decides every take, test and return of points as the window in memory', async () => {
    let now = start
    const one = await openCounter({
      url: server.url,
      installation: 'model',
      waitMs: patientMs,
      readTime: () => now,
    })
    const way = fc.constantFrom('take', 'takeUpTo', 'test', 'giveBack')
    const step = fc.record({
      pause: fc.oneof(fc.nat(900), fc.nat(70_000)),
      way,
      points: fc.integer({ min: 1, max: 90 }),
      age: fc.nat(70_000),
    })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const quota = new Quota(10)
        runs += 1
        const subject = `run ${runs}`
        for (const { pause, way, points, age } of steps) {
          now += pause
          const expected =
            way === 'giveBack'
              ? quota.giveBack(subject, points, now - age, now)
              : quota[way](subject, points, limit, now)
          const decided =
            way === 'giveBack'
              ? one.counter.giveBack(subject, points, now - age, now)
              : one.counter[way](subject, points, limit)
          expect(await decided).toEqual(expected)
          // The state is the one of the last response, so that the returned points are sent before.
          if (way === 'giveBack') await one.counter.test(subject, 0, limit)
          expect(one.counter.readState(subject, limit, now)).toEqual(quota.readState(subject, limit, now))
        }
      }),
      { numRuns: 150 },
    )
    expect(one.countAlone()).toBe(0)
    one.valkey.close()
  })

  it('grants 50 channels exactly their limit over four connections in 100,000 calls', async () => {
    const now = start
    const readTime = () => now
    const options = { url: server.url, installation: 'exact', waitMs: patientMs, readTime }
    const processes = await Promise.all([1, 2, 3, 4].map(() => openCounter(options)))
    const channels = Array.from({ length: 50 }, (_, index) => `channel ${index}`)
    const most = 1_500
    const granted = new Map(channels.map((channel) => [channel, 0]))
    // Four processes × 50 channels × 500 calls of 1 or 2 points demand twice the limit.
    for (let round = 0; round < 500; round++) {
      const calls = processes.flatMap(({ counter }) =>
        channels.map(async (channel) => {
          const { points } = await counter.take(channel, 1 + (round % 2), most)
          granted.set(channel, (granted.get(channel) ?? 0) + points)
        }),
      )
      await Promise.all(calls)
    }
    expect([...granted.values()]).toEqual(channels.map(() => most))
    for (const { valkey, countAlone } of processes) {
      expect(countAlone()).toBe(0)
      valkey.close()
    }
  }, 120_000)
})
