import { describe, expect, it } from 'vitest'
import { LoadShedder, loadClasses, maxInFlight, sampleEveryMs, targetDelayMs } from './load-shedder.ts'

const clock = { now: () => 0, monotonic: () => 0, machine: () => 0 }

/** A shedder and the delays that it is told. */
function open() {
  const delays = { loop: 0, store: 0, unfinished: 0, utilization: 1 }
  const load = new LoadShedder({
    clock,
    readStoreDelay: () => delays.store,
    countUnfinished: () => delays.unfinished,
  })
  /** Offers requests of each class in turn and ends them at once. Returns how many of each were served. */
  const offer = (count: number) => {
    const served = { pull: 0, read: 0, write: 0, keyed: 0, known: 0 }
    for (let at = 0; at < count; at++) {
      for (const kind of loadClasses) {
        if (!load.begin(kind)) continue
        served[kind] += 1
        load.end(kind)
      }
    }
    return served
  }
  const sample = () =>
    load.sample({
      loopDelayMs: delays.loop,
      elapsedMs: sampleEveryMs + delays.loop,
      utilization: delays.utilization,
    })
  /** Lets the delays last for some samples, with requests between them. */
  const pass = (samples: number) => {
    for (let at = 0; at < samples; at++) {
      offer(40)
      sample()
    }
  }
  return { load, delays, offer, pass, sample }
}

describe('a load shedder', () => {
  it('serves everything while delays are below their target', () => {
    const { load, delays, offer, pass } = open()
    delays.loop = targetDelayMs - 1
    delays.store = targetDelayMs - 1
    pass(100)
    expect(load.isShedding).toBe(false)
    expect(offer(100)).toEqual({ pull: 100, read: 100, write: 100, keyed: 100, known: 100 })
  })

  it('sheds pulls first, then reads, then writes, then keyed writes, and never what is under way', () => {
    const { delays, offer, pass } = open()
    delays.loop = targetDelayMs * 3
    const seen: string[] = []
    for (let at = 0; at < 60; at++) {
      pass(1)
      const { pull, read, write, keyed, known } = offer(20)
      expect(known).toBe(20)
      if (read < 20) expect(pull).toBe(0)
      if (write < 20) expect(read).toBe(0)
      if (keyed < 20) expect(write).toBe(0)
      for (const [kind, count] of Object.entries({ pull, read, write, keyed }))
        if (count < 20 && !seen.includes(kind)) seen.push(kind)
    }
    expect(seen).toEqual(['pull', 'read', 'write', 'keyed'])
    expect(offer(20)).toEqual({ pull: 0, read: 0, write: 0, keyed: 0, known: 20 })
  })

  it('sheds a share of a class, spread evenly', () => {
    const { load, delays, pass } = open()
    delays.loop = targetDelayMs * 2
    pass(3)
    const served = Array.from({ length: 100 }, () => {
      const isServed = load.begin('pull')
      if (isServed) load.end('pull')
      return isServed
    })
    const shed = served.filter((each) => !each).length
    expect(shed).toBeGreaterThan(5)
    expect(shed).toBeLessThan(95)
    // Each half has its part.
    expect(Math.abs(served.slice(0, 50).filter((each) => !each).length - shed / 2)).toBeLessThanOrEqual(1)
  })

  it('sheds no reads because of the database, which serves none of them', () => {
    const { delays, offer, pass } = open()
    delays.store = targetDelayMs * 4
    pass(100)
    expect(offer(20)).toEqual({ pull: 20, read: 20, write: 0, keyed: 0, known: 20 })
  })

  it('serves everything again two seconds after the delays ended', () => {
    const { load, delays, offer, pass, sample } = open()
    delays.loop = targetDelayMs * 10
    pass(200)
    delays.loop = 0
    for (let at = 0; at < 2_000 / sampleEveryMs; at++) sample()
    expect(load.isShedding).toBe(false)
    expect(offer(20)).toEqual({ pull: 20, read: 20, write: 20, keyed: 20, known: 20 })
  })

  it('does not blame a few requests for a loop that something else delays', () => {
    const { load, delays, sample } = open()
    delays.loop = 1_000
    for (let at = 0; at < 100; at++) {
      expect(load.begin('read')).toBe(true)
      load.end('read')
      sample()
    }
    expect(load.isShedding).toBe(false)
    // A few large responses that pile up are overload too.
    delays.unfinished = 8
    sample()
    sample()
    expect(load.isShedding).toBe(true)
  })

  it('does not shed at a loop that is late but rests, on a starved machine', () => {
    const { load, delays, pass } = open()
    delays.loop = targetDelayMs * 3
    delays.utilization = 0.7
    pass(100)
    expect(load.isShedding).toBe(false)
  })

  it('sheds nothing because of a single long block of the loop', () => {
    const { load, delays, pass } = open()
    for (let at = 0; at < 20; at++) {
      delays.loop = 500
      pass(1)
      expect(load.isShedding).toBe(false)
      delays.loop = 0
      pass(4)
    }
  })

  it('bounds the requests in flight, and keeps a share for each later class', () => {
    const { load } = open()
    const fill = (kind: (typeof loadClasses)[number]) => {
      let count = 0
      while (count < 10_000 && load.begin(kind)) count += 1
      return count
    }
    expect(fill('write')).toBe(maxInFlight.write)
    expect(fill('keyed')).toBe(maxInFlight.keyed - maxInFlight.write)
    expect(fill('known')).toBe(maxInFlight.known - maxInFlight.keyed)
    expect(fill('read')).toBe(maxInFlight.read)
    expect(fill('pull')).toBe(maxInFlight.pull)
    load.end('write')
    expect(load.begin('write')).toBe(false)
    expect(load.begin('known')).toBe(true)
  })

  it('forgets the oldest keys', () => {
    const { load } = open()
    const build = (at: number, path = '/orders') => ({
      authorization: ['Bearer one'],
      method: 'POST',
      path,
      key: `key ${at}`,
    })
    for (let at = 0; at <= 10_000; at++) load.rememberKey(build(at))
    expect(load.isKnownKey(build(0))).toBe(false)
    expect(load.isKnownKey(build(1))).toBe(true)
    expect(load.isKnownKey(build(10_000))).toBe(true)
    expect(load.isKnownKey(build(10_000, '/carts'))).toBe(false)
    expect(load.isKnownKey({ ...build(10_000), authorization: ['Bearer two'] })).toBe(false)
  })
})
