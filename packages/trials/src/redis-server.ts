/** A Redis server (or Valkey, its descendant) of a trial's own, in memory only: after a kill it starts empty. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartedProcess } from './child-process.ts'
import { findFreePort } from './free-ports.ts'
import { SupervisedProcess } from './supervised-process.ts'

const programs = ['valkey-server', 'redis-server'] as const
const readyText = 'Ready to accept'
const startTimeoutMs = 20_000

/** Returns the path of the server's program; undefined if none is installed. */
export function findRedis(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return programs
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
}

export interface RedisServer {
  readonly url: string
  readonly process: SupervisedProcess
}

/** Starts a server on a free port, with more options of its command line. Throws `ProcessFailed`. */
export async function startRedis(...more: readonly string[]): Promise<RedisServer> {
  const port = await findFreePort()
  const name = 'The Redis server'
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const supervised = new SupervisedProcess(name, () => {
    const command = findRedis() ?? 'redis-server'
    const child = new StartedProcess({ name, command, args: [...options, ...more], env: {} })
    return { child, ready: child.waitForText(readyText, 'stdout', { timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return { url: `redis://127.0.0.1:${port}`, process: supervised }
}
