import { useEffect } from 'react'
import { lockIfIdle, noteUse } from '../session.ts'

const uses = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'] as const
const lookEveryMs = 30_000

/**
 * Locks the console once nobody has used it for an hour by the wall clock. A timer alone would not do: it stands still
 * while the computer sleeps, so the clock is read whenever the page is shown again and before any use counts.
 */
export function useIdleLock() {
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    for (const use of uses) addEventListener(use, noteUse, { capture: true, passive: true, signal })
    document.addEventListener('visibilitychange', lockIfIdle, { signal })
    addEventListener('pageshow', lockIfIdle, { signal })
    const timer = setInterval(lockIfIdle, lookEveryMs)
    return () => {
      leaving.abort()
      clearInterval(timer)
    }
  }, [])
}
