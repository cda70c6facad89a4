import { beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import type { Endpoint } from '../../endpoint.ts'
import type { Gateway } from '../../gateway.ts'
import { type Counter, Quota } from '../../kernel/quota.ts'
import { adjustCharge, buildQuotaHeaders, charge, chargePoints } from './meter.ts'

const limit = 100
const now = 500_000

let quota: Quota
let gateway: Gateway

beforeEach(() => {
  quota = new Quota()
  gateway = connectTo(quota)
})

/** What the stage uses of a gateway. */
function connectTo(points: Counter): Gateway {
  return { quota: { points }, clock: { monotonic: () => now } } as unknown as Gateway
}

/** Counts as processes do that share the points: every decision is a promise. */
function share(points: Quota): Counter {
  return {
    take: async (...purchase) => points.take(...purchase),
    takeUpTo: async (...purchase) => points.takeUpTo(...purchase),
    test: async (...purchase) => points.test(...purchase),
    giveBack: (...purchase) => points.giveBack(...purchase),
    readState: (...purchase) => points.readState(...purchase),
  }
}

const createCall = (input?: unknown): Call =>
  ({ caller: { channel_code: 'shop', points_per_minute: limit }, input }) as unknown as Call
const readRemaining = () => quota.readState('shop', limit, now).remaining
const createStage = (endpoint: Partial<Endpoint>, at = gateway) =>
  chargePoints({ access: 'bearer', ...endpoint } as Endpoint, at)

describe('a call', () => {
  it('is charged the points of its endpoint', () => {
    const call = createCall()
    expect(createStage({ cost: 3 })?.(call)).toBeUndefined()
    expect([call.cost, readRemaining()]).toEqual([3, limit - 3])
  })

  it('is charged what its endpoint computes from its input', () => {
    const stage = createStage({ cost: { points: ({ input }) => Number(input.rows ?? 7), priceNote: '' } })
    const costs = [{ rows: 4 }, {}, undefined, null, 'rows'].map((input) => {
      const call = createCall(input)
      stage?.(call)
      return call.cost
    })
    expect(costs).toEqual([4, 7, 7, 7, 7])
  })

  it('costs what is left if its endpoint charges up to its price, but at least one point', () => {
    quota.take('shop', limit - 2, limit, now)
    const stage = createStage({ cost: { points: () => 9, isUpTo: true, priceNote: '' } })
    const call = createCall()
    stage?.(call)
    expect(call.cost).toBe(2)
    expect(() => stage?.(createCall())).toThrow(
      expect.objectContaining({
        facts: { say: ['points_used', { cost: 1, remaining: 0, limit }], retryAfter: 61 },
      }),
    )
  })

  it('is not metered without a token, or for an endpoint of another kind', () => {
    for (const access of ['public', 'admin'] as const)
      expect(createStage({ access, cost: 3 })).toBeUndefined()
    const call = { ...createCall(), caller: undefined }
    for (const cost of [0, 3]) expect(createStage({ cost })?.(call)).toBeUndefined()
    adjustCharge(gateway, call, 0)
    expect([call.cost, buildQuotaHeaders(gateway, call)]).toEqual([undefined, []])
  })
})

describe('a call that the channel cannot pay', () => {
  it('is refused with what it costs and what is left, costs nothing, and may try again on time', () => {
    quota.take('shop', limit - 2, limit, now)
    const call = createCall()
    const refusal = {
      code: 'RATE_LIMITED',
      facts: { say: ['points_used', { cost: 3, remaining: 2, limit }], retryAfter: 61 },
    }
    for (const way of ['take', 'test'] as const)
      expect(() => charge(gateway, call, 3, way)).toThrow(expect.objectContaining(refusal))
    expect([call.cost, readRemaining()]).toEqual([undefined, 2])
  })

  it('is refused by processes that share the points too', async () => {
    const shared = connectTo(share(quota))
    const call = createCall()
    const charging = charge(shared, call, limit)
    expect(charging).toBeInstanceOf(Promise)
    expect(await charging).toBeUndefined()
    expect(call.cost).toBe(limit)
    await expect(charge(shared, createCall(), 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })
})

describe('a call that costs nothing', () => {
  it('spends nothing, and waits for the count only if processes share it', async () => {
    const call = createCall()
    expect(createStage({ cost: 0 })?.(call)).toBeUndefined()
    expect(createStage({})?.(call)).toBeUndefined()
    const waiting = createStage({}, connectTo(share(quota)))?.(call)
    expect(waiting).toBeInstanceOf(Promise)
    expect(await waiting).toBeUndefined()
    expect(charge(connectTo(share(quota)), call, 0)).toBeUndefined()
    expect([call.cost, readRemaining()]).toEqual([undefined, limit])
  })

  it('is not charged by a test of whether a charge would be paid', () => {
    const call = createCall()
    charge(gateway, call, 5, 'test')
    expect([call.cost, readRemaining()]).toEqual([undefined, limit])
  })
})

describe('a charge', () => {
  it('is added to those of the other messages of a batch', () => {
    const call = createCall()
    for (const points of [5, 1]) charge(gateway, call, points)
    expect([call.cost, readRemaining()]).toEqual([6, limit - 6])
  })

  it('is reduced to the price of a replay, and never raised', () => {
    const call = createCall()
    charge(gateway, call, 5)
    adjustCharge(gateway, call, 2)
    expect([call.cost, readRemaining()]).toEqual([2, limit - 2])
    for (const points of [2, 3]) adjustCharge(gateway, call, points)
    expect([call.cost, readRemaining()]).toEqual([2, limit - 2])
    const free = createCall()
    adjustCharge(gateway, free, 1)
    expect([free.cost, readRemaining()]).toEqual([undefined, limit - 2])
  })

  it('is in the headers of its response, with what is left and until when', () => {
    const call = createCall()
    charge(gateway, call, 5)
    const headers = [
      ...['RateLimit-Limit', '100', 'RateLimit-Remaining', '95', 'RateLimit-Reset', '61'],
      ...['RateLimit-Cost', '5', 'RateLimit-Policy', '"default";q=100;w=60'],
      ...['RateLimit', '"default";r=95;t=61'],
    ]
    expect(buildQuotaHeaders(gateway, call)).toEqual(headers)
    expect(buildQuotaHeaders(gateway, createCall()).slice(6, 8)).toEqual(['RateLimit-Cost', '0'])
  })
})
