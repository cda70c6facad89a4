import { describe, expect, it } from 'vitest'
import { computeRestartPause } from './supervisor.ts'

describe('the pause before a process is started again', () => {
  it('grows while the process keeps ending, up to half a minute', () => {
    const pauses = Array.from({ length: 12 }, (_, failures) => computeRestartPause(failures))
    expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 2_000])
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(pauses.at(-1)).toBe(30_000)
  })
})
