import { InputNotAccepted, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { ErpWatch } from './watch.ts'

function createWatch() {
  let now = 0
  const clock: Clock = { now: () => now, monotonic: () => now, machine: () => 0 }
  const lines: string[] = []
  const collectLine = (_fields: object, message: string) => void lines.push(message)
  const log: Log = { debug: collectLine, info: collectLine, warn: collectLine, error: collectLine }
  const watch = new ErpWatch(clock, log, 'The ERP at erp.example')
  return {
    watch,
    lines,
    pass: (ms: number) => {
      now += ms
    },
    answer: () => watch.call(async () => 1),
    /** A response that the connector may have given without its ERP. */
    answerUnproven: () =>
      watch.call(
        async () => 1,
        () => false,
      ),
    fail: (kind: UnknownOutcome['kind'] = 'unreachable') =>
      watch.call(() => Promise.reject(new UnknownOutcome(kind, 'secret words'))).catch(() => undefined),
  }
}

describe('an ERP that is watched', () => {
  it('is said to be away once, from its first failure before any answer, and once to be back', async () => {
    const { watch, lines, answer, fail } = createWatch()
    expect(watch.verdict).toBe('not_asked_yet')
    for (let call = 0; call < 100; call++) await fail()
    expect(watch.verdict).toBe('does_not_answer')
    await answer()
    await answer()
    expect(watch.verdict).toBe('answers')
    expect(lines).toEqual([
      expect.stringContaining('The ERP at erp.example does not respond (no connection)'),
      'The ERP at erp.example responds again',
    ])
    expect(lines.join()).not.toContain('secret')
  })

  it('answers also where it does not accept an input, which is said once for each operation', async () => {
    const { watch, lines } = createWatch()
    for (const operation of ['bills', 'bills', 'bills', 'refunds', 'bills'] as const)
      await watch.call(() => Promise.reject(new InputNotAccepted(operation))).catch(() => undefined)
    expect(watch.verdict).toBe('answers')
    expect(lines).toEqual([
      expect.stringContaining('bills: the connector does not accept the input'),
      expect.stringContaining('refunds: the connector does not accept the input'),
    ])
    expect(lines.join()).not.toContain('UPSTREAM_TOKEN')
  })

  it('is not away for one broken connection between answers', async () => {
    const { watch, lines, answer, fail } = createWatch()
    for (let call = 0; call < 20; call++) {
      await answer()
      await fail()
    }
    expect([watch.verdict, lines]).toEqual(['answers', []])
  })

  it('reports an ERP as not responding once a call has had no response for five seconds', async () => {
    const { watch, lines, answer, pass } = createWatch()
    await answer()
    pass(1)
    const { promise, resolve } = Promise.withResolvers<number>()
    const call = watch.call(() => promise)
    pass(4_999)
    expect(watch.verdict).toBe('answers')
    pass(1)
    expect(watch.verdict).toBe('does_not_answer')
    expect(watch.answerAgeSeconds).toBe(5)
    resolve(1)
    await call
    expect(watch.verdict).toBe('answers')
    expect(lines).toHaveLength(2)
  })

  it('is away until a response shows that it is back, whatever its connector returns meanwhile', async () => {
    const { watch, lines, answer, answerUnproven, fail, pass } = createWatch()
    await answer()
    pass(7_000)
    for (let call = 0; call < 3; call++) {
      await fail()
      await answerUnproven()
      await watch.call(() => Promise.reject(new InputNotAccepted('quote'))).catch(() => undefined)
    }
    expect([watch.verdict, watch.answerAgeSeconds]).toEqual(['does_not_answer', 7])
    await answer()
    expect([watch.verdict, watch.answerAgeSeconds]).toEqual(['answers', 0])
    expect(lines.filter((line) => line.endsWith('responds again'))).toHaveLength(1)
  })

  it('answers from the first response, also one of the connector alone', async () => {
    const { watch, answerUnproven } = createWatch()
    await answerUnproven()
    expect([watch.verdict, watch.answerAgeSeconds]).toEqual(['answers', null])
  })

  it('hangs after 15 seconds if only its connector responds, and should be asked after five', async () => {
    const { watch, answer, answerUnproven, pass } = createWatch()
    await answer()
    pass(1)
    const { promise, resolve } = Promise.withResolvers<number>()
    const call = watch.call(() => promise)
    pass(4_999)
    await answerUnproven()
    expect([watch.verdict, watch.isOverdue]).toEqual(['answers', false])
    pass(1)
    expect([watch.verdict, watch.isOverdue]).toEqual(['answers', true])
    pass(9_999)
    expect(watch.verdict).toBe('answers')
    pass(1)
    expect(watch.verdict).toBe('does_not_answer')
    resolve(1)
    await call
    expect([watch.verdict, watch.isOverdue]).toEqual(['answers', false])
  })

  it('answers while one slow call runs beside others that are answered', async () => {
    const { watch, answer, pass } = createWatch()
    const { promise, resolve } = Promise.withResolvers<number>()
    const slow = watch.call(() => promise)
    pass(10_000)
    await answer()
    expect(watch.verdict).toBe('answers')
    resolve(1)
    await slow
  })
})
