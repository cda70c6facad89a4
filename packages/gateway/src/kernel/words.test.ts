import { expect, it } from 'vitest'
import { includesWords, splitWords } from './words.ts'

const dress = 'aca-0132\nbelted chiffon midi dress\n束腰雪纺中长连衣裙\n벨티드 시폰 미디 원피스'

it.each([
  ['chiffon dress', true],
  ['  DRESS\t belted ', true],
  ['0132 midi', true],
  ['chif', true],
  ['雪纺', true],
  ['连衣裙\u3000雪纺', true],
  ['원피스 시폰', true],
  ['chiffon skirt', false],
  ['雪纺 裤', false],
  ['', true],
])('finds every word of %j: %s', (search, isFound) => {
  expect(includesWords(dress, splitWords(search))).toBe(isFound)
})

it('looks for a repeated word once', () => {
  expect(splitWords('Midi midi MIDI dress')).toEqual(['midi', 'dress'])
})
