import { describe, expect, it } from 'vitest'
import { findPlanted, plantCanaries } from './canaries.ts'

const values = ['canary-of-one-place', 'another-of-one-place', '신청인 이름과 주소입니다', 'end-only']
plantCanaries(...values, 'seven77')

describe('the search for planted values', () => {
  it.each(values)('finds "%s" wherever it stands in a text', (value) => {
    for (const text of [value, `${value} after`, `before ${value}`, `"é${value}가"`])
      expect(findPlanted(text)).toBe(value)
  })

  it.each(values)('finds nothing in "%s" without its first or last character', (value) => {
    expect(findPlanted(`before ${value.slice(1)} after`)).toBeUndefined()
    expect(findPlanted(`before ${value.slice(0, -1)} after`)).toBeUndefined()
  })

  it('finds nothing in an empty text, and leaves out values that may appear by chance', () => {
    expect(findPlanted('')).toBeUndefined()
    expect(findPlanted('seven77')).toBeUndefined()
  })
})
