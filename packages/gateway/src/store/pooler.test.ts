import { describe, expect, it } from 'vitest'
import { isPooled, type Session } from './pooler.ts'

/**
 * A pooler that gives each transaction the backend that was released last. A session in a transaction keeps its
 * backend.
 */
function createPooledSession(backends: number[]): Session {
  let own: number | undefined
  return {
    async backend(begin) {
      const backend = own ?? backends.pop() ?? 0
      if (begin) own = backend
      else if (own === undefined) backends.push(backend)
      return backend
    },
  }
}

const createSession = (pid: number): Session => ({ backend: async () => pid })

describe('a transaction pooler in front of PostgreSQL', () => {
  it('is noticed with one idle backend and with many', async () => {
    for (const backends of [[1], [1, 2], [1, 2, 3, 4, 5]]) {
      expect(await isPooled(createPooledSession(backends), createPooledSession(backends))).toBe(true)
    }
  })

  it('is noticed where others take the backends meanwhile', async () => {
    let next = 0
    const busy: Session = { backend: async () => next++ }
    expect(await isPooled(busy, busy)).toBe(true)
  })

  it('is not seen where each session has a backend of its own', async () => {
    expect(await isPooled(createSession(1), createSession(2))).toBe(false)
  })
})
