import { describe, expect, it } from 'vitest'
import { windowOf } from './lists.ts'

const page = { page: 1, page_size: 50 }
const evening = Date.parse('2026-11-21T23:59:50.000Z')
const morning = Date.parse('2026-11-22T00:00:10.000Z')
const as_of = '2026-11-21T23:59:50.000Z'

describe('a list that is begun before midnight and read on after it', () => {
  it('keeps its oldest day', () => {
    const begun = windowOf(page, evening)
    const readOn = windowOf({ ...page, page: 2, as_of: begun.asOf }, morning)
    expect(begun.asOf).toBe(as_of)
    expect([readOn.from, readOn.to]).toEqual([begun.from, begun.to])
    expect(begun.from).toBe(Date.parse('2026-10-23'))
  })

  it('is as long as it was, also where it was of the longest span', () => {
    const asked = { ...page, start_date: '2025-11-21' }
    const begun = windowOf(asked, evening)
    expect(() => windowOf(asked, morning)).toThrow()
    expect(windowOf({ ...asked, as_of }, morning).from).toBe(begun.from)
  })
})

describe('an as_of that no list began with', () => {
  it.each(['0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])(
    'is still a window from a day that can be written: %s',
    (as_of) => {
      const { from } = windowOf({ ...page, as_of }, morning)
      expect(new Date(from).toISOString()).toMatch(/^\d{4}-\d\d-\d\dT00:00/)
    },
  )
})
