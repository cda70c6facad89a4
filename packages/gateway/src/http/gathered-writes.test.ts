import { setImmediate as endTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { GatheredWrites, maxGathered } from './gathered-writes.ts'

function open() {
  const writes = new GatheredWrites()
  const made: number[] = []
  return {
    made,
    add: (count: number) => Array.from({ length: count }, (_, at) => writes.add(() => made.push(at))),
  }
}

it('makes the writes of a turn at its end, in their order, and those of the next turn at the end of that', async () => {
  const { made, add } = open()
  for (const count of [3, 1]) {
    made.length = 0
    add(count)
    expect(made).toEqual([])
    await endTurn()
    expect(made).toEqual([0, 1, 2].slice(0, count))
  }
})

it('lets no more writes wait than its bound', async () => {
  const { made, add } = open()
  add(maxGathered + 1)
  expect(made).toHaveLength(maxGathered)
  await endTurn()
  expect(made).toHaveLength(maxGathered + 1)
})
