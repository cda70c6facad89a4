import { describe, expect, it } from 'vitest'
import { parseWindow, parseWindowOfDatedRows, toListPage } from './lists.ts'

const page = { page: 1, page_size: 50 }
const evening = Date.parse('2026-11-21T23:59:50.000Z')
const morning = Date.parse('2026-11-22T00:00:10.000Z')
const as_of = '2026-11-21T23:59:50.000Z'

describe('a list that is begun before midnight and read on after it', () => {
  it('keeps its oldest day', () => {
    const begun = parseWindow(page, evening)
    const readOn = parseWindow({ ...page, page: 2, as_of: begun.asOf }, morning)
    expect(begun.asOf).toBe(as_of)
    expect([readOn.from, readOn.to]).toEqual([begun.from, evening + 1])
    expect(begun.from).toBe(Date.parse('2026-10-23'))
  })

  it('is as long as it was, also where it was of the longest span', () => {
    const asked = { ...page, start_date: '2025-11-21' }
    const begun = parseWindow(asked, evening)
    expect(() => parseWindow(asked, morning)).toThrow()
    expect(parseWindow({ ...asked, as_of }, morning).from).toBe(begun.from)
  })
})

describe('a list whose newest row is ahead of the clock', () => {
  it('has no end without end_date, and its as_of is the time of that row', () => {
    const newest = evening + 3 * 24 * 60 * 60_000
    const begun = parseWindowOfDatedRows(page, evening)
    expect(begun.to).toBeGreaterThan(newest)
    expect(parseWindowOfDatedRows({ ...page, start_date: '2026-11-20' }, evening).to).toBeGreaterThan(newest)
    const ended = parseWindowOfDatedRows({ ...page, end_date: '2026-11-21' }, evening)
    expect(ended.to).toBe(Date.parse('2026-11-22'))
    const as_of = toListPage(begun, [], { toJson: String, placeOf: String, newest }).as_of
    expect(Date.parse(as_of)).toBe(newest)
    const readOn = parseWindowOfDatedRows({ ...page, page: 2, as_of }, morning)
    expect([readOn.from, readOn.to]).toEqual([begun.from, newest + 1])
  })
})

describe('a first day after the last one', () => {
  it.each([
    [{ start_date: '2026-11-23', end_date: '2026-11-22' }, 'range_reversed'],
    [{ start_date: '2026-11-23' }, 'start_after_today'],
    [{ start_date: '2026-11-22', as_of }, 'start_after_today'],
  ])('is refused, and no `end_date` is named that was not sent: %j', (days, sentence) => {
    const parse = () => parseWindow({ ...page, ...days }, morning)
    expect(parse).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ param: 'start_date', say: [sentence, expect.anything()] }),
      }),
    )
  })
})

describe('an as_of that no list began with', () => {
  it.each(['0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])(
    'is still a window from a day that can be written: %s',
    (as_of) => {
      const { from } = parseWindow({ ...page, as_of }, morning)
      expect(new Date(from).toISOString()).toMatch(/^\d{4}-\d\d-\d\dT00:00/)
    },
  )
})
