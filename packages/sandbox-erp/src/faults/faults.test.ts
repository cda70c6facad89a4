import { createServer, type Server } from 'node:http'
import { type CallOptions, erpClient, erpServer, UnknownOutcome, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createHoldInput,
  createQuoteInput,
  createSubmitInput,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'
import type { FaultPlan } from './plan.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => {
  vi.useRealTimers()
  erp.close()
})

/** Submits an order and returns what its caller observes: a status, a reason, or the kind of the unknown outcome. */
async function submitAndDescribe(
  reference: string,
  options: CallOptions = {},
  sku = plentiful,
): Promise<string> {
  try {
    const answer = await erp.erp.submit(createSubmitInput(erp, reference, { [sku]: 1 }), options)
    return 'ok' in answer ? answer.ok.document.status : answer.rejected.reason
  } catch (error) {
    if (error instanceof UnknownOutcome) return error.kind
    throw error
  }
}

async function isOrderFound(reference: string): Promise<boolean> {
  return unwrap(await erp.erp.lookup({ reference })).state === 'found'
}

const withDeadline = () => ({ signal: AbortSignal.timeout(5) })

describe('a fault on demand', () => {
  it('fails, before or after the commit', async () => {
    expect(await submitAndDescribe('o-1', { fault: 'UPSTREAM_ERROR' })).toBe('failed')
    expect(await isOrderFound('o-1')).toBe(false)
    expect(await submitAndDescribe('o-2', { fault: 'UPSTREAM_ERROR;after=commit' })).toBe('failed')
    expect(await isOrderFound('o-2')).toBe(true)
  })

  it('does not respond until the caller gives up, before or after the commit', async () => {
    expect(await submitAndDescribe('o-1', { fault: 'UPSTREAM_TIMEOUT', ...withDeadline() })).toBe('timeout')
    expect(await isOrderFound('o-1')).toBe(false)
    expect(
      await submitAndDescribe('o-2', { fault: 'UPSTREAM_TIMEOUT;after=commit', ...withDeadline() }),
    ).toBe('timeout')
    expect(await isOrderFound('o-2')).toBe(true)
  })

  it('refuses and does nothing', async () => {
    expect(await submitAndDescribe('o-1', { fault: 'UPSTREAM_REJECTED' })).toBe('invalid_state')
    expect(await isOrderFound('o-1')).toBe(false)
  })

  it('cuts the response after the commit', async () => {
    expect(await submitAndDescribe('o-1', { fault: 'CUT' })).toBe('unreachable')
    expect(await isOrderFound('o-1')).toBe(true)
  })

  it('delivers twice: one order where references are noticed, two where they are not', async () => {
    expect(await submitAndDescribe('o-1', { fault: 'DUPLICATE' })).toBe('open')
    expect(readStock(erp, plentiful)[1]).toBe(1)
    const careless = await openTestErp({ capabilities: { dedupes_by_reference: false } })
    await careless.erp.submit(createSubmitInput(careless, 'o-1', { [plentiful]: 1 }), { fault: 'DUPLICATE' })
    expect(readStock(careless, plentiful)[1]).toBe(2)
    careless.close()
  })

  it('responds late or commits late, but never later than the declared max_request_ms', async () => {
    vi.useFakeTimers()
    const slow = submitAndDescribe('o-1', { fault: 'SLOW;delay=50' })
    await vi.advanceTimersByTimeAsync(49)
    expect(await isOrderFound('o-1')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await slow).toBe('open')
    const caller = new AbortController()
    const late = submitAndDescribe('o-2', { fault: 'LATE;delay=60000', signal: caller.signal })
    caller.abort()
    expect(await late).toBe('timeout')
    await vi.advanceTimersByTimeAsync(9_999)
    expect(await isOrderFound('o-2')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await isOrderFound('o-2')).toBe(true)
  })

  it('delivers nothing after the ERP is closed', async () => {
    vi.useFakeTimers()
    const other = await openTestErp()
    const signal = AbortSignal.abort()
    const call = other.erp.submit(createSubmitInput(other, 'o-1', { [plentiful]: 1 }), {
      fault: 'LATE',
      signal,
    })
    await expect(call).rejects.toThrow('did not respond')
    other.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is injected `times` times for each document', async () => {
    const fault = 'UPSTREAM_ERROR;times=2'
    const outcomes = []
    for (let call = 0; call < 3; call++) outcomes.push(await submitAndDescribe('o-1', { fault }))
    expect(outcomes).toEqual(['failed', 'failed', 'open'])
    expect(await submitAndDescribe('o-2', { fault })).toBe('failed')
  })

  it('strikes reads too, and says what a fault is where it is none', async () => {
    await expect(
      erp.erp.quote(createQuoteInput(erp, { [plentiful]: 1 }), { fault: 'UPSTREAM_ERROR' }),
    ).rejects.toThrow()
    expect(await submitAndDescribe('o-1', { fault: 'EARTHQUAKE' })).toBe('invalid_field')
    expect(await isOrderFound('o-1')).toBe(false)
  })

  it('comes with the magic SKUs', async () => {
    expect(await submitAndDescribe('o-1', {}, 'SBX-REJECT')).toBe('invalid_state')
    expect(await submitAndDescribe('o-2', withDeadline(), 'SBX-TIMEOUT')).toBe('timeout')
    expect(await isOrderFound('o-2')).toBe(true)
    expect(await submitAndDescribe('o-2', {}, 'SBX-TIMEOUT')).toBe('open')
    vi.useFakeTimers()
    const slow = submitAndDescribe('o-3', {}, 'SBX-SLOW-8')
    await vi.advanceTimersByTimeAsync(7_999)
    expect(await isOrderFound('o-3')).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await slow).toBe('open')
  })
})

