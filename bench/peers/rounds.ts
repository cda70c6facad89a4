import { setTimeout as pause } from 'node:timers/promises'
import { readCpuByProcess, readCpuUs } from '../processes.ts'
import { closeConnections } from '../send-request.ts'
import { median } from '../statistics.ts'
import { type Read, type ReadRequest, type System, sendRead } from './system.ts'

/**
 * In each round every system gets two slices of load, in the order A B C and then C B A, so that a short disturbance of
 * the machine hits all of them. Ratios are taken within a round.
 *
 * The load comes from this process. With several connections, the requests are sent together, and the next ones when all
 * responses are there.
 */
const sliceMs = 1_000
/** On a busy machine, a slice lasts until it has so many requests. */
const minRequests = 5
/** The CPU time for which a server is warmed up, as V8 optimizes code that has run often, and its bound by the clock. */
const [warmCpuUs, maxWarmMs] = [5e6, 15_000] as const

/** A kind of read that is measured. */
export interface Contest {
  readonly name: string
  /** The reads of which each request takes the next one. */
  readonly reads: readonly Read[]
  /** The number of requests that are sent together. */
  readonly connections: number
}

/** The figures of one system in one round. */
export interface Figures {
  /** CPU time of a request over all threads of the server, in microseconds, without that of the idle server. */
  readonly cpuUs: number
  /** The same of the whole PostgreSQL server. */
  readonly databaseUs: number
  readonly latencyMs: number
  readonly perSecond: number
}

/** The figures of the systems, by name. */
export type Round = ReadonlyMap<string, Figures>

/** CPU time that a process uses in one second without requests, in microseconds, by process id. */
type Idle = ReadonlyMap<number, number>

interface Measured {
  readonly systems: readonly System[]
  /** The id of PostgreSQL's first process. */
  readonly databasePid: number
}

/**
 * Runs the rounds of a contest. `known` is what the processes used without requests before the contests so far; its
 * values are lowered if the processes use less before this one.
 */
export async function runRounds(
  contest: Contest,
  { systems, databasePid }: Measured,
  { rounds, known }: { readonly rounds: number; readonly known: Map<number, number> },
): Promise<Round[]> {
  for (const system of systems) await warmUp(system, contest)
  await measureIdle([...systems.map(({ pid }) => pid), databasePid], known)
  const done: Round[] = []
  while (done.length < rounds) {
    const slices: { readonly name: string; readonly figures: Figures }[] = []
    for (const system of [...systems, ...systems.toReversed()])
      slices.push({
        name: system.name,
        figures: await runSlice(system, contest, { databasePid, idle: known }),
      })
    done.push(averageSlices(slices))
  }
  return done
}

async function warmUp(system: System, contest: Contest): Promise<void> {
  const before = readCpuUs(system)
  const began = performance.now()
  while (readCpuUs(system) - before < warmCpuUs && performance.now() - began < maxWarmMs)
    await runLoad(system, contest, sliceMs)
}

const idleWindows = 6
const idleWindowMs = 500

/**
 * Takes the minimum of several windows, because a server collects garbage and compiles for a while after a load, and
 * because once a minute the gateway reads the whole stock from Medusa, which takes seconds on a busy machine.
 */
async function measureIdle(pids: readonly number[], idle: Map<number, number>): Promise<void> {
  for (let window = 0; window < idleWindows; window++) {
    const began = performance.now()
    const before = pids.map((pid) => readCpuByProcess({ pid }))
    await pause(idleWindowMs)
    const seconds = (performance.now() - began) / 1000
    for (const [at, pid] of pids.entries()) {
      const used = subtractCpu(readCpuByProcess({ pid }), before[at]) / seconds
      idle.set(pid, Math.min(used, idle.get(pid) ?? Number.POSITIVE_INFINITY))
    }
  }
}

type CpuByProcess = ReturnType<typeof readCpuByProcess>

/** Adds up what the processes that still run have used since an earlier reading. */
function subtractCpu(now: CpuByProcess, before: CpuByProcess | undefined): number {
  return [...now].reduce((sum, [pid, used]) => sum + used - (before?.get(pid) ?? 0), 0)
}

interface Accounts {
  readonly databasePid: number
  readonly idle: Idle
}

async function runSlice(system: System, contest: Contest, { databasePid, idle }: Accounts): Promise<Figures> {
  const database = { pid: databasePid }
  const databaseBefore = readCpuByProcess(database)
  const cpuBefore = readCpuUs(system)
  const { latencies, seconds } = await runLoad(system, contest, sliceMs)
  const cpuUs = readCpuUs(system) - cpuBefore
  const databaseUs = subtractCpu(readCpuByProcess(database), databaseBefore)
  const perRequest = (used: number, pid: number) => (used - (idle.get(pid) ?? 0) * seconds) / latencies.length
  return {
    cpuUs: perRequest(cpuUs, system.pid),
    databaseUs: Math.max(0, perRequest(databaseUs, databasePid)),
    latencyMs: median(latencies),
    perSecond: latencies.length / seconds,
  }
}

interface Load {
  /** The latency of each request in milliseconds. */
  readonly latencies: readonly number[]
  readonly seconds: number
}

async function runLoad(system: System, { reads, connections }: Contest, ms: number): Promise<Load> {
  const requests = reads.map((read) => system.toRequest(read))
  const latencies: number[] = []
  const began = performance.now()
  for (let next = 0; next < minRequests || performance.now() - began < ms; next += connections) {
    const together = Array.from({ length: connections }, (_, at) => requests[(next + at) % requests.length])
    latencies.push(...(await Promise.all(together.map((request) => measureLatency(system, request)))))
  }
  const seconds = (performance.now() - began) / 1000
  // Until the system's next slice a server would close them, perhaps at the moment of a request.
  closeConnections()
  return { latencies, seconds }
}

async function measureLatency({ name }: System, request: ReadRequest | undefined): Promise<number> {
  if (request === undefined) throw new Error(`${name} has nothing to read.`)
  const sent = performance.now()
  await sendRead(name, request)
  return performance.now() - sent
}

function averageSlices(slices: readonly { readonly name: string; readonly figures: Figures }[]): Round {
  const byName = Map.groupBy(slices, ({ name }) => name)
  return new Map([...byName].map(([name, own]) => [name, averageFigures(own.map(({ figures }) => figures))]))
}

function averageFigures(figures: readonly Figures[]): Figures {
  const average = (name: keyof Figures) => figures.reduce((sum, each) => sum + each[name], 0) / figures.length
  return {
    cpuUs: average('cpuUs'),
    databaseUs: average('databaseUs'),
    latencyMs: average('latencyMs'),
    perSecond: average('perSecond'),
  }
}
