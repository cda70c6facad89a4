import { describe, expect, it, vi } from 'vitest'
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

describe('a paced client', () => {
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
