import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { readRetryAfter } from '../errors/from-response.ts'
import { planDelay } from './retry.ts'

const failure = (more = {}) =>
  new GatewayError({ code: 'UPSTREAM_ERROR', message: '', retryable: true, ...more })

describe('the delay before a retry', () => {
  it('is a random part of a delay that doubles, up to 8 seconds', () => {
    const most = [0, 1, 2, 3, 4, 9].map((retries) => planDelay(failure(), retries, () => 1))
    expect(most).toEqual([500, 1000, 2000, 4000, 8000, 8000])
    expect(planDelay(failure(), 9, () => 0)).toBe(0)
  })

  it('is never shorter than the gateway asks', () => {
    expect(planDelay(failure({ retryAfterMs: 7_000 }), 0, () => 0)).toBe(7_000)
    expect(planDelay(failure({ retryAfterMs: 7_000 }), 0, () => 1)).toBe(7_500)
  })

  it('is at least a second after a 429 that does not say how long', () => {
    expect(planDelay(failure({ status: 429 }), 0, () => 0)).toBe(1_000)
  })

  it('does not exist for a failure that is final', () => {
    expect(planDelay(failure({ retryable: false, retryAfterMs: 1 }), 0, () => 0)).toBeUndefined()
  })
})

describe('Retry-After', () => {
  it.each([
    ['2', 2_000],
    ['0', 0],
    ['1.5', 1_500],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-3', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s is %s ms', (value, ms) => {
    expect(readRetryAfter(value, () => Date.UTC(2026, 10, 21, 12))).toBe(ms)
  })
})
