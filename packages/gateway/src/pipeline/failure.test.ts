import { UnknownOutcome } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/errors.ts'
import { toFailureResponse } from './failure.ts'

describe('the response to an error that many calls get', () => {
  const limit = (remaining: number, retryAfter: number) =>
    new GatewayError('RATE_LIMITED', { say: ['points_used', { cost: 60, remaining, limit: 60 }], retryAfter })
  const respond = (error: GatewayError, requestId: string, language: 'en' | 'ko' = 'en') => {
    const { body, headers } = toFailureResponse(error, { requestId, language }, () => {})
    return { ...JSON.parse(String(body)).error, retryAfter: headers[headers.indexOf('Retry-After') + 1] }
  }

  it('has the id of its own request, its own numbers and its own language', () => {
    const first = respond(limit(4, 9), 'req_1')
    expect(first).toMatchObject({ request_id: 'req_1', retryAfter: '9' })
    expect(first.message).toContain('4')
    expect(respond(limit(4, 9), 'req_2')).toEqual({ ...first, request_id: 'req_2' })
    expect(respond(limit(4, 8), 'req_3').retryAfter).toBe('8')
    expect(respond(limit(5, 9), 'req_4').message).not.toBe(first.message)
    expect(respond(limit(4, 9), 'req_5', 'ko').message).not.toBe(first.message)
  })
})

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
