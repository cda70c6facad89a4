import { describe, expect, it } from 'vitest'
import type { Batch, Operation } from './batch.ts'
import { SharedCounter } from './shared-counter.ts'
import type { Valkey } from './valkey.ts'

const limit = 600

/** A counter of one process, with a server that is there or away and grants everything. */
function openCounter() {
  const server = { isConnected: true, outages: 0, generation: 'one', toKey: (name: string) => name }
  const clock = { now: 0 }
  const missed: number[] = []
  const batch = {
    add(operation: Operation) {
      missed.push(operation.missed)
      operation.decide({
        taken: operation.points,
        total: operation.points,
        retryAfter: 0,
        resetSeconds: 60,
        began: 1,
      })
    },
  }
  const counter = new SharedCounter({
    valkey: server as unknown as Valkey,
    batch: batch as unknown as Batch,
    name: 'points',
    clock: { monotonic: () => clock.now },
    countProcesses: () => 1,
    onOwnDecision: () => {},
  })
  return { counter, server, clock, missed }
}

describe('points that were granted while the server was away', () => {
  it('are added when it is back, as far as they still count', async () => {
    const { counter, server, clock, missed } = openCounter()
    await counter.take('channel', 1, limit)
    server.isConnected = false
    server.outages += 1
    for (let minute = 0; minute < 5; minute++) {
      for (let second = 0; second < 60; second++) {
        expect(await counter.take('channel', 3, limit)).toMatchObject({ paid: true })
        clock.now += 1_000
      }
    }
    server.isConnected = true
    expect(await counter.take('channel', 1, limit)).toMatchObject({ paid: true })
    expect(missed.at(-1)).toBeLessThanOrEqual(180)
    expect(missed.at(-1)).toBeGreaterThan(170)
    await counter.take('channel', 1, limit)
    expect(missed.at(-1)).toBe(0)
  })

  it('are forgotten after a night without calls', async () => {
    const { counter, server, clock, missed } = openCounter()
    server.isConnected = false
    await counter.take('channel', 400, limit)
    server.isConnected = true
    clock.now += 8 * 3_600_000
    await counter.take('channel', 1, limit)
    expect(missed.at(-1)).toBe(0)
  })
})
