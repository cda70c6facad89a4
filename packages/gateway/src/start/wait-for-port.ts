import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { shutdownLimits } from '../http/drain.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'

/** Longer than the processes of a killed supervisor accept requests while they shut down. */
const maxWaitMs = 2 * shutdownLimits.acceptMs
const lookMs = 100

/**
 * Waits while the port is in use, because the processes of a killed supervisor keep it until they have shut down. Ends
 * after `maxWaitMs`, so that the process that needs the port reports it, or when `isGivenUp` says so. A worker of
 * `node:cluster` cannot wait itself: Node allows it only one attempt to listen.
 */
export async function waitForPort(config: Config, log: Log, isGivenUp: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + maxWaitMs
  for (let isFirst = true; await isInUse(config); isFirst = false) {
    if (isGivenUp() || systemClock.monotonic() >= deadline) return
    if (isFirst) log.warn({}, `PORT ${config.port} is in use; waiting up to ${maxWaitMs} ms for it`)
    await sleep(lookMs)
  }
}

async function isInUse({ port, host }: Config): Promise<boolean> {
  const server = createServer()
  try {
    const listening = once(server, 'listening')
    server.listen(port, host)
    await listening
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
