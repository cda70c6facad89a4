import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

const nsPerSecond = 1e9
const usPerSecond = 1e6
/** How often the delay of the event loop is sampled. A finer resolution wakes an idle process more often. */
const resolutionMs = 50

/**
 * Registers the metrics of the process. The client's own default metrics are not used: they end some gauges in
 * `_total`, which promtool refuses, and observe every garbage collection. The delay of the event loop is sampled from
 * the first scrape on, so that a process that nobody scrapes does not pay for it.
 */
export function registerProcessMetrics(registry: Registry, readNow: () => number) {
  const registers = [registry]
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'The 99th percentile of the event loop’s delay since the last scrape.',
    registers,
    collect() {
      const sampled = delay?.count ? Math.max(0, delay.percentile(99) / nsPerSecond - resolutionMs / 1000) : 0
      this.set(sampled)
      delay?.reset()
      if (delay) return
      delay = monitorEventLoopDelay({ resolution: resolutionMs })
      delay.enable()
    },
  })
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, user and system together.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / usPerSecond)
    },
  })
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'nodejs_heap_used_bytes',
    help: 'Used part of the JavaScript heap.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed)
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    registers,
    // Once: two readings of two clocks are never equal, and an alert counts the changes.
  }).set(readNow() / 1000 - process.uptime())
}
