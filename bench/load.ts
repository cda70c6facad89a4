import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { loadCore, type RunningProcess, readBusyMs, readCpuUs, serverCore } from './processes.ts'
import { requireProgram } from './tools.ts'

const execute = promisify(execFile)
const wrkScript = new URL('wrk-summary.lua', import.meta.url).pathname
const graceMs = 30_000
const highestNiceness = '-20'

/** A placeholder in a URL or header value. It is replaced with a different number in each request. */
export const variedPart = 'VARIED'

/** One kind of request against one server. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body of a POST; without it, the request is a GET. */
  readonly body?: string
  /** The range of numbers that replace `variedPart`, in ascending order; `to` is exclusive. */
  readonly varied?: { readonly from: number; readonly to: number }
  readonly connections: number
  /** The mean time that a connection waits between a response and its next request; without it, it does not wait. */
  readonly waitMs?: number
  /**
   * Whether wrk goes before everything else on its core. Otherwise the latencies have the waits of the load for an ERP
   * or a receiver that shares the core. It is asked for with `nice`, which goes on without it where it is not allowed.
   */
  readonly goesFirst?: boolean
  readonly server: RunningProcess
}

/** The figures of one run of the load. */
export interface Load {
  readonly perSecond: number
  /** CPU time of the server for one request, over all threads of its process. */
  readonly cpuUs: number
  /** The share of the core that the server used, and the share that other processes used (`othersUse`). */
  readonly coreUse: number
  readonly othersUse: number
  readonly p50Us: number
  readonly p99Us: number
  readonly requests: number
  /** Responses with a status of 400 and above. */
  readonly refused: number
  /** Broken connections and requests without a response. */
  readonly broken: number
}

/** The number of requests with a replaced placeholder so far, so that the next load continues the sequence. */
let variedRequests = 0

/** Runs wrk on `loadCore`, which sends requests as fast as the server responds. wrk accepts whole seconds only. */
export async function runLoad(target: Target, seconds: number): Promise<Load> {
  const before = { cpuUs: readCpuUs(target.server), busyMs: readBusyMs(serverCore) }
  const total = await runWrk(target, seconds)
  const cpuUs = readCpuUs(target.server) - before.cpuUs
  const busyMs = readBusyMs(serverCore) - before.busyMs
  const requests = total('requests')
  const us = total('us')
  if (target.varied) variedRequests += requests
  return {
    requests,
    perSecond: (requests / us) * 1e6,
    cpuUs: cpuUs / requests,
    coreUse: cpuUs / us,
    othersUse: Math.max(0, busyMs * 1000 - cpuUs) / us,
    p50Us: total('p50_us'),
    p99Us: total('p99_us'),
    refused: total('refused'),
    broken: total('broken'),
  }
}

async function runWrk(target: Target, seconds: number) {
  const { url, headers, body = '', varied, connections, waitMs = 0, goesFirst = false } = target
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const wrk = [requireProgram('wrk'), '-t1', `-c${connections}`, `-d${seconds}s`]
  const first = goesFirst ? [requireProgram('nice'), '-n', highestNiceness] : []
  const args = ['-c', String(loadCore), ...first, ...wrk]
  const { stdout } = await execute(
    requireProgram('taskset'),
    [...args, '--timeout', '20s', '-s', wrkScript, ...headerArgs, url],
    {
      timeout: seconds * 1000 + graceMs,
      env: {
        ...process.env,
        POST_BODY: body,
        WAIT_MS: waitMs > 0 ? String(waitMs) : '',
        VARIED: varied ? `${varied.from}:${varied.to}:${variedRequests}` : '',
      },
    },
  )
  return parseNumbers(stdout.trimEnd().split('\n').at(-1) ?? '')
}

/** Parses a JSON object. Returns a function that reads one of its numbers by name and throws if it is missing. */
export function parseNumbers(json: string): (name: string) => number {
  const parsed: unknown = JSON.parse(json)
  return createNumberReader(parsed)
}

/** Returns a function that reads a number of the object by name and throws if it is missing. */
export function createNumberReader(value: unknown): (name: string) => number {
  const entries = new Map<string, unknown>(
    typeof value === 'object' && value !== null ? Object.entries(value) : [],
  )
  return (name) => {
    const number = entries.get(name)
    if (typeof number !== 'number') throw new Error(`${name} is not a number in ${JSON.stringify(value)}.`)
    return number
  }
}
