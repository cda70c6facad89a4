import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pathOf } from './tools.ts'

/** Servers run on the first core, the load and this process on the second, so that neither takes time of the other. */
export const serverCore = 0
export const loadCore = 1

/** Linux counts process times in hundredths of a second on every architecture that Node runs on. */
const msPerTick = 10
const endTimeoutMs = 25_000
const mostTailCharacters = 2_000

export interface Running {
  readonly name: string
  readonly pid: number
  readonly child: ChildProcess
  /** What it wrote, the last of it. */
  tail(): string
  /** Asks it to end, and waits until it has. */
  end(): Promise<void>
}

const running = new Set<Running>()

interface Start {
  readonly name: string
  readonly core: number
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd: string
  /** Takes standard output and error. */
  readonly log: string
  /** Whether it is a Node process that this one talks with. */
  readonly talks?: boolean
}

/** Starts a server on one core. It ends with this process, however this process ends. */
export function startPinned({ name, core, command, env, cwd, log, talks }: Start): Running {
  const file = openSync(log, 'a')
  const wrapped = ['--pdeathsig', 'TERM', pathOf('taskset'), '-c', String(core), ...command]
  const child = spawn(pathOf('setpriv'), wrapped, {
    cwd,
    // Nothing of this machine's settings reaches what is measured.
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', file, file, ...(talks ? (['ipc'] as const) : [])],
  })
  closeSync(file)
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} could not be started.`)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const self: Running = {
    name,
    pid,
    child,
    tail: () => readFileSync(log, 'utf8').slice(-mostTailCharacters),
    async end() {
      running.delete(self)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
      await ended
      clearTimeout(late)
    },
  }
  running.add(self)
  return self
}

/**
 * Keeps the load's core from falling asleep, with what no other process wants of its time. On a virtual machine
 * whoever writes to a connection pays for waking its reader: a server that is faster than the load never does, a
 * slower one always, so that without this the ratio of the two tells of the machine.
 */
export function keepLoadCoreAwake(cwd: string): Running {
  return startPinned({
    name: 'what keeps the core of the load awake',
    core: loadCore,
    command: [pathOf('chrt'), '--idle', '0', process.execPath, '-e', 'for (;;) {}'],
    cwd,
    log: `${cwd}/awake.log`,
  })
}

/** Ends every process that is still there. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((each) => each.end()))
}

/** Waits until `ready` answers something; fails when the process ends first or `withinMs` passes. */
export async function whenReady<T>(
  process: Running,
  withinMs: number,
  ready: () => Promise<T | undefined>,
): Promise<T> {
  const pollMs = 5
  for (const until = performance.now() + withinMs; performance.now() < until; await pause(pollMs)) {
    if (process.child.exitCode !== null || process.child.signalCode !== null) break
    const answer = await ready().catch(() => undefined)
    if (answer !== undefined) return answer
  }
  throw new Error(`${process.name} did not become ready. It wrote:\n${process.tail()}`)
}

/** CPU time of a process with all of its threads so far, in milliseconds. */
export function cpuMsOf({ pid }: Running): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold anything; after it come the state and the numbers (proc(5): 14 and 15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

/** Resident memory of a process in bytes: now, or at its highest. */
export function rssOf({ pid }: Running, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kib) * 1024
}

/** Below the ports that the system gives to connections by itself, so that none is taken between here and its use. */
const firstPort = 21_000
const lastPort = 29_999
let nextPort = firstPort + (process.pid % 800) * 10

/** A port of the loopback address that is free now. */
export async function freePort(): Promise<number> {
  for (let tries = firstPort; tries <= lastPort; tries++) {
    nextPort = nextPort >= lastPort ? firstPort : nextPort + 1
    if (await isFree(nextPort)) return nextPort
  }
  throw new Error('There is no free port.')
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = createServer()
  probe.once('error', () => resolve(false))
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  return promise
}
