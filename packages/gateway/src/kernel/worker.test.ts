import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from './log.ts'
import { startWorker, type Worker } from './worker.ts'

let worker: Worker | undefined
afterEach(() => worker?.stop())

/** Returns the log lines of a worker whose turns end as listed, in this order. */
async function collectLogLines(
  turns: readonly (string | undefined)[],
  isReported?: (error: unknown) => boolean,
) {
  const lines: string[] = []
  const collectLine = (_fields: object, message: string) => void lines.push(message)
  const log: Log = { debug() {}, info: collectLine, warn: collectLine, error: collectLine }
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let next = 0
  worker = startWorker({
    name: 'try',
    everyMs: 0,
    log,
    ...(isReported ? { isReported } : {}),
    async turn() {
      const failure = turns[next]
      next += 1
      if (next > turns.length) resolve()
      if (failure !== undefined) throw new Error(failure)
      return undefined
    },
  })
  await over
  return lines
}

describe('a worker whose turns fail', () => {
  it('logs once while the failure stays the same, again when it changes, and when its turns succeed', async () => {
    const lines = await collectLogLines(['a', 'a', 'a', 'b', 'b', undefined, undefined, 'b', undefined])
    const [failed, works] = [expect.stringContaining('failed'), expect.stringContaining('succeed again')]
    expect(lines).toEqual([failed, failed, works, failed, works])
  })

  it('says nothing of what is reported elsewhere', async () => {
    expect(await collectLogLines(['away', 'away', undefined], () => true)).toEqual([])
  })
})
