/**
 * Keeps several processes running on one port of one machine (`PROCESSES`). They share one listening socket, and each
 * accepts from its queue when it has time. So no process owns a connection before it has accepted it, and none waits for
 * a process that has ended, drains or is frozen.
 *
 * A process that ends by itself is started again, after a pause that grows while it keeps ending. SIGHUP restarts the
 * processes one after another: each new one serves before the old one drains.
 */

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { maxCollectMs, type ToProcess, type ToSupervisor } from './process-messages.ts'
import { formatSupervisorMetrics } from './supervisor-metrics.ts'
import { waitForPort } from './wait-for-port.ts'

const minRestartMs = 250
const maxRestartMs = 30_000
/** A process that has run for this long counts as steady: if it ends, the pauses begin anew. */
const steadyMs = 60_000
/** The longest time that the processes take to stop: longer than the longest drain. */
const maxStopMs = 60_000
const failure = 1
/** The signals that tell a process to stop. One that has not set its handlers yet is ended by the signal itself. */
const endingSignals: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT'])

/** Computes the pause before a process is started again after `failures` short runs in a row. */
export function computeRestartPause(failures: number): number {
  return Math.min(maxRestartMs, minRestartMs * 2 ** failures)
}

interface Child {
  readonly number: number
  readonly worker: Worker
  readonly startedAt: number
  /** Resolves with the banner when the process serves requests. */
  readonly ready: Promise<string>
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
  /** Whether the supervisor has told it to end. */
  isLeaving: boolean
}

export class Supervisor {
  readonly #config: Config
  readonly #log: Log
  /** Every process that has not ended. */
  readonly #running = new Set<Child>()
  /** The process that serves under each number. */
  readonly #serving = new Map<number, Child>()
  /** How many short runs in a row each number had. */
  readonly #failures = new Map<number, number>()
  readonly #stopped = Promise.withResolvers<number>()
  readonly #collecting = new Map<number, (text: string) => void>()
  #lastCollect = 0
  #restarts = 0
  #isStarting = true
  #isStopping = false
  #isRolling = false

  constructor(config: Config, log: Log) {
    this.#config = config
    this.#log = log
  }

