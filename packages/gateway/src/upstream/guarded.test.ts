import { createErp, type Erp, InputNotAccepted, ok, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { deriveGuarantee } from './guarantee.ts'
import { guardErp, maxWaitToSendMs } from './guarded.ts'
import { refuseWrites } from './read-only.ts'

/** Creates a clock that does not advance by itself. */
function createStillClock() {
  let [now, suspendedMs] = [0, 0]
  const clock: Clock & { move(ms: number): void; suspend(ms: number): void } = {
    now: () => now,
    monotonic: () => now,
    machine: () => now + suspendedMs,
    move: (ms) => {
      now += ms
    },
    suspend: (ms) => {
      suspendedMs += ms
    },
  }
  return clock
}

const failed = () => Promise.reject(new UnknownOutcome('failed', 'It failed.'))
const release = { reference: 'TG1', reason: 'release' } as const

/** Creates an ERP that counts the calls that reach it. */
function createCountingErp(answer: () => Promise<unknown>) {
  const calls: string[] = []
  const erp = createErp(async (id) => {
    calls.push(id)
    return ok(await answer())
  })
  return { erp, calls }
}

async function catchOutcome(call: Promise<unknown>): Promise<UnknownOutcome | undefined> {
  return call.then(
    () => undefined,
    (error) => {
      if (error instanceof UnknownOutcome) return error
      throw error
    },
  )
}

describe('a write', () => {
  it('is never sent twice, whatever comes back', async () => {
    const { erp, calls } = createCountingErp(failed)
    expect((await catchOutcome(guardErp(erp, createStillClock()).erp.release(release)))?.sent).toBe(true)
    expect(calls).toEqual(['release'])
  })

  it(
    'that waits too long for its turn is told as never sent',
    async () => {
      const { erp, calls } = createCountingErp(() => new Promise(() => {}))
      const { erp: guard } = guardErp(erp, createStillClock())
      const running = Array.from({ length: 32 }, () => catchOutcome(guard.warehouses({})))
      const late = await catchOutcome(guard.release(release))
      expect(running).toHaveLength(32)
      expect(late?.sent).toBe(false)
      expect(calls.filter((id) => id === 'release')).toEqual([])
    },
    maxWaitToSendMs * 5,
  )
})

describe('a write that waits for its turn', () => {
  it.each([
    ['is sent after the longest wait', maxWaitToSendMs, true],
    ['is not sent if the machine was suspended for longer', maxWaitToSendMs + 1, false],
  ])('%s', async (_what, suspendedMs, isSent) => {
    const { promise: answer, resolve } = Promise.withResolvers<unknown>()
    const { erp, calls } = createCountingErp(() => answer)
    const clock = createStillClock()
    const { erp: guard } = guardErp(erp, clock)
    const running = Array.from({ length: 32 }, () => guard.warehouses({}))
    const waiting = catchOutcome(guard.release(release))
    clock.suspend(suspendedMs)
    resolve({})
    await Promise.all(running)
    expect((await waiting)?.sent).toBe(isSent ? undefined : false)
    expect(calls.includes('release')).toBe(isSent)
  })
})

describe('a read', () => {
  it('is tried again a few times out of a budget, so that an outage is not multiplied', async () => {
    const { erp, calls } = createCountingErp(failed)
    const clock = createStillClock()
    const { erp: guard } = guardErp(erp, clock)
    for (let call = 0; call < 200; call++) {
      await catchOutcome(guard.warehouses({}))
      clock.move(2_000)
    }
    expect(calls.length).toBeLessThanOrEqual(200 * 1.1 + 10)
    expect(calls.length).toBeGreaterThan(0)
  })

  it('whose input is not accepted is sent once, and opens no circuit for the calls of others', async () => {
    const { erp, calls } = createCountingErp(() => Promise.reject(new InputNotAccepted('warehouses')))
    const guard = guardErp(erp, createStillClock())
    for (let call = 0; call < 40; call++) await catchOutcome(guard.erp.warehouses({}))
    expect([calls.length, guard.state()]).toEqual([40, 'closed'])
  })

  it('of a password is not tried again: it would count twice', async () => {
    const { erp, calls } = createCountingErp(failed)
    await catchOutcome(guardErp(erp, createStillClock()).erp.sign_in({ username: 'a', password: 'b' }))
    expect(calls).toEqual(['sign_in'])
  })
})

describe('the circuit', () => {
  async function openCircuit() {
    let isDown = true
    const clock = createStillClock()
    const { erp, calls } = createCountingErp(() => (isDown ? failed() : Promise.resolve({})))
    const guard = guardErp(erp, clock)
    for (let call = 0; call < 20; call++) await catchOutcome(guard.erp.release(release))
    const heal = () => {
      isDown = false
    }
    return { guard, calls, clock, heal }
  }

  it('opens when half of twenty calls had no answer, and then sends nothing', async () => {
    const { guard, calls } = await openCircuit()
    expect(guard.state()).toBe('open')
    const before = calls.length
    expect((await catchOutcome(guard.erp.release(release)))?.sent).toBe(false)
    expect(calls.length).toBe(before)
  })

  it('lets one call through after a while, and closes when that is answered', async () => {
    const { guard, calls, clock, heal } = await openCircuit()
    clock.move(2_000)
    heal()
    const before = calls.length
    const [first, second] = await Promise.all([
      catchOutcome(guard.erp.release(release)),
      catchOutcome(guard.erp.release(release)),
    ])
    expect([first, second?.sent]).toEqual([undefined, false])
    expect(calls.length).toBe(before + 1)
    expect(guard.state()).toBe('closed')
  })

  it('opens again when that call fails', async () => {
    const { guard, clock } = await openCircuit()
    clock.move(2_000)
    await catchOutcome(guard.erp.release(release))
    expect(guard.state()).toBe('open')
  })

  it('takes a refusal for an answer', async () => {
    const erp = { release: async () => ({ rejected: { reason: 'not_found', message: 'no' } }) }
    const guard = guardErp(createRefusingErp(erp), createStillClock())
    for (let call = 0; call < 40; call++) await guard.erp.release(release)
    expect(guard.state()).toBe('closed')
  })
})

/** Creates an ERP in which only the given operations may be called. */
function createRefusingErp(part: object): Erp {
  return part as Erp
}

describe('read-only mode', () => {
  it('lets no write through, and every read', async () => {
    const { erp, calls } = createCountingErp(async () => ({}))
    const wall = refuseWrites(erp, {
      requireOpen() {
        throw new GatewayError('READ_ONLY_MODE')
      },
    })
    await expect(wall.release(release)).rejects.toBeInstanceOf(GatewayError)
    await expect(wall.void({ reference: 'TG1' })).rejects.toBeInstanceOf(GatewayError)
    await wall.lookup({ reference: 'TG1' })
    expect(calls).toEqual(['lookup'])
  })
})

describe('what an order is worth', () => {
  const base = {
    dedupes_by_reference: false,
    lookup: 'strong',
    lookup_lag_ms: 0,
    max_request_ms: 5_000,
    changes: 'poll',
    stock_seq: true,
    holds: 'plain',
    serialise: 'nothing',
    ledger: false,
    sign_in: true,
    settles: false,
    hint_lag_ms: 0,
    allocates_from: 'many',
    max_lines: 500,
  } as const

  it('follows from what the ERP can say of a reference', () => {
    expect(deriveGuarantee({ ...base, dedupes_by_reference: true }).class).toBe('exactly_once')
    expect(deriveGuarantee(base)).toMatchObject({ class: 'exactly_once_bounded' })
    expect(deriveGuarantee(base).says).toContain('5000 ms')
    expect(deriveGuarantee({ ...base, dedupes_by_reference: true, lookup: 'none' }).class).toBe(
      'at_most_once',
    )
  })
})
