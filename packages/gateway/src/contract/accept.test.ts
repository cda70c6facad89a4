import { describe, expect, it } from 'vitest'
import { prefersCsv, weightOf } from './accept.ts'

describe('an Accept header', () => {
  it.each([
    [[], false],
    [['*/*'], false],
    [['application/json'], false],
    [['text/csv'], true],
    [['TEXT/CSV; charset=utf-8'], true],
    [['text/*'], true],
    [['text/csv, */*;q=0.1'], true],
    [['application/json;q=0.9, text/csv'], true],
    [['text/csv;q=0.2, application/json;q=0.3'], false],
    [['text/csv, application/json'], false],
    [['text/csv;q=0'], false],
    [['text/csv;q=0, */*'], false],
    [['application/json;q=0, */*'], true],
    [['text/csv;q=0.001'], true],
    [['text/csv;q=2'], false],
    [['text/csv;q=nonsense'], false],
    [['application/json;q=0.5', 'text/csv;q=0.6'], true],
    [['text/html, application/xhtml+xml, */*;q=0.8'], false],
  ])('%j wants CSV: %s', (headers, isWanted) => {
    expect(prefersCsv(headers)).toBe(isWanted)
  })

  it('weighs a type by the most specific range that names it', () => {
    expect(weightOf(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'text/csv')).toBe(0.7)
    expect(weightOf(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'text/plain')).toBe(0.3)
    expect(weightOf(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'image/png')).toBe(0.5)
    expect(weightOf(['text/csv'], 'image/png')).toBe(0)
  })
})
