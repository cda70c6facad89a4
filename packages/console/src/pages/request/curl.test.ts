import { describe, expect, it } from 'vitest'
import { toCurl, toLookUpCurl } from './curl.ts'

describe('a request as curl', () => {
  it('has its method and route, and variables in place of secrets', () => {
    expect(toCurl({ method: 'GET', route: '/api/v1/me', idempotency: null })).toBe(
      'curl -s -X GET "$BASE/api/v1/me" \\\n  -H "Authorization: Bearer $TOKEN"',
    )
  })

  it('has a new key if the request had one, so that it does not replay the old response', () => {
    const curl = toCurl({ method: 'POST', route: '/api/v1/orders/{order_id}/submit', idempotency: 'first' })
    expect(curl).toContain('-H "Idempotency-Key: $(uuidgen)"')
    expect(curl).toContain("-d '{}'")
  })
})

describe('a look-up as curl', () => {
  it('encodes the id, which is the client’s', () => {
    expect(toLookUpCurl('a"$(id)"')).toContain('/admin/api/requests/a%22%24(id)%22"')
  })
})
