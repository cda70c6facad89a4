/** Attempts of an operator: one at a time, and no failure is lost. */

import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { createKeys, type KeyOf } from '../api/keys.ts'
import { readSession } from '../session.ts'
import { FailureText } from './states.tsx'

/**
 * Runs what an operator asked for, one run at a time: React Query says that a call is pending only after the second
 * click of a double click, and calls back for the newest one only. `title` names what was tried. Until a run succeeds or
 * another attempt begins, the same calls have the same keys: one whose response was lost is then not done twice.
 */
export function useAttempt(title: string) {
  const isBusy = useRef(false)
  const isGone = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<ApiError>()
  const keys = useRef<KeyOf>(undefined)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])

  const clear = () => setFailure(undefined)
  /** Begins another attempt: the next run is one of its own, also if it makes the same calls. */
  const restart = () => {
    clear()
    keys.current = undefined
  }
  /** Does nothing while the work before runs. */
  const run = async (work: (keyOf: KeyOf) => Promise<void>) => {
    if (isBusy.current) return
    isBusy.current = true
    setRunning(true)
    setFailure(undefined)
    keys.current ??= createKeys()
    try {
      await work(keys.current)
      keys.current = undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
      if (isGone.current) keepFailure(title, error)
    } finally {
      isBusy.current = false
      setRunning(false)
    }
  }
  return { isRunning, failure, clear, restart, run }
}

/** Shows a failure whose place on the page is gone, until it is closed; not on the sign-in page, which is anybody's. */
export function keepFailure(title: string, error: ApiError) {
  if (readSession() === undefined) return
  const message = (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <FailureText error={error} />
    </>
  )
  notifications.show({ message, color: 'red', autoClose: false })
}
