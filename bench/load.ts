import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cpuMsOf, loadCore, type Running } from './processes.ts'
import { pathOf } from './tools.ts'

const execute = promisify(execFile)
const script = new URL('wrk-summary.lua', import.meta.url).pathname
const graceMs = 30_000

/** One kind of request against one server. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Posted; without it, the request is a GET. */
  readonly body?: string
  readonly connections: number
  readonly server: Running
}

/** What one run of the load found. */
export interface Load {
  readonly perSecond: number
  /** CPU time of the server's process, all threads, for one request. */
  readonly cpuUs: number
  /** The share of its core that the server used. */
  readonly coreUse: number
  readonly p50Us: number
  readonly p99Us: number
  readonly requests: number
  /** Answers with a status of 400 and above. */
  readonly refused: number
  /** Connections that broke and requests that got no answer. */
  readonly broken: number
}

/** Asks as fast as the server answers, from the other core, for whole seconds. */
export async function load(target: Target, seconds: number): Promise<Load> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-c', String(loadCore), pathOf('wrk'), '-t1', `-c${target.connections}`, `-d${seconds}s`]
  const cpuBefore = cpuMsOf(target.server)
  const { stdout } = await execute(
    pathOf('taskset'),
    [...args, '--timeout', '20s', '-s', script, ...headers, target.url],
    { timeout: seconds * 1000 + graceMs, env: { ...process.env, POST_BODY: target.body ?? '' } },
  )
  const cpuMs = cpuMsOf(target.server) - cpuBefore
  const told = numbersOf(stdout.trimEnd().split('\n').at(-1) ?? '')
  const requests = told('requests')
  const us = told('us')
  return {
    requests,
    perSecond: (requests / us) * 1e6,
    cpuUs: (cpuMs * 1000) / requests,
    coreUse: (cpuMs * 1000) / us,
    p50Us: told('p50_us'),
    p99Us: told('p99_us'),
    refused: told('refused'),
    broken: told('broken'),
  }
}

/** Reads the numbers of a JSON object by name. Throws where one is not there. */
export function numbersOf(json: string): (name: string) => number {
  const parsed: unknown = JSON.parse(json)
  return numbersIn(parsed)
}

/** The numbers of an object by name. Throws where one is not there. */
export function numbersIn(value: unknown): (name: string) => number {
  const entries = new Map<string, unknown>(
    typeof value === 'object' && value !== null ? Object.entries(value) : [],
  )
  return (name) => {
    const number = entries.get(name)
    if (typeof number !== 'number') throw new Error(`${name} is not a number in ${JSON.stringify(value)}.`)
    return number
  }
}
