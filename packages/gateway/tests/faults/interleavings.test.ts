import fc from 'fast-check'
import { describe, it } from 'vitest'
import { openHouse } from '../harness.ts'
import { World } from './interleaved-world.ts'
import { interleave, stepKinds, upheavals } from './interleaving.ts'
import { seed, sizes } from './sizes.ts'

const timeoutMs = 1_800_000
const mostSteps = 120
const mostNumber = 999

const number = fc.nat(mostNumber)
const step = fc.record({ kind: fc.constantFrom(...stepKinds), a: number, b: number, c: number })
const script = fc.record({
  options: fc.record({
    hasSeq: fc.boolean(),
    unfilled: fc.boolean(),
    clients: fc.integer({ min: 1, max: 4 }),
    skus: fc.integer({ min: 1, max: 12 }),
  }),
  wanted: fc.oneof(fc.constant([]), fc.subarray([...upheavals])),
  steps: fc.array(step, { minLength: 1, maxLength: mostSteps, size: 'max' }),
})

describe('a follower, whatever happens in between', () => {
  it(
    'converges, is proved on every last page, and no version stands for two states',
    async () => {
      const house = await openHouse({ styles: 1 })
      try {
        const property = fc.asyncProperty(script, ({ options, wanted, steps }) =>
          interleave(new World(house.gateway, options), steps, wanted),
        )
        await fc.assert(property, {
          numRuns: sizes.interleavings,
          ...(seed === undefined ? {} : { seed }),
        })
      } finally {
        await house.close()
      }
    },
    timeoutMs,
  )
})
