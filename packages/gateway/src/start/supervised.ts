/**
 * One of several processes of a supervisor (`supervisor.ts`). It accepts connections from the port that the supervisor
 * keeps open.
 */

import cluster from 'node:cluster'
import { mergeMetricTexts } from '../metrics/merge-texts.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { maxCollectMs, type ToProcess, type ToSupervisor } from './process-messages.ts'

/** The longest wait for the metrics of the other processes. After it, a scrape gets this process's own. */
const maxGatherMs = 2 * maxCollectMs

/** The longest wait for each reply of the supervisor, in case it is frozen. */
const maxReturnMs = 5_000

export const isSupervised = cluster.isWorker

function tell(message: ToSupervisor) {
  if (process.connected) process.send?.(message)
}

/** Reports that this process serves requests. The supervisor prints the banner once for all processes. */
export function reportReady(banner: string) {
  tell({ ready: { banner } })
}

/**
 * Calls `onOrphaned` if the supervisor ends without stopping this process. Node would end the process at once and fail
 * its running requests, unless the disconnection looks intended.
 */
export function watchSupervisor(onOrphaned: () => void) {
  const { worker } = cluster
  if (!worker) return
  worker.exitedAfterDisconnect = true
  process.once('disconnect', onOrphaned)
  // A terminal that closes signals the whole process group. Restarting is the supervisor's to do.
  process.on('SIGHUP', () => {})
}

/**
 * Waits until the supervisor has taken back the connections that were on their way to this process when it stopped
 * accepting. A process that ended before would leave them open at the supervisor, without a response. Messages keep
 * their order: the first reply follows the last connection, and the second one shows that its refusal has arrived.
 */
export async function returnConnections(): Promise<void> {
  for (const id of [1, 2]) {
    if (!process.connected) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const listen = (message: ToProcess) => {
      if ('pong' in message && message.pong.id === id) resolve()
    }
    process.on('message', listen)
    process.once('disconnect', resolve)
    const timer = setTimeout(resolve, maxReturnMs)
    tell({ ping: { id } })
    await promise
    clearTimeout(timer)
    process.off('message', listen)
    process.off('disconnect', resolve)
  }
}

/**
 * Reports this process's metrics to the supervisor when asked, and makes `/metrics` show those of all processes: with
 * one port, a scrape reaches any of them.
 */
export function shareMetrics(metrics: Metrics) {
  const waiting = new Map<number, (texts: readonly string[]) => void>()
  let lastId = 0
  process.on('message', (message: ToProcess) => {
    if ('collect' in message) {
      const { id } = message.collect
      void metrics.registry.metrics().then((text) => tell({ collected: { id, text } }))
    } else if ('gathered' in message) waiting.get(message.gathered.id)?.(message.gathered.texts)
  })
  metrics.read = async () => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>()
    waiting.set(id, resolve)
    const timer = setTimeout(() => resolve(undefined), maxGatherMs)
    tell({ gather: { id } })
    const texts = await promise
    clearTimeout(timer)
    waiting.delete(id)
    return texts ? mergeMetricTexts(texts) : metrics.registry.metrics()
  }
}
