import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The run cannot begin; the message says what to do. */
export class Unprepared extends Error {}

const execute = promisify(execFile)
const installTimeoutMs = 180_000
const leastCores = 2

/** Programs by the Debian package that brings them. */
const programs = {
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  setpriv: 'util-linux',
  chrt: 'util-linux',
} as const
const systemFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

export type Program = keyof typeof programs

/** Installs what is missing where this user may, else says what is missing. Throws `Unprepared`. */
export async function prepareTools(): Promise<void> {
  if (process.platform !== 'linux') {
    throw new Unprepared('The benchmarks pin processes to cores and read /proc: they need Linux.')
  }
  if (availableParallelism() < leastCores) {
    throw new Unprepared(`The benchmarks need ${leastCores} cores: one for the server, one for the load.`)
  }
  const missing = missingPackages()
  if (missing.length === 0) return
  const advice = `Missing: ${missing.join(', ')}. Install with: apt-get install ${missing.join(' ')}`
  if (process.getuid?.() !== 0 || found('apt-get') === undefined) throw new Unprepared(advice)
  process.stdout.write(`installing ${missing.join(', ')}\n`)
  try {
    await aptGet('update', '-qq')
    await aptGet('install', '-y', '-qq', '--no-install-recommends', ...missing)
  } catch (cause) {
    throw new Unprepared(advice, { cause })
  }
  if (missingPackages().length > 0) throw new Unprepared(advice)
}

/** Where a program is. Throws `Unprepared`. */
export function pathOf(program: Program): string {
  const path = found(program)
  if (path === undefined) throw new Unprepared(`${program} is missing.`)
  return path
}

function missingPackages(): string[] {
  const missing = Object.entries(programs).filter(([program]) => found(program) === undefined)
  return [...new Set(missing.map(([, bundle]) => bundle))]
}

/** nginx stands in a folder that the path of a plain user often lacks. */
function found(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...systemFolders]
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

function aptGet(...args: string[]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return execute('apt-get', args, { env, timeout: installTimeoutMs })
}

/** The first line that a program says of its version. */
export async function versionOf(program: Program, flag: string): Promise<string> {
  // wrk tells its version with exit code 1, nginx on standard error.
  const told = await execute(pathOf(program), [flag]).catch((error: unknown) => error)
  const text = ['stdout', 'stderr'].map((stream) => textOf(told, stream)).join('\n')
  return /\b\d+\.\d+[\w.]*/.exec(text)?.[0] ?? 'unknown'
}

function textOf(told: unknown, stream: string): string {
  if (typeof told !== 'object' || told === null) return ''
  return String(Object.entries(told).find(([name]) => name === stream)?.[1] ?? '')
}
