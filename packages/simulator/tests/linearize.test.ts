import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearize, type Model, type Step } from '../src/checker/linearize.ts'

/** A register that is written and read. */
type Op = { readonly kind: 'write' | 'read'; readonly value: number }
const register: Model<number, Op> = {
  initial: 0,
  apply: (state, { kind, value }) => (kind === 'write' ? value : state === value ? state : undefined),
  toKey: String,
}
const step = (begin: number, end: number, kind: Op['kind'], value: number): Step<Op> => ({
  ...{ begin, end, op: { kind, value } },
})

/** Tries every order: slow, and plainly right. */
function isExplained(steps: readonly Step<Op>[], state = 0): boolean {
  if (steps.every(({ end }) => end === Number.POSITIVE_INFINITY)) return true
  const first = Math.min(...steps.map(({ end }) => end))
  return steps.some((each) => {
    if (each.begin > first) return false
    const next = register.apply(state, each.op)
    return (
      next !== undefined &&
      isExplained(
        steps.filter((other) => other !== each),
        next,
      )
    )
  })
}

describe('linearize', () => {
  it('agrees with a search of all orders', () => {
    const steps = fc.array(
      fc.record({
        begin: fc.integer({ min: 0, max: 12 }),
        length: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(Number.POSITIVE_INFINITY)),
        kind: fc.constantFrom('write' as const, 'read' as const),
        value: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength: 6 },
    )
    const verdicts = new Set<string>()
    fc.assert(
      fc.property(steps, (drawn) => {
        const own = drawn.map(({ begin, length, kind, value }) => step(begin, begin + length, kind, value))
        const verdict = linearize(register, own)
        verdicts.add(verdict)
        expect(verdict).toBe(isExplained(own) ? 'linearizable' : 'violated')
      }),
      { numRuns: 500, seed: 1 },
    )
    expect([...verdicts].sort()).toEqual(['linearizable', 'violated'])
  })

  it('gives up at its bound, and does not call the history right', () => {
    const many = Array.from({ length: 12 }, (_, index) => step(index, 100, 'write', index))
    expect(linearize(register, [...many, step(101, 102, 'read', 99)], 50)).toBe('undecided')
  })
})
