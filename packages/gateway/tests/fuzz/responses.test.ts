import { describe, expect, it } from 'vitest'
import { apiVersion } from '../../src/contract/version.ts'
import { requireDeclared } from './declared.ts'
import { readResponses, requireSoundResponse } from './responses.ts'

/** Reads a response as it comes from a connection. */
function readFailure(status: number, code: string) {
  const body = JSON.stringify({
    error: {
      ...{ code, message: 'Something failed.', hint: 'Try again.', request_id: 'req-fuzz-1' },
      ...{ doc_url: `/errors/${code}`, retryable: false },
    },
  })
  const head = [
    ...[`HTTP/1.1 ${status} x`, `X-API-Version: ${apiVersion}`, 'X-Request-Id: req-fuzz-1'],
    ...['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`],
  ]
  const [response] = readResponses(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`))
  if (!response) throw new Error('There is no response.')
  return response
}

describe('the oracle of HTTP', () => {
  it('accepts the refusal of a request', () => {
    expect(() => requireSoundResponse(readFailure(404, 'NOT_FOUND'), true)).not.toThrow()
  })

  it.each([
    [500, 'INTERNAL'],
    [503, 'INTERNAL'],
    [502, 'UPSTREAM_ERROR'],
    [400, 'INTERNAL'],
    [404, 'NO_SUCH_CODE'],
    [400, 'NOT_FOUND'],
  ])('notices %i %s', (status, code) => {
    expect(() => requireSoundResponse(readFailure(status, code), true)).toThrow()
  })

  it('notices a code that the endpoint does not declare', () => {
    const sent = { method: 'POST', path: '/api/v1/orders' }
    expect(() => requireDeclared(sent, readFailure(404, 'NOT_FOUND'))).not.toThrow()
    expect(() => requireDeclared(sent, readFailure(401, 'AUTH_BAD_CREDENTIALS'))).toThrow('does not declare')
  })
})
