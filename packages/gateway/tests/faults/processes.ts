/**
 * Runs real gateway processes: starts, kills and restarts them. A process inherits nothing from the environment of the
 * test.
 */

import { join } from 'node:path'
import { StartedProcess } from '../../../trials/src/child-process.ts'
import type { CallResult, LooseJson } from '../harness.ts'

const mainFile = join(import.meta.dirname, '../../src/main.ts')
const readyText = 'Trade Gateway is ready at'
const startTimeoutMs = 180_000

export interface GatewaySettings {
  readonly DATA_DIR: string
  readonly PORT: string
  readonly [name: string]: string
}

export interface GatewayProcess {
  readonly url: string
  readonly pid: number
  /**
   * Resolves with the start time in milliseconds when the process reports that it is ready. Rejects if the process ends
   * first, or is not ready in time.
   */
  waitUntilReady(): Promise<number>
  /** Kills the process as a crash would. Resolves when it has ended. */
  kill(): Promise<void>
  /** Stops the process as an operator would. Rejects if it does not end properly. */
  stop(): Promise<void>
  /** Returns the last part of the process's output. */
  readOutput(): string
  /** Calls `listener` with each piece of output. */
  onOutput(listener: (text: string) => void): void
}

/** Starts a gateway and waits until it is ready. */
export async function startGateway(
  settings: GatewaySettings,
  options: readonly string[] = [],
  main = mainFile,
): Promise<GatewayProcess> {
  const gateway = launchGateway(settings, options, main)
  try {
    await gateway.waitUntilReady()
    return gateway
  } catch (error) {
    await gateway.kill()
    throw error
  }
}

/** Starts a gateway and does not wait for it. `main` is the program, by default that of these sources. */
export function launchGateway(
  settings: GatewaySettings,
  options: readonly string[] = [],
  main = mainFile,
): GatewayProcess {
  const began = performance.now()
  const child = new StartedProcess({
    name: 'A gateway',
    args: [main, ...options],
    // Keeps the process from reading a .env file of the working directory.
    cwd: settings.DATA_DIR,
    env: { LOG_LEVEL: 'warn', ...settings },
  })
  const ready = child
    .waitForText(readyText, 'stderr', { timeoutMs: startTimeoutMs })
    .then(() => performance.now() - began)
  // Prevents an unhandled rejection if nobody waits for the start.
  ready.catch(() => {})
  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    pid: child.pid,
    readOutput: () => child.readOutput(),
    onOutput: (listener) => child.onOutput(listener),
    waitUntilReady: () => ready,
    kill: () => child.kill(),
    async stop() {
      await child.stop()
      if (child.status !== 0)
        throw new Error(`A gateway did not end well (${child.status}):\n${child.readOutput()}`)
    },
  }
}

const lookMs = 10

/** Polls until the condition holds. Throws after `ms`. */
export async function waitUntil(
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

export interface Sent {
  readonly token?: string
  readonly admin?: string
  readonly body?: unknown
}

/** Sends one HTTP request. Rejects if the server is away. */
export async function sendRequest(
  url: string,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<CallResult> {
  const headers: Record<string, string> = {}
  if (sent.token !== undefined) headers.authorization = `Bearer ${sent.token}`
  if (sent.admin !== undefined) headers['x-admin-token'] = sent.admin
  if (sent.body !== undefined) headers['content-type'] = 'application/json'
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }
  const response = await fetch(`${url}${path}`, { method, headers, ...body })
  const text = await response.text()
  const json: LooseJson = text === '' ? {} : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

/** Returns the response's JSON. Throws if the call was refused. */
export async function readJson(answer: Promise<CallResult>): Promise<LooseJson> {
  const { status, json, text } = await answer
  if (status >= 300) throw new Error(`An answer ${status}: ${text.slice(0, 500)}`)
  return json
}
