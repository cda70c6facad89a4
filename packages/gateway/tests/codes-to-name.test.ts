import { describe, expect, it } from 'vitest'
import { findPathFlaw, findTextFlaw } from '../../connector/src/conformance/codes.ts'
import { codeField } from '../src/contract/fields.ts'
import { findPathFlaw as refusePath } from '../src/pipeline/router.ts'

const codes = [
  ...['AUSYD1', 'LIN-0042', 'a b', 'A+B', '100%', 'a?b#c', 'Gr\u00f6\u00dfe', '\uc11c\uc6b8', '\ud83d\ude00'],
  ...['A/1', '/', 'A\\1', '.', '..', '...', '.a'],
  ...[
    'a\0',
    'a\nb',
    'a\u0085',
    'a\u200b',
    'a\u00ad',
    'a\u2028',
    'a\u2029',
    'u\u0308',
    '\u0308',
    ' ',
    '\u00a0',
  ],
]

/** The suite tells the author of a connector what the gateway refuses, so it must refuse the same codes. */
describe('the conformance suite', () => {
  it.each(codes)('says of %j in an order what the gateway does', (code) => {
    expect(findTextFlaw(code) === undefined).toBe(codeField().safeParse(code).success)
  })

  it.each(codes)('says of %j in a path and in an order what the gateway does', (code) => {
    const isPathSound = refusePath(`/api/${encodeURIComponent(code)}`) === undefined
    expect(findPathFlaw(code) === undefined).toBe(isPathSound && codeField().safeParse(code).success)
  })
})
