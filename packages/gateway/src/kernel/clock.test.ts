import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatInstant } from './clock.ts'

const latest = 8.64e15

describe('an instant', () => {
  it('is printed as the language prints it, whatever was printed before', () => {
    const times = fc.array(
      fc.oneof(
        fc.integer({ min: -latest, max: latest }),
        fc.integer({ min: 0, max: 5_000 }),
        fc.double({ min: 0, max: 5_000, noNaN: true }),
      ),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(times, (some) => {
        expect(some.map(formatInstant)).toEqual(some.map((time) => new Date(time).toISOString()))
      }),
    )
  })

  it('is none where the time is none', () => {
    expect(() => formatInstant(Number.NaN)).toThrow(RangeError)
    expect(() => formatInstant(latest + 1000)).toThrow(RangeError)
  })
})
