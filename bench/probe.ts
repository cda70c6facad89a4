import { createNumberReader } from './load.ts'
import type { RunningProcess } from './processes.ts'

export type ProbeCommand = 'watch' | 'report' | 'collectGarbage' | 'startProfile' | 'stopProfile'

/** The preload for `node --import` that handles the commands. */
export const probeFile = new URL('loop-probe.ts', import.meta.url).href

const timeoutMs = 60_000

/** Sends a command to the probe inside a process. */
export async function sendProbeCommand(
  { child, name }: RunningProcess,
  command: ProbeCommand,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const timer = setTimeout(
    () => reject(new Error(`${name} does not respond to the command ${command}.`)),
    timeoutMs,
  )
  child.once('message', resolve)
  child.send(command)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.off('message', resolve)
  }
}

/** Measures the longest time that a process's event loop was blocked while `work` ran, in milliseconds. */
export async function measureBlockedMs(
  process: RunningProcess,
  work: () => Promise<unknown>,
): Promise<number> {
  await sendProbeCommand(process, 'watch')
  await work()
  return createNumberReader(await sendProbeCommand(process, 'report'))('blockedMs')
}