describe('a plan of faults', () => {
  const plan: FaultPlan = { seed: 5, before: 0.2, after_commit: 0.2, cut: 0.2, duplicate: 0.2 }

  async function listOutcomes(plan: FaultPlan): Promise<string[]> {
    const other = await openTestErp()
    other.steering.setFaults(plan)
    const outcomes: string[] = []
    for (let number = 0; number < 60; number++) {
      const call = other.erp.hold(createHoldInput(other, `h-${number}`, { [plentiful]: 1 }))
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
    const once = await listOutcomes(plan)
    expect(new Set(once).size).toBe(3)
    expect(await listOutcomes(plan)).toEqual(once)
    expect(await listOutcomes({ ...plan, seed: 6 })).not.toEqual(once)
    erp.steering.setFaults({ before: 1 })
    expect(await submitAndDescribe('o-1')).toBe('failed')
    expect(await isOrderFound('o-1')).toBe(false)
    expect(erp.steering.faults).toMatchObject({ plan: { before: 1 }, shown: { UPSTREAM_ERROR: 1 } })
    erp.steering.setFaults({})
    expect(await submitAndDescribe('o-1')).toBe('open')
  })

  it('yields to a fault that the call asks for', async () => {
    erp.steering.setFaults({ before: 1 })
    expect(await submitAndDescribe('o-1', { fault: 'DUPLICATE' })).toBe('open')
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

  async function serveOverHttp<T>(work: (url: string) => Promise<T>): Promise<T> {
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

  it('cuts the connection in the middle of the response, and behaves otherwise as in process', async () => {
    await serveOverHttp(async (url) => {
      const client = erpClient(url, token)
      const describeOutcome = (reference: string, options: CallOptions) =>
        client.erp.submit(createSubmitInput(erp, reference, { [plentiful]: 1 }), options).then(
          () => 'answered',
          (error: unknown) => (error instanceof UnknownOutcome ? error.kind : String(error)),
        )
      expect(await describeOutcome('o-1', { fault: 'CUT' })).toBe('unreachable')
      expect(await isOrderFound('o-1')).toBe(true)
      expect(await describeOutcome('o-2', { fault: 'UPSTREAM_ERROR;after=commit' })).toBe('failed')
      expect(await isOrderFound('o-2')).toBe(true)
      expect(
        await describeOutcome('o-3', {
          fault: 'UPSTREAM_TIMEOUT;after=commit',
          signal: AbortSignal.timeout(50),
        }),
      ).toBe('timeout')
      expect(await isOrderFound('o-3')).toBe(true)
      expect(await describeOutcome('o-4', { fault: 'DUPLICATE' })).toBe('answered')
      await client.close()
    })
    expect(failures.filter((error) => !(error instanceof UnknownOutcome))).toEqual([])
  })
})
