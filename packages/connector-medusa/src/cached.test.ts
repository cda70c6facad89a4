import { beforeEach, describe, expect, it } from 'vitest'
import { Cached } from './cached.ts'

const maxAgeMs = 1_000
let elapsed = 0
let reads = 0
/** How long a read takes, in milliseconds of the test's clock. */
let readMs = 0
const environment = { now: () => 0, elapsed: () => elapsed, createId: () => '', log: () => undefined }
const open = () =>
  new Cached(environment, maxAgeMs, async () => {
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
    const cached = new Cached(environment, maxAgeMs, async () => {
      if (isDown) throw new Error('down')
      return 'up'
    })
    await expect(cached.get()).rejects.toThrow('down')
    isDown = false
    expect(await cached.get()).toBe('up')
  })
})
