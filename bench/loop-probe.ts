import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * A preload (`node --import`) that measures the event loop from inside a process and replies to commands of its parent
 * over IPC. The measured code needs no changes. `watch` resets the measurement, `report` returns it.
 */

/** The interval between two ticks of the measurement, in milliseconds. */
const resolutionMs = 1
const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
const session = new Session()

const commands: Readonly<Record<string, () => unknown>> = {
  async watch() {
    histogram.enable()
    // The first tick after `enable` only sets the start time.
    await pause(2 * resolutionMs)
    histogram.reset()
    return {}
  },
  async report() {
    await pause(2 * resolutionMs)
    histogram.disable()
    // The histogram records the interval between two ticks, which includes the timer's own resolution.
    const blockedMs = Math.max(0, histogram.max / 1e6 - resolutionMs)
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
    return { blockedMs, rss, heapUsed, external, arrayBuffers }
  },
  collectGarbage() {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return {}
  },
  async startProfile() {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
    return {}
  },
  async stopProfile() {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return profile
  },
}

process.on('message', async (command) => {
  process.send?.(await commands[String(command)]?.())
})
// Without `unref`, the open IPC channel would keep the process alive.
process.channel?.unref()
