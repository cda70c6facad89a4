import { createServer, type Server } from 'node:http'
import { accepted, type CallOptions, erpClient, erpServer, UnknownOutcome } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  holdInput,
  openTestErp,
  plentiful,
  quoteInput,
  stockOf,
  submitInput,
  type TestErp,
} from '../orders/test-erp.ts'
import type { FaultPlan } from './plan.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => {
  vi.useRealTimers()
  erp.close()
})

/** What the caller of a submit sees: a status, a reason, or the kind of what is not known. */
async function seen(reference: string, options: CallOptions = {}, sku = plentiful): Promise<string> {
  try {
    const answer = await erp.erp.submit(submitInput(erp, reference, { [sku]: 1 }), options)
    return 'ok' in answer ? answer.ok.document.status : answer.rejected.reason
  } catch (error) {
    if (error instanceof UnknownOutcome) return error.kind
    throw error
  }
}

async function isThere(reference: string): Promise<boolean> {
  return accepted(await erp.erp.lookup({ reference })).state === 'found'
}

const givenUp = () => ({ signal: AbortSignal.timeout(5) })

describe('a fault on demand', () => {
  it('fails, before or after the commit', async () => {
    expect(await seen('o-1', { fault: 'UPSTREAM_ERROR' })).toBe('failed')
    expect(await isThere('o-1')).toBe(false)
    expect(await seen('o-2', { fault: 'UPSTREAM_ERROR;after=commit' })).toBe('failed')
    expect(await isThere('o-2')).toBe(true)
  })

  it('never answers until the caller gives up, before or after the commit', async () => {
    expect(await seen('o-1', { fault: 'UPSTREAM_TIMEOUT', ...givenUp() })).toBe('timeout')
    expect(await isThere('o-1')).toBe(false)
    expect(await seen('o-2', { fault: 'UPSTREAM_TIMEOUT;after=commit', ...givenUp() })).toBe('timeout')
    expect(await isThere('o-2')).toBe(true)
  })

  it('refuses and does nothing', async () => {
    expect(await seen('o-1', { fault: 'UPSTREAM_REJECTED' })).toBe('invalid_state')
    expect(await isThere('o-1')).toBe(false)
  })

  it('cuts the answer of what it did', async () => {
    expect(await seen('o-1', { fault: 'CUT' })).toBe('unreachable')
    expect(await isThere('o-1')).toBe(true)
  })

  it('delivers twice: one order where references are noticed, two where they are not', async () => {
    expect(await seen('o-1', { fault: 'DUPLICATE' })).toBe('open')
    expect(stockOf(erp, plentiful)[1]).toBe(1)
    const careless = await openTestErp({ capabilities: { dedupes_by_reference: false } })
    await careless.erp.submit(submitInput(careless, 'o-1', { [plentiful]: 1 }), { fault: 'DUPLICATE' })
    expect(stockOf(careless, plentiful)[1]).toBe(2)
    careless.close()
  })

  it('answers late, or does it late, but never later than the ERP says', async () => {
    vi.useFakeTimers()
    const slow = seen('o-1', { fault: 'SLOW;delay=50' })
    await vi.advanceTimersByTimeAsync(49)
    expect(await isThere('o-1')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await slow).toBe('open')
    const caller = new AbortController()
    const late = seen('o-2', { fault: 'LATE;delay=60000', signal: caller.signal })
    caller.abort()
    expect(await late).toBe('timeout')
    await vi.advanceTimersByTimeAsync(9_999)
    expect(await isThere('o-2')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await isThere('o-2')).toBe(true)
  })

  it('delivers nothing any more once the ERP is closed', async () => {
    vi.useFakeTimers()
    const other = await openTestErp()
    const signal = AbortSignal.abort()
    const call = other.erp.submit(submitInput(other, 'o-1', { [plentiful]: 1 }), { fault: 'LATE', signal })
    await expect(call).rejects.toThrow('never answered')
    other.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('strikes so many times for one document, and each document anew', async () => {
    const fault = 'UPSTREAM_ERROR;times=2'
    const outcomes = []
    for (let call = 0; call < 3; call++) outcomes.push(await seen('o-1', { fault }))
    expect(outcomes).toEqual(['failed', 'failed', 'open'])
    expect(await seen('o-2', { fault })).toBe('failed')
  })

  it('strikes reads too, and says what a fault is where it is none', async () => {
    await expect(
      erp.erp.quote(quoteInput(erp, { [plentiful]: 1 }), { fault: 'UPSTREAM_ERROR' }),
    ).rejects.toThrow()
    expect(await seen('o-1', { fault: 'EARTHQUAKE' })).toBe('invalid_field')
    expect(await isThere('o-1')).toBe(false)
  })

  it('comes with the magic SKUs', async () => {
    expect(await seen('o-1', {}, 'SBX-REJECT')).toBe('invalid_state')
    expect(await seen('o-2', givenUp(), 'SBX-TIMEOUT')).toBe('timeout')
    expect(await isThere('o-2')).toBe(true)
    expect(await seen('o-2', {}, 'SBX-TIMEOUT')).toBe('open')
    vi.useFakeTimers()
    const slow = seen('o-3', {}, 'SBX-SLOW-8')
    await vi.advanceTimersByTimeAsync(7_999)
    expect(await isThere('o-3')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await slow).toBe('open')
  })
})

describe('a plan of faults', () => {
  const plan: FaultPlan = { seed: 5, before: 0.2, after_commit: 0.2, cut: 0.2, duplicate: 0.2 }

  async function fates(plan: FaultPlan): Promise<string[]> {
    const other = await openTestErp()
    other.steering.setFaults(plan)
    const outcomes: string[] = []
    for (let number = 0; number < 60; number++) {
      const call = other.erp.hold(holdInput(other, `h-${number}`, { [plentiful]: 1 }))
      outcomes.push(
        await call.then(
          () => 'answered',
          (error: Error) => error.message,
        ),
      )
    }
    other.close()
    return outcomes
  }

  it('strikes writes only, the same way for the same seed, and counts', async () => {
    const once = await fates(plan)
    expect(new Set(once).size).toBe(3)
    expect(await fates(plan)).toEqual(once)
    expect(await fates({ ...plan, seed: 6 })).not.toEqual(once)
    erp.steering.setFaults({ before: 1 })
    expect(await seen('o-1')).toBe('failed')
    expect(await isThere('o-1')).toBe(false)
    expect(erp.steering.faults).toMatchObject({ plan: { before: 1 }, shown: { UPSTREAM_ERROR: 1 } })
    erp.steering.setFaults({})
    expect(await seen('o-1')).toBe('open')
  })

  it('yields to a fault that the call asks for', async () => {
    erp.steering.setFaults({ before: 1 })
    expect(await seen('o-1', { fault: 'DUPLICATE' })).toBe('open')
  })

  it('is refused where it is none', () => {
    expect(() => erp.steering.setFaults({ before: 0.6, cut: 0.6 })).toThrow('more than 1')
    expect(() => erp.steering.setFaults({ before: 2 })).toThrow()
  })
})

describe('behind HTTP', () => {
  let server: Server
  const token = 'a token of the test'
  const failures: unknown[] = []

  async function behindHttp<T>(work: (url: string) => Promise<T>): Promise<T> {
    server = createServer(erpServer(erp.erp, { token, onFailure: (_path, error) => failures.push(error) }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    try {
      return await work(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  it('cuts the connection in the middle of the answer, and does the rest as in process', async () => {
    await behindHttp(async (url) => {
      const client = erpClient(url, token)
      const fate = (reference: string, options: CallOptions) =>
        client.erp.submit(submitInput(erp, reference, { [plentiful]: 1 }), options).then(
          () => 'answered',
          (error: unknown) => (error instanceof UnknownOutcome ? error.kind : String(error)),
        )
      expect(await fate('o-1', { fault: 'CUT' })).toBe('unreachable')
      expect(await isThere('o-1')).toBe(true)
      expect(await fate('o-2', { fault: 'UPSTREAM_ERROR;after=commit' })).toBe('failed')
      expect(await isThere('o-2')).toBe(true)
      expect(
        await fate('o-3', { fault: 'UPSTREAM_TIMEOUT;after=commit', signal: AbortSignal.timeout(50) }),
      ).toBe('timeout')
      expect(await isThere('o-3')).toBe(true)
      expect(await fate('o-4', { fault: 'DUPLICATE' })).toBe('answered')
      await client.close()
    })
    expect(failures.filter((error) => !(error instanceof UnknownOutcome))).toEqual([])
  })
})
