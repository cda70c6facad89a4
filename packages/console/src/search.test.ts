import { describe, expect, it } from 'vitest'
import { countFilters, parseSearch, takeSearch, writeSearch } from './search.ts'

describe('the address of a page', () => {
  it('gives back what was written into it, with every character', () => {
    const search = { channel_code: 'kr-mall', route: '/api/v1/orders/{order_id}', code: 'A&B=C #1 +' }
    expect(parseSearch(writeSearch(search))).toEqual(search)
  })

  it('is short without filters', () => {
    expect(writeSearch({ code: undefined, channel_code: '' })).toBe('')
  })

  it('gives known names only, as text, and nothing longer than a filter', () => {
    const take = takeSearch(['code', 'cursor'])
    expect(take({ code: 'INTERNAL', cursor: 'x'.repeat(301), other: 'y' })).toEqual({ code: 'INTERNAL' })
    expect(take({ code: ['a'], cursor: 7 })).toEqual({})
  })

  it('counts filters, and not the page that is shown', () => {
    expect(countFilters({ code: 'INTERNAL', cursor: 'abc', page: '2', channel_code: undefined })).toBe(1)
  })
})
