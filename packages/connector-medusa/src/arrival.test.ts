import { describe, expect, it } from 'vitest'
import { computeArrival } from './arrival.ts'

describe('arrival', () => {
  it('counts from the date at the warehouse, not from the date in UTC', () => {
    const now = Date.parse('2026-12-30T14:00:00Z')
    const days = { dispatch: [0, 1], transit: [2, 5] } as const
    expect(computeArrival(now, { timezone: 'Australia/Sydney', ...days })).toEqual({
      earliest_ship_date: '2026-12-31',
      latest_ship_date: '2027-01-01',
      earliest_arrival_date: '2027-01-02',
      latest_arrival_date: '2027-01-06',
    })
    expect(computeArrival(now, { timezone: 'Asia/Shanghai', ...days }).earliest_ship_date).toBe('2026-12-30')
  })
})
