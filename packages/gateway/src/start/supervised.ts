/**
 * One of several processes of a supervisor (`supervisor.ts`). It accepts connections from the listening socket that all of
 * them share.
 */

import cluster from 'node:cluster'
import { mergeMetricTexts } from '../metrics/merge-texts.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { maxCollectMs, type ToProcess, type ToSupervisor } from './process-messages.ts'

/** The longest wait for the metrics of the other processes. After it, a scrape gets this process's own. */
const maxGatherMs = 2 * maxCollectMs

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
