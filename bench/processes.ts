import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { requireProgram } from './tools.ts'

/**
 * The number of the core that the measured servers run on. The load, this process and PostgreSQL run on the other core,
 * so that they do not compete.
 */
export const serverCore = 0
export const loadCore = 1

/** The unit of times in /proc/stat, in milliseconds. USER_HZ is 100 on every Linux architecture that Node supports. */
const msPerTick = 10
const lowestNiceness = '19'
const endTimeoutMs = 25_000
const maxTailCharacters = 2_000

export interface RunningProcess {
  readonly name: string
  readonly pid: number
  readonly child: ChildProcess
  /** Returns the end of the process's output. */
  readLogTail(): string
  /** Sends SIGTERM, and SIGKILL after a timeout, and waits until the process has exited. */
  end(): Promise<void>
}

const runningProcesses = new Set<RunningProcess>()

interface StartOptions {
  readonly name: string
  readonly core: number
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd: string
  /** The file that receives standard output and error. */
  readonly log: string
  /** Whether to open an IPC channel to the process; only for Node. */
  readonly hasIpcChannel?: boolean
  /** Whether the process gets a separate session (setsid). */
  readonly ownSession?: boolean
}

/** Starts a server on one core. The kernel ends it when this process ends, even after SIGKILL. */
export function startPinned({
  name,
  core,
  command,
  env,
  cwd,
  log,
  hasIpcChannel,
  ownSession = false,
}: StartOptions): RunningProcess {
  const file = openSync(log, 'a')
  const wrapped = ['--pdeathsig', 'TERM', requireProgram('taskset'), '-c', String(core), ...command]
  const child = spawn(requireProgram('setpriv'), wrapped, {
    cwd,
    detached: ownSession,
    // A minimal environment: settings of the machine must not influence the measurement.
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', file, file, ...(hasIpcChannel ? (['ipc'] as const) : [])],
  })
  closeSync(file)
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} could not be started.`)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const self: RunningProcess = {
    name,
    pid,
    child,
    readLogTail: () => readFileSync(log, 'utf8').slice(-maxTailCharacters),
    async end() {
      runningProcesses.delete(self)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
      await ended
      clearTimeout(late)
    },
  }
  runningProcesses.add(self)
  return self
}

/**
 * Keeps `loadCore`, the core of the load generator, awake with a busy loop of idle priority. On a virtual machine,
 * waking a sleeping reader costs CPU time of the process that writes to its connection. A server that is faster than
 * the load generator would never have this cost, a slower one always. Linux divides a core between sessions first
 * (sched_autogroup). The loop therefore runs in a separate session of the lowest weight. In the session of the load
 * generator it would consume a part of its CPU time whenever other processes use the core.
 */
export function keepLoadCoreAwake(cwd: string): RunningProcess {
  const loop = startPinned({
    name: 'the loop that keeps the load core awake',
    core: loadCore,
    command: [requireProgram('chrt'), '--idle', '0', process.execPath, '-e', 'for (;;) {}'],
    cwd,
    log: `${cwd}/awake.log`,
    ownSession: true,
  })
  const weight = `/proc/${loop.pid}/autogroup`
  if (existsSync(weight)) writeFileSync(weight, lowestNiceness)
  return loop
}

/** Ends all processes that this run started and that are still running. */
export async function endAllProcesses(): Promise<void> {
  await Promise.all([...runningProcesses].map((each) => each.end()))
}

/** Polls `ready` until it returns a value. Throws if the process exits first or after `withinMs`. */
export async function waitUntilReady<T>(
  process: RunningProcess,
  withinMs: number,
  ready: () => Promise<T | undefined>,
): Promise<T> {
  const pollMs = 5
  for (const until = performance.now() + withinMs; performance.now() < until; await pause(pollMs)) {
    if (process.child.exitCode !== null || process.child.signalCode !== null) break
    const result = await ready().catch(() => undefined)
    if (result !== undefined) return result
  }
  throw new Error(`${process.name} did not become ready. It wrote:\n${process.readLogTail()}`)
}

/**
 * Reads the CPU time that all threads of a process and of its child processes have used so far, in microseconds, from
 * `schedstat`, which counts nanoseconds. `/proc/<pid>/stat` counts units of 10 ms, which is an error of 3 % for a process
 * that ran for a third of a second.
 */
export function readCpuUs(process: Pick<RunningProcess, 'pid'>): number {
  return [...readCpuByProcess(process).values()].reduce((sum, each) => sum + each, 0)
}

/**
 * Reads the same for the process and for each of its descendants, by process id. A sum of two readings cannot be
 * compared if a child process ends in between, as those of PostgreSQL do.
 */
export function readCpuByProcess({ pid }: Pick<RunningProcess, 'pid'>): Map<number, number> {
  const used = new Map([[pid, readOwnCpuUs(pid)]])
  for (const child of listDescendants(pid)) {
    try {
      used.set(child, readOwnCpuUs(child))
    } catch {
      // The child process has ended.
    }
  }
  return used
}

function readOwnCpuUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ns.reduce((sum, each) => sum + each, 0) / 1000
}

/** Lists the descendants of a process. Not every kernel has `/proc/<pid>/task/<tid>/children`. */
export function listDescendants(ancestor: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const children = Map.groupBy(pids, readParent)
  const list = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...list(child)])
  return list(ancestor)
}

/** Reads the id of a process's parent; undefined if the process has ended. */
export function readParent(pid: number): number | undefined {
  try {
    // proc_pid_stat(5): pid, (name), state, parent. A name may contain any character.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(parent)
  } catch {
    // The process has ended.
    return undefined
  }
}

/** Reads the time that a core has been busy so far, for any process, in milliseconds. */
export function readBusyMs(core: number): number {
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
  // proc_stat(5): user, nice, system, idle, iowait, irq, softirq. The later columns count the time of virtual machines.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(' ').map(Number)
  return (user + nice + system + irq + softirq) * msPerTick
}

/** Reads the resident memory of a process in bytes: the current value (VmRSS) or the peak (VmHWM). */
export function readRss({ pid }: RunningProcess, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kib) * 1024
}
