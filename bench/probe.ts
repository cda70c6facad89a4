import { numbersIn } from './load.ts'
import type { Running } from './processes.ts'

export type Question = 'watch' | 'tell' | 'collect' | 'profile' | 'profiled'

/** The preload that answers; for `--import`. */
export const probeFile = new URL('loop-probe.ts', import.meta.url).href

const timeoutMs = 60_000

/** Asks the probe inside a process. */
export async function probed({ child, name }: Running, question: Question): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => reject(new Error(`${name} does not answer ${question}.`)), timeoutMs)
  child.once('message', resolve)
  child.send(question)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.off('message', resolve)
  }
}

/** The longest time that the process's event loop stood still while `work` went on, in milliseconds. */
export async function blockedMsDuring(process: Running, work: () => Promise<unknown>): Promise<number> {
  await probed(process, 'watch')
  await work()
  return numbersIn(await probed(process, 'tell'))('blockedMs')
}
