/** How commands reach the gateway that runs in the same data directory, which has the embedded database for itself. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { DataDirBusy, lockDataDir } from './lock.ts'

/** The configuration does not allow what a command was asked for; the message says what to set. */
export class NotConfigured extends Error {}

/** Locks the data directory; undefined if a running gateway has it. */
export function tryLockDataDir(dataDir: string): (() => void) | undefined {
  try {
    return lockDataDir(dataDir, systemClock.now())
  } catch (error) {
    if (error instanceof DataDirBusy) return undefined
    throw error
  }
}

/** Finds the address of the gateway that runs in this data directory. */
export function findOwnUrl({ dataDir, host, port, upstream }: Config): string {
  const file = join(dataDir, 'sandbox.json')
  // The file may be one of an earlier start without UPSTREAM_URL.
  if (upstream === undefined && existsSync(file))
    return z.object({ base_url: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).base_url
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** A request to the operator's API of a running gateway. */
export interface OperatorRequest {
  /** The path after the gateway's address. */
  readonly path: string
  readonly body: object
  /** The command, for the audit log. */
  readonly actor: string
  readonly timeoutMs: number
}

/**
 * Sends a request with `ADMIN_TOKEN` and returns the response's JSON. Throws `NotConfigured` if the gateway does not
 * accept the token.
 */
export async function askAsOperator(
  { adminToken }: Config,
  url: string,
  { path, body, actor, timeoutMs }: OperatorRequest,
): Promise<unknown> {
  if (adminToken === undefined) {
    throw new NotConfigured(
      `The gateway at ${url} has the database, and without ADMIN_TOKEN it cannot be asked. Set ADMIN_TOKEN, or stop the gateway.`,
    )
  }
  const address = `${url.replace(/\/$/, '')}${path}`
  const { status, ok, text } = await post(address, timeoutMs, {
    headers: { 'content-type': 'application/json', 'x-admin-token': adminToken, 'x-admin-actor': actor },
    body: JSON.stringify(body),
  })
  if (ok) return JSON.parse(text)
  const message = `${address} returned ${status}: ${text.slice(0, 300)}`
  throw status === 401 || status === 403 ? new NotConfigured(message) : new Error(message)
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Posts a body and returns the response, however long it takes within the time. By itself, `fetch` waits 5 minutes. */
async function post(address: string, timeoutMs: number, sent: Sent) {
  const dispatcher = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, { method: 'POST', ...sent, redirect: 'error', signal, dispatcher })
    return { status: response.status, ok: response.ok, text: await response.text() }
  } finally {
    await dispatcher.destroy()
  }
}
