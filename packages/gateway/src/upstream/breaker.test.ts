import { InputNotAccepted, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { Breaker } from './breaker.ts'

/** Creates a circuit breaker with a clock that only the test moves. */
function createBreaker() {
  let at = 0
  const breaker = new Breaker({ now: () => at, monotonic: () => at, machine: () => 0 })
  const ended = (failed: boolean) =>
    breaker
      .run('stock.read', async () => {
        if (failed) throw new UnknownOutcome('unreachable', 'as it happens')
      })
      .then(
        () => 'answered',
        (error: UnknownOutcome) => (error.sent ? 'failed' : 'not sent'),
      )
  /** A response that the connector may have given without its ERP. */
  const endedUnproven = () =>
    breaker
      .run(
        'warehouses',
        async () => {},
        () => false,
      )
      .then(
        () => 'answered',
        () => 'not sent',
      )
  return { breaker, ended, endedUnproven, pass: (ms: number) => (at += ms) }
}

async function makeCalls(ended: (failed: boolean) => Promise<string>, count: number, failed: boolean) {
  for (let call = 0; call < count; call++) await ended(failed)
}

describe('the circuit breaker', () => {
  it('opens at half of twenty calls, not at nineteen and not below half', async () => {
    const few = createBreaker()
    await makeCalls(few.ended, 19, true)
    expect(few.breaker.state).toBe('closed')
    expect(await few.ended(true)).toBe('failed')
    expect(few.breaker.state).toBe('open')
    expect(await few.ended(false)).toBe('not sent')
    const mixed = createBreaker()
    await makeCalls(mixed.ended, 11, false)
    await makeCalls(mixed.ended, 10, true)
    expect(mixed.breaker.state).toBe('closed')
    await makeCalls(mixed.ended, 1, true)
    expect(mixed.breaker.state).toBe('open')
  })

  it('forgets what is longer ago than its window, second by second', async () => {
    const { breaker, ended, pass } = createBreaker()
    await makeCalls(ended, 15, true)
    pass(10_000)
    await makeCalls(ended, 19, true)
    expect(breaker.state).toBe('closed')
    pass(9_000)
    await makeCalls(ended, 1, true)
    expect(breaker.state).toBe('open')
  })

  it('lets one call through after its pause, and that one decides', async () => {
    const { breaker, ended, pass } = createBreaker()
    await makeCalls(ended, 20, true)
    pass(2_000)
    expect(breaker.state).toBe('half_open')
    expect(await Promise.all([ended(true), ended(false)])).toEqual(['failed', 'not sent'])
    expect(breaker.state).toBe('open')
    pass(2_000)
    expect(await ended(false)).toBe('answered')
    expect(breaker.state).toBe('closed')
    await makeCalls(ended, 19, true)
    expect(breaker.state).toBe('closed')
  })

  it('decides no trial by a response that the connector may have given alone, and tries the next call', async () => {
    const { breaker, ended, endedUnproven, pass } = createBreaker()
    await makeCalls(ended, 20, true)
    pass(2_000)
    expect(await endedUnproven()).toBe('answered')
    await breaker.run('quote', () => Promise.reject(new InputNotAccepted('quote'))).catch(() => {})
    expect(breaker.state).toBe('half_open')
    expect(await ended(true)).toBe('failed')
    expect(breaker.state).toBe('open')
    pass(2_000)
    expect(await ended(false)).toBe('answered')
    expect(breaker.state).toBe('closed')
  })

  it('counts such responses among the calls while it is closed', async () => {
    const { breaker, ended, endedUnproven } = createBreaker()
    await makeCalls(() => endedUnproven(), 11, false)
    await makeCalls(ended, 10, true)
    expect(breaker.state).toBe('closed')
    await makeCalls(ended, 1, true)
    expect(breaker.state).toBe('open')
  })
})
