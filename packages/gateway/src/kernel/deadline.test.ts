import { describe, expect, it, vi } from 'vitest'
import { Deadline } from './deadline.ts'

describe('a deadline', () => {
  it('fires after its time, as a timeout', () => {
    vi.useFakeTimers()
    try {
      const { signal } = Deadline.after(300)
      vi.advanceTimersByTime(299)
      expect(signal.aborted).toBe(false)
      vi.advanceTimersByTime(1)
      expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('fires with the other signal, whether that fires later or had fired before', () => {
    const other = new AbortController()
    const later = Deadline.after(60_000, other.signal)
    other.abort('enough')
    expect(later.signal.reason).toBe('enough')
    expect(Deadline.after(60_000, other.signal).signal.reason).toBe('enough')
  })

  it('does not fire once its work is done', () => {
    vi.useFakeTimers()
    try {
      const other = new AbortController()
      const deadline = Deadline.after(300, other.signal)
      deadline.end()
      other.abort()
      vi.advanceTimersByTime(1_000)
      expect(deadline.signal.aborted).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
