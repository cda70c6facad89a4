import { expect, it } from 'vitest'
import { maxWaitToSendMs } from '../upstream/guarded.ts'
import { maxIdleBeforeSendMs, maxSendDelayMs } from './timing.ts'

it('counts the gateway’s own delay, the wait to be sent and the connection attempt until a request has left', () => {
  /** As in the connector’s client. */
  const connectTimeoutMs = 3_000
  expect(maxSendDelayMs).toBe(maxIdleBeforeSendMs + maxWaitToSendMs + connectTimeoutMs)
})
