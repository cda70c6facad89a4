import { setImmediate as endTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { gatherWrite, makeGatheredWrites, maxGathered } from './gathered-writes.ts'

/** Gathers writes that note their numbers. */
function gather(count: number): readonly number[] {
  const made: number[] = []
  for (let at = 0; at < count; at++) gatherWrite(() => made.push(at))
  return made
}

it('makes the writes of a turn at its end, in their order, and those of the next turn at the end of that', async () => {
  for (const count of [3, 1]) {
    const made = gather(count)
    expect(made).toEqual([])
    await endTurn()
    expect(made).toEqual([0, 1, 2].slice(0, count))
  }
})

it('lets no more writes wait than its bound', async () => {
  const made = gather(maxGathered + 1)
  expect(made).toHaveLength(maxGathered)
  await endTurn()
  expect(made).toHaveLength(maxGathered + 1)
})

it('makes them sooner where they are asked for, and each once', async () => {
  const made = gather(2)
  makeGatheredWrites()
  expect(made).toEqual([0, 1])
  await endTurn()
  expect(made).toEqual([0, 1])
})
