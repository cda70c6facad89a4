import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Loose, Result } from '../harness.ts'

/**
 * Gateways as an operator runs them: real processes of the real program, started, killed and started again. A
 * process hears of nothing from our own environment.
 */
const mainFile = join(import.meta.dirname, '../../src/main.ts')
const readyText = 'Trade Gateway is ready at'
const startTimeoutMs = 60_000
const stopTimeoutMs = 25_000
const mostKeptCharacters = 64 * 1024
/** A gateway that is started a hundred times compiles its modules once. */
const compileCache = join(tmpdir(), 'trade-gateway-compiled')

export interface GatewaySettings {
  readonly DATA_DIR: string
  readonly PORT: string
  readonly [name: string]: string
}

export interface GatewayProcess {
  readonly url: string
  readonly pid: number
  /** Resolves when it says that it is ready, with the time since its start; rejects where it ends before. */
  ready(): Promise<number>
  /** Ends it as a crash does, and resolves when it is gone. */
  kill(): Promise<void>
  /** Ends it as an operator does; rejects where it does not end well. */
  stop(): Promise<void>
  /** What it said, the newest of it. */
  said(): string
}

/** Starts a gateway and waits until it is ready. */
export async function startGateway(
  settings: GatewaySettings,
  options: readonly string[] = [],
): Promise<GatewayProcess> {
  const gateway = launchGateway(settings, options)
  try {
    await gateway.ready()
    return gateway
  } catch (error) {
    await gateway.kill()
    throw error
  }
}

/** Starts a gateway and does not wait for it. */
export function launchGateway(settings: GatewaySettings, options: readonly string[] = []): GatewayProcess {
  const began = performance.now()
  const child = spawn(process.execPath, [mainFile, ...options], {
    // A .env file of wherever the trial was started is not the gateway's.
    cwd: settings.DATA_DIR,
    env: { LOG_LEVEL: 'warn', NODE_COMPILE_CACHE: compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = listen(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const how = () => `${child.exitCode ?? child.signalCode ?? 'running'}:\n${said()}`
  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    pid: child.pid ?? 0,
    said,
    async ready() {
      await until(() => said().includes(readyText) || hasEnded(), startTimeoutMs, 'A gateway was not ready')
      if (!said().includes(readyText)) throw new Error(`A gateway ended before it was ready, with ${how()}`)
      return performance.now() - began
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await gone
      clearTimeout(timer)
      if (child.exitCode !== 0) throw new Error(`A gateway did not end well, with ${how()}`)
    },
  }
}

function listen(child: ChildProcess): () => string {
  let kept = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-mostKeptCharacters)
    })
  }
  return () => kept
}

const lookMs = 10

/** Looks again and again until it holds. Throws after `ms`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  ms: number,
  what = 'What was waited for did not come',
) {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} within ${ms} ms.`)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** Free ports below those that the system hands out by itself, so that nobody takes one while its owner is dead. */
export async function freePorts(count: number): Promise<number[]> {
  const [lowest, highest] = [20_000, 32_000]
  const ports: number[] = []
  let port = lowest + (process.pid % (highest - lowest))
  while (ports.length < count) {
    port = port >= highest ? lowest : port + 1
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

export interface Sent {
  readonly token?: string
  readonly admin?: string
  readonly body?: unknown
}

/** One HTTP call of a client. Rejects where the server is away. */
export async function ask(url: string, method: string, path: string, sent: Sent = {}): Promise<Result> {
  const headers: Record<string, string> = {}
  if (sent.token !== undefined) headers.authorization = `Bearer ${sent.token}`
  if (sent.admin !== undefined) headers['x-admin-token'] = sent.admin
  if (sent.body !== undefined) headers['content-type'] = 'application/json'
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }
  const response = await fetch(`${url}${path}`, { method, headers, ...body })
  const text = await response.text()
  const json: Loose = text === '' ? {} : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

/** The answer's JSON. Throws where the call was refused. */
export async function told(answer: Promise<Result>): Promise<Loose> {
  const { status, json, text } = await answer
  if (status >= 300) throw new Error(`An answer ${status}: ${text.slice(0, 500)}`)
  return json
}
