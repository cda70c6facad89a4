import { describe, expect, it, vi } from 'vitest'
import { findFreePorts } from '../src/free-ports.ts'

describe('free ports', () => {
  it('are given once, although nobody listens on them yet', async () => {
    const draw = vi.spyOn(Math, 'random')
    try {
      draw.mockReturnValueOnce(0.123).mockReturnValueOnce(0.123).mockReturnValueOnce(0.456)
      const [first] = await findFreePorts(1)
      const [second] = await findFreePorts(1)
      expect(first).toBeGreaterThan(0)
      expect(second).not.toBe(first)
      expect(draw).toHaveBeenCalledTimes(3)
    } finally {
      draw.mockRestore()
    }
  })
})
