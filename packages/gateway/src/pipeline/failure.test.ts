import { UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/errors.ts'
import { toFailureResponse } from './failure.ts'

/** Lists the faults that are logged when a call fails with an error. */
function listFaults(error: unknown): unknown[] {
  const faults: unknown[] = []
  toFailureResponse(error, { requestId: 'req_1', language: 'en' }, (fault) => faults.push(fault))
  return faults
}

describe('the log of a failed call', () => {
  const bug = new TypeError('Something is undefined.')

  it('has what nobody expected, also behind an error for the client', () => {
    expect(listFaults(bug)).toEqual([bug])
    expect(listFaults(new GatewayError('INTERNAL', { cause: bug }))).toEqual([bug])
    expect(listFaults(new GatewayError('UPSTREAM_ERROR', { cause: bug }))).toEqual([bug])
  })

  it('has no refusal, and nothing that an ERP in trouble causes', () => {
    expect(listFaults(new GatewayError('NOT_FOUND'))).toEqual([])
    expect(listFaults(new GatewayError('INTERNAL', { status: 503, cause: bug }))).toEqual([])
    const silence = new UnknownOutcome('timeout', 'Nothing came back.')
    expect(listFaults(new GatewayError('UPSTREAM_TIMEOUT', { cause: silence }))).toEqual([])
  })
})
