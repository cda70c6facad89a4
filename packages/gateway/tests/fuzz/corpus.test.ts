import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listCorpusTargets, readCorpus } from './corpus.ts'
import { targets } from './targets.ts'

const drawnInputs = 25

describe('the corpus of fuzzing', () => {
  it('belongs to targets that exist', () => {
    const names = targets.map(({ name }) => name)
    expect(listCorpusTargets().filter((name) => !names.includes(name))).toEqual([])
  })

  it.each(targets)('breaks nothing in $name, and some new inputs neither', async ({ name, inputs, open }) => {
    const opened = await open()
    try {
      for (const [file, input] of readCorpus(name)) {
        // A kept input fails under its own name, so that it is found again.
        await Promise.resolve(opened.check(input)).catch((cause: unknown) => {
          throw new Error(`${name}/${file}`, { cause })
        })
      }
      for (const input of fc.sample(inputs, { numRuns: drawnInputs, seed: 1 })) await opened.check(input)
    } finally {
      await opened.close?.()
    }
  })
})
