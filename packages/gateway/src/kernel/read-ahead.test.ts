import { describe, expect, it } from 'vitest'
import { readAhead } from './read-ahead.ts'

/** A generator of 1, 2, 3 that notes in `seen` what it prepares, and when it ends. */
async function* count(seen: string[], failAt?: number): AsyncGenerator<number, void> {
  try {
    for (const value of [1, 2, 3]) {
      seen.push(`prepared ${value}`)
      if (value === failAt) throw new Error(`no ${value}`)
      yield value
    }
  } finally {
    seen.push('ended')
  }
}

describe('reading ahead', () => {
  it('prepares the next value, and no more, while the consumer works', async () => {
    const seen: string[] = []
    for await (const value of readAhead(count(seen))) {
      await new Promise(setImmediate)
      seen.push(`used ${value}`)
    }
    const expected = ['prepared 1', 'prepared 2', 'used 1', 'prepared 3', 'used 2', 'ended', 'used 3']
    expect(seen).toEqual(expected)
  })

  it('throws a failure only where its value is needed', async () => {
    const seen: string[] = []
    const reading = (async () => {
      for await (const value of readAhead(count(seen, 2))) {
        await new Promise(setImmediate)
        seen.push(`used ${value}`)
      }
    })()
    await expect(reading).rejects.toThrow('no 2')
    expect(seen).toEqual(['prepared 1', 'prepared 2', 'ended', 'used 1'])
  })

  it('ends the generator if the consumer stops, and then ignores a failure of the next value', async () => {
    const seen: string[] = []
    for await (const value of readAhead(count(seen, 2))) {
      expect(value).toBe(1)
      break
    }
    expect(seen).toEqual(['prepared 1', 'prepared 2', 'ended'])
  })
})
