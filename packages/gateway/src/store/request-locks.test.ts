import { expect, it } from 'vitest'
import { InProcessLocks } from './in-process-locks.ts'
import { RequestLocks } from './request-locks.ts'
import type { SessionLocks, WantedLock } from './session-locks.ts'
import type { StorageState } from './trouble.ts'

const waitMs = 60_000

it('A request that has queued in its process waits for other processes only as long as it has left', async () => {
  const asked: number[] = []
  const sessionLocks = {
    hold: (wanted: WantedLock, work: (lost: AbortSignal) => Promise<unknown>) => {
      asked.push(wanted.waitMs)
      return work(new AbortController().signal)
    },
    requireResponse: () => Promise.resolve(),
  } as unknown as SessionLocks
  const state = { trouble: undefined, silences: 0, note: () => {} } as unknown as StorageState
  const locks = new RequestLocks({ locks: new InProcessLocks(), sessionLocks, state })
  const hold = (ms: number) =>
    locks.hold({ name: 'allocate A', waitMs }, () => new Promise((resolve) => setTimeout(resolve, ms)))
  await Promise.all([hold(50), hold(0)])
  const [first = 0, second = 0] = asked
  expect(asked).toHaveLength(2)
  expect(second).toBeLessThan(first)
  expect(second).toBeGreaterThan(0)
})
