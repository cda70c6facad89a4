import { describe, expect, it, vi } from 'vitest'
import { TradeGateway } from '../client.ts'
import { computeChecksum, StockMirror, type StockRow } from '../mirror/index.ts'
import { Pacer } from './pace.ts'

/** The gateway's quota as the contract defines it: the points of the last 60 seconds. */
class Quota {
  readonly limit = 600
  #spent: { at: number; cost: number }[] = []

  spend(now: number, cost: number) {
    this.#spent = this.#spent.filter(({ at }) => at > now - 60_000)
    const used = this.#spent.reduce((sum, each) => sum + each.cost, 0)
    if (used + cost > this.limit) return undefined
    this.#spent.push({ at: now, cost })
    return { cost, remaining: this.limit - used - cost, limit: this.limit, resetSeconds: 60 }
  }
}

const warehouses = ['AUSYD1', 'AUSYD2', 'CHNZJ1', 'AU', 'CN']
const rowsPerWarehouse = 50
/** A page costs more than most calls, so that a pacer that takes it for one of these exceeds the quota. */
const prices = { page: 5, changes: 1 }

/** Answers as a gateway with a quota that has the same rows in each warehouse, one to a page. */
function openStock() {
  const quota = new Quota()
  const rows = Array.from({ length: rowsPerWarehouse }, (_, number) => createRow(`SKU-${number + 10}`))
  const checksum = computeChecksum(rows)
  const seen = { refused: 0, requests: 0 }
  const answer: typeof fetch = async (input) => {
    const url = new URL(String(input))
    const isFeed = url.pathname.endsWith('/changes')
    seen.requests += 1
    const points = quota.spend(Date.now(), isFeed ? prices.changes : prices.page)
    if (!points) {
      seen.refused += 1
      return Response.json({ error: { code: 'RATE_LIMITED', message: 'Too much.' } }, { status: 429 })
    }
    const page = Number(url.searchParams.get('page'))
    const body = isFeed
      ? { data: [], version: 1, has_more: false, needs_full_sync: false, row_count: rows.length, checksum }
      : { data: rows.slice(page - 1, page), version: 1, has_more: page < rows.length }
    return Response.json(body, {
      headers: {
        'ratelimit-cost': String(points.cost),
        'ratelimit-remaining': String(points.remaining),
        'ratelimit-limit': String(points.limit),
        'ratelimit-reset': String(points.resetSeconds),
      },
    })
  }
  return { seen, answer }
}

function createRow(sku: string): StockRow {
  return {
    sku,
    warehouse_code: 'AUSYD1',
    product_code: 'P',
    quantity_on_hand: 1,
    quantity_available: 1,
    price_wholesale: 2.5,
    price_retail: 5,
    currency: 'AUD',
    version: 1,
    updated_at: '2026-11-21T00:00:00.000Z',
    incoming: [],
  }
}

describe('a paced client', () => {
  it('finishes a full sync of all warehouses without one refusal', async () => {
    vi.useFakeTimers({ now: 0 })
    try {
      const { seen, answer } = openStock()
      const auth = { accessToken: 'a-token' }
      const client = new TradeGateway({
        baseUrl: 'https://gateway.example',
        auth,
        pace: 'smooth',
        fetch: answer,
      })
      const mirror = new StockMirror(client, { warehouses, pageSize: 1 })
      let isDone = false
      const work = Promise.all(warehouses.map((code) => mirror.sync(code))).finally(() => {
        isDone = true
      })
      while (!isDone) await vi.advanceTimersByTimeAsync(50)
      await work
      expect(seen.refused).toBe(0)
      expect(seen.requests).toBeGreaterThanOrEqual(warehouses.length * rowsPerWarehouse)
      // 1,250 points at 600 a minute.
      expect(Date.now()).toBeGreaterThan(120_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('never exceeds the quota, also when another process spends of it, and does not stand still', async () => {
    vi.useFakeTimers({ now: 0 })
    try {
      const quota = new Quota()
      const pacer = new Pacer(() => Date.now())
      let refused = 0
      const calls = 400
      const work = (async () => {
        for (let call = 0; call < calls; call++) {
          await pacer.reserve(5, undefined)
          const points = quota.spend(Date.now(), 5)
          if (!points) refused += 1
          pacer.settle(5, points)
          if (call === 50) quota.spend(Date.now(), 200)
        }
      })()
      await vi.advanceTimersByTimeAsync(600_000)
      await work
      expect(refused).toBe(0)
      // 2,200 points at 600 a minute.
      expect(Date.now()).toBeGreaterThan(180_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('counts calls that are under way', async () => {
    const pacer = new Pacer(() => 0)
    pacer.settle(0, { cost: 5, remaining: 10, limit: 600, resetSeconds: 60 })
    await pacer.reserve(6, undefined)
    const stop = new AbortController()
    const third = pacer.reserve(6, stop.signal)
    stop.abort(new Error('it waited'))
    await expect(third).rejects.toThrow('it waited')
  })
})
