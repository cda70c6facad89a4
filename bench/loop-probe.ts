import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded into a Node process before its own code. It watches the event loop from inside and answers its parent: the
 * product's code knows nothing of it. `watch` begins anew, `tell` answers what was seen since.
 */
const resolutionMs = 1
const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
const session = new Session()

const answers: Readonly<Record<string, () => unknown>> = {
  async watch() {
    histogram.enable()
    // The first tick only tells from when on to count.
    await pause(2 * resolutionMs)
    histogram.reset()
    return {}
  },
  async tell() {
    await pause(2 * resolutionMs)
    histogram.disable()
    // The histogram holds the time between two ticks, the tick itself included.
    const blockedMs = Math.max(0, histogram.max / 1e6 - resolutionMs)
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
    return { blockedMs, rss, heapUsed, external, arrayBuffers }
  },
  collect() {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return {}
  },
  async profile() {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
    return {}
  },
  async profiled() {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return profile
  },
}

process.on('message', async (question) => {
  process.send?.(await answers[String(question)]?.())
})
// The channel alone must not keep the process from ending.
process.channel?.unref()
