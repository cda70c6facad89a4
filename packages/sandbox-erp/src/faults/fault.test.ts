import { describe, expect, it } from 'vitest'
import { MalformedFault, parseFault } from './fault.ts'

describe('a fault', () => {
  it('is read with its settings in any order', () => {
    expect(parseFault('UPSTREAM_ERROR')).toEqual({
      code: 'UPSTREAM_ERROR',
      isAfterCommit: false,
      times: null,
      delay_ms: null,
    })
    expect(parseFault('UPSTREAM_TIMEOUT;times=2;after=commit')).toMatchObject({
      isAfterCommit: true,
      times: 2,
    })
    expect(parseFault('SLOW; delay=8000')).toMatchObject({ delay_ms: 8000 })
  })

  it.each([
    '',
    'NOPE',
    'toString',
    'UPSTREAM_ERROR;',
    'UPSTREAM_ERROR;after=before',
    'UPSTREAM_ERROR;times=0',
    'UPSTREAM_ERROR;times=-1',
    'UPSTREAM_ERROR;delay=10',
    'SLOW;delay=60001',
    'SLOW;after=commit',
    'upstream_error',
  ])('is not %j, and the sentence says what one is', (text) => {
    expect(() => parseFault(text)).toThrow(MalformedFault)
    expect(() => parseFault(text)).toThrow(/UPSTREAM_ERROR, .*LATE, .*INTERNAL or AUTHZ_UNAVAILABLE;/)
  })
})