  get #count(): number {
    return this.#config.processes
  }

  /**
   * Starts the processes when the port is free, the first one alone, because it migrates the database. Returns the exit
   * code once they have stopped, or the first one's if it cannot start.
   */
  async run(printBanner: (text: string) => void): Promise<number> {
    // With round robin, Node hands connections over itself; one on its way to a process that is killed is never closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    process.on('SIGTERM', () => this.#stop('SIGTERM'))
    process.on('SIGINT', () => this.#stop('SIGINT'))
    process.on('SIGHUP', () => void this.#restartAll())
    await waitForPort(this.#config, this.#log, () => this.#isStopping)
    if (this.#isStopping) return this.#stopped.promise
    const first = this.#fork(1)
    const outcome = await Promise.race([first.ready, first.ended])
    if (typeof outcome === 'number') return this.#isStopping ? this.#stopped.promise : outcome
    this.#serve(first)
    // The first process has declared it. Whoever starts later would declare another restore.
    cluster.setupPrimary({ args: process.argv.slice(2).filter((each) => each !== '--restored') })
    const numbers = Array.from({ length: this.#count - 1 }, (_, index) => index + 2)
    const others = numbers.flatMap((number) => this.#startOne(number) ?? [])
    await Promise.all(others.map(({ ready, ended }) => Promise.race([ready, ended])))
    this.#isStarting = false
    if (!this.#isStopping) printBanner(outcome)
    return this.#stopped.promise
  }

  /** Starts the process of a number. If the system does not allow it now, it is tried again later. */
  #startOne(number: number): Child | undefined {
    const child = this.#tryFork(number)
    if (child) this.#serve(child)
    else void this.#startLater(number)
    return child
  }

  /** As `#fork`; undefined if the system has neither memory nor a process to spare. */
  #tryFork(number: number): Child | undefined {
    try {
      return this.#fork(number)
    } catch (error) {
      this.#log.error({ error, process: number }, 'the system did not start a process')
      return undefined
    }
  }

  #fork(number: number): Child {
    const worker = cluster.fork({ PROCESS_NUMBER: String(number) })
    const { promise: ready, resolve: resolveReady } = Promise.withResolvers<string>()
    const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<number>()
    const child: Child = {
      number,
      worker,
      startedAt: systemClock.monotonic(),
      ready,
      ended,
      isLeaving: false,
    }
    this.#running.add(child)
    worker.on('message', (message: ToSupervisor) => {
      if ('ready' in message) resolveReady(message.ready.banner)
      else if ('gather' in message) void this.#sendMetrics(child, message.gather.id)
      else if ('collected' in message) this.#collecting.get(message.collected.id)?.(message.collected.text)
    })
    worker.on('error', (error) => {
      if (worker.process.pid !== undefined) {
        // It ended while a message was on its way to it.
        this.#log.warn({ error, process: number }, 'a message was lost')
        return
      }
      // It never began, so it does not end either.
      this.#running.delete(child)
      this.#log.error({ error, process: number }, 'the system did not start a process')
      resolveEnded(failure)
    })
    worker.once('exit', (code, signal) => {
      this.#running.delete(child)
      if (!child.isLeaving)
        this.#log.warn({ process: number }, `a process ended by itself (${signal ?? code})`)
      resolveEnded(code ?? (child.isLeaving && endingSignals.has(signal) ? 0 : failure))
    })
    return child
  }

  /** Makes a process the one that serves under its number, and starts another one whenever it ends by itself. */
  #serve(child: Child) {
    const { number } = child
    this.#serving.set(number, child)
    void child.ended.then(() => {
      if (this.#serving.get(number) !== child || child.isLeaving) return
      this.#serving.delete(number)
      if (systemClock.monotonic() - child.startedAt >= steadyMs) this.#failures.delete(number)
      this.#restarts += 1
      return this.#startLater(number)
    })
  }

  /** Starts the process of a number after a pause that grows with its failures. */
  async #startLater(number: number): Promise<void> {
    const failures = this.#failures.get(number) ?? 0
    this.#failures.set(number, failures + 1)
    await sleep(computeRestartPause(failures))
    if (!this.#isStopping && !this.#serving.has(number)) this.#startOne(number)
  }

  /** Restarts the processes one after another. If a new one cannot start, the old ones stay. */
  async #restartAll(): Promise<void> {
    if (this.#isStarting || this.#isRolling || this.#isStopping) {
      this.#log.warn({}, 'a rolling restart is refused, because the processes already start, restart or stop')
      return
    }
    this.#isRolling = true
    this.#log.info({ rows: this.#count }, 'the processes restart one after another')
    try {
      for (let number = 1; number <= this.#count && !this.#isStopping; number++) {
        if (await this.#replace(number)) continue
        this.#log.error(
          { process: number },
          'the rolling restart stops, because a new process could not start',
        )
        break
      }
    } finally {
      this.#isRolling = false
    }
    this.#log.info({}, 'the rolling restart is over')
  }

  /** Starts a new process and then stops the old one. Returns false if the new one ended before it served. */
  async #replace(number: number): Promise<boolean> {
    const fresh = this.#tryFork(number)
    if (!fresh) return false
    const outcome = await Promise.race([fresh.ready, fresh.ended])
    if (typeof outcome === 'number') return false
    const old = this.#serving.get(number)
    if (old) old.isLeaving = true
    this.#serve(fresh)
    if (!old || this.#isStopping) return true
    await this.#end(old)
    return true
  }

  /** Ends a process, which may be frozen and never see the first signal. */
  async #end({ number, worker, ended }: Child): Promise<void> {
    const timer = setTimeout(() => {
      this.#log.warn({ process: number }, `a process that did not stop within ${maxStopMs} ms is killed`)
      worker.process.kill('SIGKILL')
    }, maxStopMs)
    worker.process.kill('SIGTERM')
    await ended
    clearTimeout(timer)
  }

  #stop(signal: NodeJS.Signals) {
    const children = [...this.#running]
    for (const child of children) {
      child.isLeaving = true
      child.worker.process.kill(signal)
    }
    if (this.#isStopping) return
    this.#isStopping = true
    const timer = setTimeout(() => {
      this.#log.warn({}, `processes that did not stop within ${maxStopMs} ms are killed`)
      for (const { worker } of this.#running) worker.process.kill('SIGKILL')
    }, maxStopMs)
    void Promise.all(children.map(({ ended }) => ended)).then((codes) => {
      clearTimeout(timer)
      this.#stopped.resolve(codes.every((code) => code === 0) ? 0 : failure)
    })
  }

  /** Sends the metrics of all processes to one of them. */
  async #sendMetrics(to: Child, id: number): Promise<void> {
    const texts = await Promise.all([...this.#serving.values()].map((child) => this.#collect(child)))
    const own = formatSupervisorMetrics({ processes: this.#count, restarts: this.#restarts })
    const message: ToProcess = { gathered: { id, texts: [...texts, own] } }
    if (to.worker.isConnected()) to.worker.send(message)
  }

  /** Returns the metrics of one process; empty if it does not report them in time. */
  async #collect({ worker }: Child): Promise<string> {
    if (!worker.isConnected()) return ''
    const id = ++this.#lastCollect
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#collecting.set(id, resolve)
    const timer = setTimeout(() => resolve(''), maxCollectMs)
    const message: ToProcess = { collect: { id } }
    worker.send(message)
    const text = await promise
    clearTimeout(timer)
    this.#collecting.delete(id)
    return text
  }
}
