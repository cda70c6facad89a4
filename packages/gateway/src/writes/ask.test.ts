import { type CallOptions, ok, rejected, UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { askErp } from './ask.ts'

const call = {} as Call

describe('a question to the ERP', () => {
  it('returns the ERP’s response', async () => {
    await expect(askErp(call, async () => ok('a price'))).resolves.toBe('a price')
  })

  it('has a time limit that has not passed, and the fault of the call only if it has one', async () => {
    const seen: CallOptions[] = []
    const note = async (options: CallOptions) => {
      seen.push(options)
      return ok(null)
    }
    await askErp(call, note)
    await askErp({ ...call, fault: 'slow' }, note)
    expect(seen.map(({ signal, ...rest }) => ({ ...rest, isEnded: signal?.aborted }))).toStrictEqual([
      { isEnded: false },
      { isEnded: false, fault: 'slow' },
    ])
  })

  it('throws a refusal with the ERP’s reason', async () => {
    const asked = askErp(call, async () => rejected('invalid_state', 'The order is closed.'))
    await expect(asked).rejects.toMatchObject({
      code: 'UPSTREAM_REJECTED',
      facts: { reason: 'invalid_state', say: ['erp_rejected', { reason: 'The order is closed.' }] },
    })
  })

  it.each([
    ['timeout', 'UPSTREAM_TIMEOUT'],
    ['unreachable', 'UPSTREAM_ERROR'],
    ['failed', 'UPSTREAM_ERROR'],
    ['malformed', 'UPSTREAM_ERROR'],
  ] as const)('that ends with %s fails as %s, and is not in doubt', async (kind, code) => {
    const cause = new UnknownOutcome(kind, 'Nothing came back.')
    const failure: unknown = await askErp(call, () => Promise.reject(cause)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(GatewayError)
    expect(failure).toMatchObject({ code })
    expect((failure as GatewayError).facts).toStrictEqual({ retryAfter: 2, cause })
  })

  it('throws every other error as it is', async () => {
    const error = new TypeError('a fault of the gateway')
    await expect(askErp(call, () => Promise.reject(error))).rejects.toBe(error)
  })
})
