import { beforeEach, describe, expect, it } from 'vitest'
import { Cached, CachedByKey } from './cached.ts'

const maxAgeMs = 1_000
let elapsed = 0
let reads = 0
/** How long a read takes, in milliseconds of the test's clock. */
let readMs = 0
const clock = { now: () => 0, elapsed: () => elapsed }
const open = () =>
  new Cached(clock, maxAgeMs, async () => {
    elapsed += readMs
    reads += 1
    return reads
  })

describe('a cached value', () => {
  beforeEach(() => {
    elapsed = 0
    reads = 0
    readMs = 0
  })

  it('is read again only when it is too old', async () => {
    const cached = open()
    expect(await cached.get()).toBe(1)
    elapsed += maxAgeMs - 1
    expect(await cached.get()).toBe(1)
    elapsed += 1
    expect(await cached.get()).toBe(2)
  })

  it('is read again at once on demand', async () => {
    const cached = open()
    await cached.get()
    expect(await cached.get({ renew: true })).toBe(2)
  })

  it('is read once by callers that come together, also by those that want a new one', async () => {
    const cached = open()
    expect(await Promise.all([cached.get(), cached.get(), cached.get({ renew: true })])).toEqual([1, 1, 1])
  })

  it('that took long to read is kept for four times as long', async () => {
    readMs = 2 * maxAgeMs
    const cached = open()
    await cached.get()
    elapsed += 8 * maxAgeMs - 1
    expect(await cached.get()).toBe(1)
    elapsed += 1
    expect(await cached.get()).toBe(2)
  })

  it('that could not be read is read again by the next caller', async () => {
    let isDown = true
    const cached = new Cached(clock, maxAgeMs, async () => {
      if (isDown) throw new Error('down')
      return 'up'
    })
    await expect(cached.get()).rejects.toThrow('down')
    isDown = false
    expect(await cached.get()).toBe('up')
  })
})

describe('cached values by key', () => {
  it('are read once for each key while they are kept, and again once there were too many', async () => {
    const asked: string[] = []
    const cached = new CachedByKey<string>(clock, { maxAgeMs, maxKeys: 2 })
    const get = (key: string) =>
      cached.get(key, async () => {
        asked.push(key)
        return key.toUpperCase()
      })
    expect(await Promise.all(['a', 'b', 'a'].map(get))).toEqual(['A', 'B', 'A'])
    expect(asked.splice(0)).toEqual(['a', 'b'])
    await get('c')
    await get('a')
    expect(asked.splice(0)).toEqual(['c', 'a'])
    elapsed += maxAgeMs
    await get('a')
    expect(asked).toEqual(['a'])
  })
})
