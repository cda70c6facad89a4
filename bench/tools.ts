import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The error for a run that cannot start. Its message says what to do. */
export class PreparationError extends Error {}

const execute = promisify(execFile)
const installTimeoutMs = 180_000
const minCores = 2

/** The required programs, each with the Debian package that contains it. */
const programs = {
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  setpriv: 'util-linux',
  chrt: 'util-linux',
  nice: 'coreutils',
  'redis-server': 'redis-server',
  curl: 'curl',
} as const
const systemFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

export type Program = keyof typeof programs

/**
 * Installs missing packages if this user is root and has apt-get. Throws a `PreparationError` that lists them if they
 * cannot be installed, and one if the machine is not Linux or has too few cores.
 */
export async function prepareTools(): Promise<void> {
  if (process.platform !== 'linux') {
    throw new PreparationError('The benchmarks pin processes to cores and read /proc: they need Linux.')
  }
  if (availableParallelism() < minCores) {
    throw new PreparationError(
      `The benchmarks need ${minCores} cores: one for the server and one for the load.`,
    )
  }
  const missing = listMissingPackages()
  if (missing.length === 0) return
  const advice = `Missing: ${missing.join(', ')}. Install with: apt-get install ${missing.join(' ')}`
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) throw new PreparationError(advice)
  process.stdout.write(`installing ${missing.join(', ')}\n`)
  try {
    await runAptGet('update', '-qq')
    await runAptGet('install', '-y', '-qq', '--no-install-recommends', ...missing)
  } catch (cause) {
    throw new PreparationError(advice, { cause })
  }
  if (listMissingPackages().length > 0) throw new PreparationError(advice)
}

/** Returns the path of a program. Throws `PreparationError` if it is missing. */
export function requireProgram(program: Program): string {
  const path = findProgram(program)
  if (path === undefined) throw new PreparationError(`${program} is missing.`)
  return path
}

function listMissingPackages(): string[] {
  const missing = Object.entries(programs).filter(([program]) => findProgram(program) === undefined)
  return [...new Set(missing.map(([, bundle]) => bundle))]
}

/**
 * Finds the path of a program. Also searches the system folders: nginx is in one that is often not in the PATH of a
 * normal user.
 */
function findProgram(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...systemFolders]
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

function runAptGet(...args: string[]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return execute('apt-get', args, { env, timeout: installTimeoutMs })
}

/** Reads the version number of a program. */
export async function readVersion(program: Program, flag: string): Promise<string> {
  // wrk prints its version with exit code 1, nginx prints it on standard error.
  const output = await execute(requireProgram(program), [flag]).catch((error: unknown) => error)
  const text = ['stdout', 'stderr'].map((stream) => readStream(output, stream)).join('\n')
  return /\b\d+\.\d+[\w.]*/.exec(text)?.[0] ?? 'unknown'
}

function readStream(output: unknown, stream: string): string {
  if (typeof output !== 'object' || output === null) return ''
  return String(Object.entries(output).find(([name]) => name === stream)?.[1] ?? '')
}
