/** Attempts of an operator: one at a time, and no failure is lost. */

import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { readSession } from '../session.ts'
import { FailureText } from './states.tsx'

/**
 * Runs what an operator asked for, one run at a time: React Query says that a call is pending only after the second
 * click of a double click, and calls back for the newest one only. `title` names what was tried.
 */
export function useAttempt(title: string) {
  const isBusy = useRef(false)
  const isGone = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<ApiError>()
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])

  const clear = () => setFailure(undefined)
  /** Does nothing while the work before runs. */
  const run = async (work: () => Promise<void>) => {
    if (isBusy.current) return
    isBusy.current = true
    setRunning(true)
    clear()
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
      if (isGone.current) keepFailure(title, error)
    } finally {
      isBusy.current = false
      setRunning(false)
    }
  }
  return { isRunning, failure, clear, run }
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
