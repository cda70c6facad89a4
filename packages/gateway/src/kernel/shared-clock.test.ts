import { describe, expect, it } from 'vitest'
import { SharedClock } from './shared-clock.ts'

const noon = Date.UTC(2026, 10, 21, 12)

/** A database whose clock can be set, and machines that have counted since they started. */
function openWorld() {
  const world = { elapsed: 0, databaseAhead: 0, responseMs: 0 }
  const read = async () => {
    const time = noon + world.elapsed + world.databaseAhead
    world.elapsed += world.responseMs
    return time
  }
  const startMachine = (startedBefore: number) => ({
    monotonic: () => world.elapsed + startedBefore,
    machine: () => 0,
  })
  return { world, read, startMachine }
}

describe('the clock of several processes', () => {
  it('is the same in all of them, whenever their machines started', async () => {
    const { world, read, startMachine } = openWorld()
    const clocks = [
      await SharedClock.open(read, startMachine(5)),
      await SharedClock.open(read, startMachine(9_000_000)),
    ]
    world.elapsed += 1_234
    expect(clocks.map((clock) => clock.now())).toEqual([noon + 1_234, noon + 1_234])
  })

  it('goes on while the database cannot be asked', async () => {
    const { world, read, startMachine } = openWorld()
    let isAway = false
    const readOrFail = () => (isAway ? Promise.reject(new Error('The database is away.')) : read())
    const clock = await SharedClock.open(readOrFail, startMachine(0))
    isAway = true
    world.elapsed += 60_000
    await expect(clock.follow()).rejects.toThrow('The database is away.')
    expect(clock.now()).toBe(noon + 60_000)
  })

  it('follows a database whose clock was set, forwards and backwards', async () => {
    const { world, read, startMachine } = openWorld()
    const clock = await SharedClock.open(read, startMachine(0))
    for (const ahead of [3_600_000, -3_600_000, 0]) {
      world.databaseAhead = ahead
      await clock.follow()
      expect(clock.now()).toBe(noon + world.elapsed + ahead)
    }
  })

  it('is not moved by a slow response, and is off by half of the first one at most', async () => {
    const { world, read, startMachine } = openWorld()
    const clock = await SharedClock.open(read, startMachine(0))
    world.responseMs = 4_000
    await clock.follow()
    expect(clock.now()).toBe(noon + world.elapsed)
    const late = await SharedClock.open(read, startMachine(0))
    expect(Math.abs(late.now() - noon - world.elapsed)).toBeLessThanOrEqual(2_000)
    world.responseMs = 10
    await late.follow()
    expect(Math.abs(late.now() - noon - world.elapsed)).toBeLessThanOrEqual(10)
  })

  it('has whole milliseconds', async () => {
    const clock = await SharedClock.open(async () => noon + 0.7, { monotonic: () => 0.5, machine: () => 0 })
    expect(clock.now()).toBe(noon)
  })
})
