import fc from 'fast-check'
import { describe, it } from 'vitest'
import { openTestGateway } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { World } from './interleaved-world.ts'
import { interleave, stepKinds, upheavals } from './interleaving.ts'
import { seed, sizes } from './sizes.ts'

const timeoutMs = 1_800_000
const maxSteps = 120
const maxNumber = 999

const number = fc.nat(maxNumber)
const step = fc.record({ kind: fc.constantFrom(...stepKinds), a: number, b: number, c: number })
const script = fc.record({
  options: fc.record({
    hasSeq: fc.boolean(),
    unfilled: fc.boolean(),
    clients: fc.integer({ min: 1, max: 4 }),
    skus: fc.integer({ min: 1, max: 12 }),
  }),
  wanted: fc.oneof(fc.constant([]), fc.subarray([...upheavals])),
  steps: fc.array(step, { minLength: 1, maxLength: maxSteps, size: 'max' }),
})

describe('a follower, whatever happens in between', () => {
  it(
    'converges, is proved on every last page, and no version stands for two states',
    async () => {
      const house = await openTestGateway({ styles: 1 })
      try {
        const property = fc.asyncProperty(script, ({ options, wanted, steps }) =>
          interleave(new World(house.gateway, options), steps, wanted),
        )
        await fc.assert(property, {
          numRuns: sizes.interleavings,
          ...(seed === undefined ? {} : { seed }),
        })
        reportFigure(
          ['I11', 'I15'],
          `${sizes.interleavings} interleavings of at most ${maxSteps} steps; 0 violations`,
        )
      } finally {
        await house.close()
      }
    },
    timeoutMs,
  )
})
