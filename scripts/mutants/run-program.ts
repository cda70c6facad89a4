import { spawn } from 'node:child_process'

/** How a program ended. */
interface Ended {
  readonly code: number | null
  readonly output: string
  readonly isTimedOut: boolean
}

/** Runs a program in a process group of its own, so that a timeout also ends the processes that it started. */
export function runProgram(
  cwd: string,
  [command = '', ...args]: readonly string[],
  timeoutMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  let isTimedOut = false
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const kill = () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    kill()
  }, timeoutMs)
  process.once('exit', kill)
  child.once('error', reject)
  child.once('close', (code) => {
    clearTimeout(timer)
    process.off('exit', kill)
    resolve({ code, output, isTimedOut })
  })
  return promise
}
