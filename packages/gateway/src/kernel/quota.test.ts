import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Quota } from './quota.ts'

const start = Date.UTC(2026, 10, 21)

describe('the quota', () => {
  it('never lets more than the limit through in any 60 seconds', () => {
    const purchases = fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 80 })), { maxLength: 300 })
    fc.assert(
      fc.property(purchases, fc.integer({ min: 60, max: 200 }), (steps, limit) => {
        const quota = new Quota(10)
        const paid: { at: number; points: number }[] = []
        let now = start
        for (const [pause, points] of steps) {
          now += pause
          if (quota.take('c', points, limit, now).paid) paid.push({ at: now, points })
        }
        for (const { at } of paid) {
          const inWindow = paid.filter((each) => each.at >= at && each.at < at + 60_000)
          expect(inWindow.reduce((sum, { points }) => sum + points, 0)).toBeLessThanOrEqual(limit)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('names the first whole second at which a refused purchase is paid', () => {
    const purchases = fc.array(fc.tuple(fc.nat(9_000), fc.integer({ min: 1, max: 60 })), {
      minLength: 1,
      maxLength: 60,
    })
    fc.assert(
      fc.property(purchases, (steps) => {
        let now = start
        const replay: [number, number][] = []
        const quotaUpTo = () => {
          const quota = new Quota(10)
          for (const [at, points] of replay) quota.take('c', points, 60, at)
          return quota
        }
        for (const [pause, points] of steps) {
          now += pause
          const refused = quotaUpTo().take('c', points, 60, now)
          if (refused.paid) {
            replay.push([now, points])
            continue
          }
          expect(quotaUpTo().take('c', points, 60, now + refused.retryAfter * 1000).paid).toBe(true)
          if (refused.retryAfter > 1) {
            expect(quotaUpTo().take('c', points, 60, now + (refused.retryAfter - 1) * 1000).paid).toBe(false)
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('costs nothing when refused, and gives back what was not used', () => {
    const quota = new Quota(10)
    expect(quota.take('c', 500, 600, start).paid).toBe(true)
    expect(quota.take('c', 101, 600, start)).toMatchObject({ paid: false, remaining: 100 })
    quota.giveBack('c', 60, start, start)
    expect(quota.take('c', 160, 600, start)).toMatchObject({ paid: true, remaining: 0 })
  })

  it('gives back what was taken in an earlier second too, and never more than was taken', () => {
    const quota = new Quota(10)
    quota.take('c', 2, 600, start)
    quota.giveBack('c', 1, start, start + 2_000)
    expect(quota.readState('c', 600, start + 2_000)).toEqual({ remaining: 599, resetSeconds: 59 })
    quota.giveBack('c', 5, start, start + 3_000)
    expect(quota.readState('c', 600, start + 3_000)).toEqual({ remaining: 600, resetSeconds: 0 })
    quota.take('c', 3, 600, start + 4_000)
    expect(quota.readState('c', 600, start + 4_000).remaining).toBe(597)
  })

  it('tells when all of it is there again', () => {
    const quota = new Quota(10)
    expect(quota.readState('c', 600, start)).toEqual({ remaining: 600, resetSeconds: 0 })
    quota.take('c', 10, 600, start + 500)
    expect(quota.readState('c', 600, start + 500)).toEqual({ remaining: 590, resetSeconds: 61 })
    expect(quota.readState('c', 600, start + 61_000)).toEqual({ remaining: 600, resetSeconds: 0 })
  })

  it('creates no points when the clock is set back', () => {
    const quota = new Quota(10)
    quota.take('c', 600, 600, start)
    expect(quota.take('c', 1, 600, start - 3_600_000).paid).toBe(false)
    expect(quota.take('other', 1, 600, start).paid).toBe(true)
  })

  it('spends what is left where fewer points will do, and at least one', () => {
    const quota = new Quota(10)
    expect(quota.takeUpTo('c', 4, 10, start)).toEqual({ paid: true, points: 4, remaining: 6, retryAfter: 0 })
    expect(quota.takeUpTo('c', 9, 10, start)).toEqual({ paid: true, points: 6, remaining: 0, retryAfter: 0 })
    expect(quota.takeUpTo('c', 9, 10, start)).toEqual({
      paid: false,
      points: 0,
      remaining: 0,
      retryAfter: 61,
    })
    quota.giveBack('c', 1, start, start)
    expect(quota.takeUpTo('c', 9, 10, start)).toMatchObject({ paid: true, points: 1 })
  })

  it('spends nothing for a test, which says what a purchase would', () => {
    const quota = new Quota(10)
    for (let time = 0; time < 3; time++)
      expect(quota.test('c', 10, 10, start)).toEqual({ paid: true, points: 0, remaining: 10, retryAfter: 0 })
    quota.take('c', 8, 10, start)
    expect(quota.test('c', 2, 10, start)).toMatchObject({ paid: true, remaining: 2 })
    expect(quota.test('c', 3, 10, start)).toEqual({ paid: false, points: 0, remaining: 2, retryAfter: 61 })
    expect(quota.take('c', 3, 10, start)).toEqual({ paid: false, points: 0, remaining: 2, retryAfter: 61 })
  })

  it('tells who asks for more than the limit to come back after a whole window', () => {
    expect(new Quota(10).take('c', 11, 10, start)).toMatchObject({ paid: false, retryAfter: 60 })
  })

  it('has nothing left, and not less than nothing, if the limit was lowered', () => {
    const quota = new Quota(10)
    quota.take('c', 10, 10, start)
    expect(quota.take('c', 1, 5, start)).toMatchObject({ paid: false, remaining: 0 })
    expect(quota.readState('c', 5, start)).toMatchObject({ remaining: 0 })
  })

  it('does not count points twice that were given back before their second left the window', () => {
    const quota = new Quota(10)
    quota.take('c', 6, 10, start)
    quota.take('c', 2, 10, start + 1_000)
    quota.giveBack('c', 5, start, start + 2_000)
    expect(quota.readState('c', 10, start + 2_000)).toEqual({ remaining: 7, resetSeconds: 60 })
    expect(quota.readState('c', 10, start + 61_000)).toEqual({ remaining: 8, resetSeconds: 1 })
    for (const seconds of [62, 130])
      expect(quota.readState('c', 10, start + seconds * 1_000)).toEqual({ remaining: 10, resetSeconds: 0 })
    expect(quota.take('c', 11, 10, start + 131_000).paid).toBe(false)
  })

  it('returns points to the second in which they were taken, and none that have left the window', () => {
    const quota = new Quota(10)
    quota.take('c', 6, 10, start)
    quota.take('c', 4, 10, start + 59_000)
    quota.giveBack('c', 6, start, start + 59_000)
    expect(quota.readState('c', 10, start + 61_000)).toEqual({ remaining: 6, resetSeconds: 59 })
    quota.giveBack('c', 6, start, start + 61_000)
    expect(quota.readState('c', 10, start + 61_000)).toEqual({ remaining: 6, resetSeconds: 59 })
  })

  it('creates no points when the clock goes back and forth', () => {
    const quota = new Quota(10)
    quota.take('c', 600, 600, start)
    quota.readState('c', 600, start - 3_600_000)
    expect(quota.take('c', 1, 600, start).paid).toBe(false)
  })

  it('works from the first second of a clock that begins at 0', () => {
    const quota = new Quota(10)
    expect(quota.take('c', 10, 10, 0).paid).toBe(true)
    expect(quota.take('c', 1, 10, 500)).toMatchObject({ paid: false, retryAfter: 61 })
    expect(quota.take('c', 1, 10, 60_999).paid).toBe(false)
    expect(quota.take('c', 1, 10, 61_000).paid).toBe(true)
  })

  it('forgets the subject that was idle longest when there are too many', () => {
    const quota = new Quota(2)
    for (const subject of ['a', 'b', 'c']) quota.take(subject, 1, 10, start)
    expect(['c', 'b', 'a'].map((subject) => quota.readState(subject, 10, start).remaining)).toEqual([
      9, 9, 10,
    ])
  })
})
