import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { jsonLog } from '../kernel/log.ts'
import { computeRestartPause, Supervisor } from './supervisor.ts'

describe('the pause before a process is started again', () => {
  it('grows while the process keeps ending, up to half a minute', () => {
    const pauses = Array.from({ length: 12 }, (_, failures) => computeRestartPause(failures))
    expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 2_000])
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(pauses.at(-1)).toBe(30_000)
  })
})

/** A process that reports that it serves, and ends when it is told to. */
function createWorker(): Worker {
  const worker = new EventEmitter()
  const kill = (signal: string) => setImmediate(() => worker.emit('exit', 0, signal))
  setImmediate(() => worker.emit('message', { ready: { banner: 'It serves.' } }))
  return Object.assign(worker, { process: { pid: 1, kill }, isConnected: () => false }) as unknown as Worker
}

/** A process that the system did not start: it has no id, and never ends. */
function createUnstarted(): Worker {
  const worker = new EventEmitter()
  setImmediate(() => worker.emit('error', new Error('spawn EAGAIN')))
  return Object.assign(worker, { process: { pid: undefined, kill: () => false } }) as unknown as Worker
}

describe('a process that the system does not start', () => {
  const listeners = { SIGTERM: process.listeners('SIGTERM'), SIGINT: process.listeners('SIGINT') }
  afterEach(() => {
    vi.restoreAllMocks()
    for (const [signal, former] of Object.entries(listeners))
      for (const each of process.listeners(signal as NodeJS.Signals))
        if (!former.includes(each)) process.off(signal, each)
    process.removeAllListeners('SIGHUP')
  })

  it.each([
    ['and says so later', createUnstarted],
    [
      'and says so at once',
      () => {
        throw new Error('spawn ENOMEM')
      },
    ],
  ])('%s, is started after a pause, and stops no restart and no end', async (_when, fail) => {
    const config = readConfig({
      ...{ ADMIN_TOKEN: 'a'.repeat(32), SECRETS_KEY: 's'.repeat(32), PROCESSES: '2', PORT: '0' },
      ...{ DATABASE_URL: 'postgres://db.example/gateway' },
      ...{ UPSTREAM_URL: 'http://erp.example', UPSTREAM_TOKEN: 'a-token' },
    })
    vi.spyOn(cluster, 'setupPrimary').mockImplementation(() => {})
    const forks: string[] = []
    const workers: Worker[] = []
    let isRefused = false
    vi.spyOn(cluster, 'fork').mockImplementation((given) => {
      forks.push(String(Object(given).PROCESS_NUMBER))
      const worker = isRefused ? fail() : createWorker()
      workers.push(worker)
      return worker
    })
    const said: string[] = []
    const keep = (_fields: object, message: string) => void said.push(message)
    const supervisor = new Supervisor(config, { ...jsonLog('silent'), info: keep, error: keep, warn: keep })
    const { promise: isUp, resolve: showBanner } = Promise.withResolvers<string>()
    const ended = supervisor.run(showBanner)
    await isUp
    isRefused = true
    process.emit('SIGHUP')
    await vi.waitFor(() => expect(said).toContain('the rolling restart is over'))
    expect(forks).toEqual(['1', '2', '1'])
    workers[1]?.emit('exit', 1, null)
    await vi.waitFor(() => expect(forks).toEqual(['1', '2', '1', '2']), 5_000)
    isRefused = false
    await vi.waitFor(() => expect(forks).toEqual(['1', '2', '1', '2', '2']), 5_000)
    process.emit('SIGHUP')
    await vi.waitFor(() => expect(forks.slice(5)).toEqual(['1', '2']))
    await vi.waitFor(() =>
      expect(said.filter((line) => line === 'the rolling restart is over')).toHaveLength(2),
    )
    process.emit('SIGTERM')
    expect(await ended).toBe(0)
    expect(said).toContain('the system did not start a process')
  })
})
