import { describe, expect, it } from 'vitest'
import { computeTypingDistance, findNearestWord } from './spelling.ts'

describe('the distance between two words', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['HOST', 'HOST', 0],
    ['HOTS', 'HOST', 1],
    ['HOS', 'HOST', 1],
    ['HOSST', 'HOST', 1],
    ['HOME', 'HOST', 2],
    ['kitten', 'sitting', 3],
  ])('%j and %j is %d', (one, other, distance) => {
    expect(computeTypingDistance(one, other)).toBe(distance)
    expect(computeTypingDistance(other, one)).toBe(distance)
  })
})

describe('the word that was meant', () => {
  const known = ['HOST', 'PORT', 'SANDBOX_PASSWORD', 'SANDBOX_PASSWORD_2']

  it('is the nearest, whatever its case', () => {
    expect(findNearestWord('prot', known)).toBe('PORT')
    expect(findNearestWord('SANDBOX_PASWORD', known)).toBe('SANDBOX_PASSWORD')
    expect(findNearestWord('SANDBOX_PASSWORD_3', known)).toBe('SANDBOX_PASSWORD_2')
  })

  it.each(['HOME', 'PWD', 'SORTED', 'SANDBOX', 'PGHOST'])('is none for %s', (word) => {
    expect(findNearestWord(word, known)).toBeUndefined()
  })
})
