import { describe, expect, it } from 'vitest'
import { classifyException, classifyStatus } from './failures.ts'

describe('a failed call of Medusa', () => {
  it.each([
    [400, 'refused'],
    [422, 'refused'],
    [404, 'missing'],
    [401, 'unauthorised'],
    [405, 'unexpected'],
    [409, 'unknown'],
    [429, 'unknown'],
    [500, 'unknown'],
    [502, 'unknown'],
  ])('with status %i is %s', (status, kind) => {
    const failure = classifyStatus('POST /x', status, '{"type":"not_allowed","message":"Not enough stock"}')
    expect(failure).toMatchObject({ kind, text: `HTTP ${status} Not enough stock` })
  })

  it('has the text of a page that is not JSON, without its tags', () => {
    expect(classifyStatus('GET /x', 502, '<html><b>Bad</b>\n gateway</html>').text).toBe(
      'HTTP 502 Bad gateway',
    )
  })

  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['ECONNRESET', 'unknown'],
    ['UND_ERR_SOCKET', 'unknown'],
  ])('that ends with %s is %s', (code, kind) => {
    const cause = Object.assign(new Error('broken'), { code })
    expect(classifyException('POST /x', new TypeError('fetch failed', { cause })).kind).toBe(kind)
  })
})
