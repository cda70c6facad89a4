/** A connector and a gateway that uses it, as two processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { exitCodes } from './command-line.ts'

const maxReadyMs = 60_000
const pollMs = 200
const gatewayFile = join(import.meta.dirname, '../../gateway/src/main.ts')

interface Pair {
  /** The module that serves the connector with `runConnectorCommand`; it takes `--port`. */
  readonly connectorFile: string
  /** The port of the connector on 127.0.0.1. */
  readonly port: number
  /** The environment of both processes. Tokens that it lacks are generated. */
  readonly env: NodeJS.ProcessEnv
  /** The module of the gateway; tests give another one. */
  readonly gateway?: string
}

interface Started {
  readonly child: ChildProcess
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
}

/**
 * Runs both until one ends or this process is to stop. An `ADMIN_TOKEN` that the environment lacks is generated and
 * printed. Returns the exit code: that of the process that ended on its own, or 0 after SIGTERM or SIGINT.
 */
export async function runWithGateway({
  connectorFile,
  port,
  env: given,
  gateway: file = gatewayFile,
}: Pair): Promise<number> {
  const env = { ...given, ...createTokens(given) }
  const url = `http://127.0.0.1:${port}`
  const children: ChildProcess[] = []
  let isStopping = false
  // The gateway ends first: the requests that it finishes call the connector.
  const stop = () => {
    isStopping = true
    children.at(-1)?.kill('SIGTERM')
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // By its channel, the connector leaves Ctrl-C to this process, and sees its end.
  const connector = start([connectorFile, '--port', String(port)], env, ['ipc'])
  children.push(connector.child)
  if (!(await waitUntilReady(url, connector, () => isStopping))) {
    const wasAsked = isStopping
    stop()
    const code = await connector.ended
    return wasAsked ? exitCodes.ended : code || exitCodes.failed
  }
  if (!given.ADMIN_TOKEN) process.stdout.write(`ADMIN_TOKEN=${env.ADMIN_TOKEN}\n`)
  const gateway = start([file], { ...env, UPSTREAM_URL: url })
  children.push(gateway.child)
  const first = await Promise.race([connector.ended, gateway.ended])
  const wasAsked = isStopping
  for (const child of children) child.kill('SIGTERM')
  await Promise.all([connector.ended, gateway.ended])
  return wasAsked ? exitCodes.ended : first || exitCodes.failed
}

function createTokens(env: NodeJS.ProcessEnv) {
  const createToken = () => randomBytes(24).toString('base64url')
  return {
    UPSTREAM_TOKEN: env.UPSTREAM_TOKEN || createToken(),
    ADMIN_TOKEN: env.ADMIN_TOKEN || createToken(),
  }
}

/** Starts a process whose output is this one's. */
function start(args: readonly string[], env: NodeJS.ProcessEnv, channel: readonly 'ipc'[] = []): Started {
  const child = spawn(process.execPath, [...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', ...channel],
  })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(exitCodes.failed))
    child.once('exit', (code) => resolve(code ?? exitCodes.failed))
  })
  return { child, ended }
}

async function waitUntilReady(url: string, { child }: Started, isStopping: () => boolean): Promise<boolean> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null || isStopping()
  for (let waited = 0; waited < maxReadyMs && !isOver(); waited += pollMs) {
    // Any response will do, also 401: the connector listens.
    const isUp = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(pollMs) }).then(
      () => true,
      () => false,
    )
    if (isUp) return true
    await pause(pollMs)
  }
  return false
}
