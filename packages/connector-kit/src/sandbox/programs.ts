/** Runs the programs of a sandbox: as their own users if this process is root, and otherwise as its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const maxOutputBytes = 16 * 1024 * 1024
const defaultMaxMs = 600_000
const stopMs = 10_000

/** A failure that its message explains completely: what is missing or wrong, and what to do. */
export class SandboxError extends Error {}

/** The user and group as whom a program runs; undefined is this process's own. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

export const isRoot = () => process.getuid?.() === 0

/** Returns the ids of a user of the system if this process may become it. */
export async function findOwner(name: string): Promise<Owner | undefined> {
  if (!isRoot()) return undefined
  const readId = (flag: string) =>
    run('id', [flag, name]).then(
      ({ stdout }) => Number(stdout.trim()),
      () => undefined,
    )
  const [uid, gid] = [await readId('-u'), await readId('-g')]
  if (uid === undefined || gid === undefined) throw new SandboxError(`The system has no user ${name}.`)
  return { uid, gid }
}

export async function giveTo(owner: Owner | undefined, path: string): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid)
}

export interface RunOptions {
  readonly owner?: Owner | undefined
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly maxMs?: number
}

/** Runs a program to its end and returns its output. Throws with the end of its error output if it fails. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { owner, cwd, env, maxMs = defaultMaxMs }: RunOptions = {},
): Promise<string> {
  try {
    const { stdout } = await run(file, [...args], {
      ...owner,
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      timeout: maxMs,
      maxBuffer: maxOutputBytes,
    })
    return stdout
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
    const text = output.trim().split('\n').slice(-5).join('\n') || String(error)
    throw new SandboxError(`${file} failed: ${text}`)
  }
}

/** A program that runs until it is stopped. */
export interface Running {
  readonly pid: number
  /** Resolves when it has ended, whatever the reason. */
  readonly ended: Promise<void>
  /** Sends a signal, and SIGKILL if it has not ended after ten seconds. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/**
 * Starts a program whose output goes to a file. Throws if the file cannot be written. The program writes to it
 * itself, so that nothing is open here, and nothing is lost, once it has ended.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  { owner, cwd, env, log }: RunOptions & { readonly log: string },
): Running {
  const output = openLog(log)
  const child = spawn(file, args, {
    ...owner,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    // Ctrl-C reaches only this process, which stops the programs in their order.
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  return { pid: child.pid ?? 0, ended, stop: (signal) => stopChild(child, ended, signal) }
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a')
  } catch (error) {
    throw new SandboxError(`The log ${path} cannot be written: ${String(error)}`)
  }
}

async function stopChild(child: ChildProcess, ended: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
  await ended
  clearTimeout(timer)
}

interface Wait {
  readonly maxMs: number
  readonly pollMs: number
}

/** Polls until a running program is ready. Returns false if it ends before, or is not ready in time. */
export async function waitUntilReady(
  program: Running,
  isReady: () => Promise<boolean>,
  { maxMs, pollMs }: Wait,
): Promise<boolean> {
  let isOver = false
  void program.ended.then(() => {
    isOver = true
  })
  for (let waited = 0; waited < maxMs && !isOver; waited += pollMs) {
    if (await isReady()) return true
    await sleep(pollMs)
  }
  return false
}

/** Throws if something listens on a port already: a server that is not ours would look like one that has started. */
export async function requireFreePort(port: number, flag: string): Promise<void> {
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  server.close()
  if (!isFree) throw new SandboxError(`The port ${port} is in use. Give another ${flag}.`)
}

/** Returns the folder with the programs of the newest PostgreSQL server, such as /usr/lib/postgresql/15/bin. */
export function findPostgres(): string | undefined {
  const parent = '/usr/lib/postgresql'
  if (!existsSync(parent)) return undefined
  const versions = readdirSync(parent).filter((name) => existsSync(`${parent}/${name}/bin/initdb`))
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0]
  return newest === undefined ? undefined : `${parent}/${newest}/bin`
}
