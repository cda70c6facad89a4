import { describe, expect, it } from 'vitest'
import { findPathFlaw, findTextFlaw } from './codes.ts'

describe('a code', () => {
  it.each(['AUSYD1', 'LIN-0042', 'a b', 'Größe', '서울', '...', '100%', 'a?b#c'])('%j is usable', (code) => {
    expect([findPathFlaw(code), findTextFlaw(code)]).toEqual([undefined, undefined])
  })

  it.each(['A/1', 'A\\1', '.', '..'])('%j is usable in an order, and not in a path', (code) => {
    expect([findPathFlaw(code), findTextFlaw(code)]).toEqual([expect.any(String), undefined])
  })

  it.each(['a\nb', 'a\0', 'a\u200b', 'a\u2028', 'u\u0308', ' ', '\u00ad'])('%j is not usable', (code) => {
    expect(findPathFlaw(code)).toEqual(expect.any(String))
    expect(findTextFlaw(code)).toEqual(expect.any(String))
  })
})
