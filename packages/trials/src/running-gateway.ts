import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { z } from 'zod'

const mainFile = fileURLToPath(import.meta.resolve('@trade-gateway/gateway/main'))
const readyText = 'Trade Gateway is ready at'
const startTimeoutMs = 120_000
/** A gateway that does not end by itself is ended. */
const stopTimeoutMs = 25_000
const mostKeptCharacters = 64 * 1024
/** How the gateway tells what its ERP did not take from the catalogue. */
const leftOutLine = /^left out of the catalogue: line \d+ \((.*?)\): (.*)$/gm

const sandboxFile = z.object({
  base_url: z.string(),
  username: z.string(),
  password: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  admin_token: z.string(),
  erp_url: z.string(),
})
const settingsFile = z.object({ SANDBOX_ERP_TOKEN: z.string() })

/** A gateway and its sandbox ERP, as processes of their own. */
export interface RunningGateway extends z.infer<typeof sandboxFile> {
  readonly erp_token: string
  /** What the ERP did not take from the catalogue, each with its reason. */
  readonly left_out: readonly { readonly sku: string; readonly reason: string }[]
  /** Aborted when the gateway ends without being told to. */
  readonly ended: AbortSignal
  stop(): Promise<void>
}

/** The gateway could not be started, or ended too soon; the message says what it said. */
export class GatewayFailed extends Error {
  override readonly name = 'GatewayFailed'
}

/**
 * Starts the gateway's own command on a catalogue (undefined: the built-in one), on a free port, with its data in
 * `directory/data` and nothing from the environment, so that no setting of another installation gets in. Its stock
 * stands still.
 */
export async function startGateway(
  directory: string,
  catalogue: string | undefined,
  signal: AbortSignal,
): Promise<RunningGateway> {
  const data = join(directory, 'data')
  await mkdir(data, { mode: 0o700, recursive: true })
  const options = catalogue === undefined ? [] : ['--catalogue', catalogue]
  const child = spawn(process.execPath, [mainFile, ...options], {
    // A .env file of wherever the demo was started is not the trial's.
    cwd: directory,
    env: { DATA_DIR: data, PORT: '0', SANDBOX_ACTIVITY: '0', SYNC_INTERVAL_MS: '100', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new AbortController()
  const said = listenedTo(child)
  const stop = stopper(child)
  child.once('close', () => ended.abort(new GatewayFailed(`The gateway ended:\n${said.err()}${said.out()}`)))
  child.once('error', (error) => ended.abort(new GatewayFailed(`The gateway cannot run: ${error.message}`)))
  try {
    await ready(said, AbortSignal.any([signal, ended.signal, AbortSignal.timeout(startTimeoutMs)]))
    const story = sandboxFile.parse(JSON.parse(await readFile(join(data, 'sandbox.json'), 'utf8')))
    const settings = settingsFile.parse(parseEnv(await readFile(join(data, 'settings.env'), 'utf8')))
    const erp_token = settings.SANDBOX_ERP_TOKEN
    return { ...story, erp_token, left_out: leftOutOf(said.err()), ended: ended.signal, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

interface Said {
  out(): string
  err(): string
  onMore(listener: () => void): void
}

/** What a child says is always taken from it, or it would stand still; of very much only the beginning is kept. */
function listenedTo(child: Child): Said {
  const kept = { stdout: '', stderr: '' }
  const listeners: (() => void)[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      kept[name] = (kept[name] + text).slice(0, mostKeptCharacters)
      for (const listener of listeners) listener()
    })
  }
  return { out: () => kept.stdout, err: () => kept.stderr, onMore: (listener) => listeners.push(listener) }
}

function ready(said: Said, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => said.out().includes(readyText) && resolve()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
    said.onMore(look)
    look()
  })
}

function leftOutOf(text: string) {
  return [...text.matchAll(leftOutLine)].map(([, sku = '', reason = '']) => ({ sku, reason }))
}

/**
 * Ends a child by its handle, gently first, and resolves when it is gone. What it says ends with its ERP, which
 * has the same outputs, so that the ERP is gone too, unless both had to be given up.
 */
function stopper(child: Child): () => Promise<void> {
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  return async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, stopTimeoutMs)
    await gone
    clearTimeout(timer)
  }
}
