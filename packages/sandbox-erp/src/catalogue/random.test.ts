import { describe, expect, it } from 'vitest'
import { Random, shuffle } from './random.ts'

function drawMany(random: Random): number[] {
  return Array.from({ length: 1_000 }, () => random.drawInteger(1, 6))
}

describe('Random', () => {
  it('repeats itself for the same seed and stream, and for no other', () => {
    expect(drawMany(new Random(5))).toEqual(drawMany(new Random(5)))
    expect(drawMany(new Random(5, 1))).toEqual(drawMany(new Random(5, 1)))
    expect(drawMany(new Random(5))).not.toEqual(drawMany(new Random(6)))
    expect(drawMany(new Random(5))).not.toEqual(drawMany(new Random(5, 1)))
    expect(drawMany(new Random(5))).not.toEqual(drawMany(new Random(5 + 2 ** 32)))
  })

  it('draws every number from the first to the last about equally often', () => {
    const counts = [1, 2, 3, 4, 5, 6].map(
      (face) => drawMany(new Random(1)).filter((draw) => draw === face).length,
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_000)
    for (const count of counts) expect(Math.abs(count - 1_000 / 6)).toBeLessThan(50)
  })

  it('never takes a chance of 0 and always one of 1', () => {
    const random = new Random(3)
    expect(Array.from({ length: 1_000 }, () => random.drawWithProbability(0))).not.toContain(true)
    expect(Array.from({ length: 1_000 }, () => random.drawWithProbability(1))).not.toContain(false)
  })

  it('picks from a list, and refuses an empty one', () => {
    expect(['a', 'b']).toContain(new Random(1).pick(['a', 'b']))
    expect(() => new Random(1).pick([])).toThrow(RangeError)
  })

  it('shuffles without losing or changing the list', () => {
    const list = Array.from({ length: 100 }, (_, index) => index)
    const other = shuffle(list, new Random(1))
    expect(other).not.toEqual(list)
    expect(other.toSorted((one, two) => one - two)).toEqual(list)
    expect(list[0]).toBe(0)
  })
})
