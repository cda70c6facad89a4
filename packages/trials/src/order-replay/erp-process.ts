import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sandboxCustomers } from '@trade-gateway/sandbox-erp'
import type { ChildMessage, StartMessage } from '@trade-gateway/sandbox-erp/child'
import { ProcessFailed, Supervised } from './supervised.ts'
import type { ErpClass } from './wanted.ts'

const childFile = fileURLToPath(import.meta.resolve('@trade-gateway/sandbox-erp/child'))
const startTimeoutMs = 120_000

/**
 * Nothing takes effect later than this after it was sent, so that an absence is proven soon. It is more than the
 * delays of the faults together, so that the ERP keeps its word.
 */
export const max_request_ms = 5_000

/** Nothing is shipped before the clock is set forward by more than this, at the end. */
export const shippingSeconds = 7 * 24 * 60 * 60

const capabilities = {
  dedupe: { dedupes_by_reference: true, lookup: 'strong' },
  lookup: { dedupes_by_reference: false, lookup: 'strong' },
  neither: { dedupes_by_reference: false, lookup: 'none' },
} as const

/** A sandbox ERP as a process of its own, with the first of its customers' accounts. */
export interface ErpProcess {
  readonly process: Supervised
  readonly url: string
  readonly token: string
  readonly username: string
  readonly password: string
  readonly customer_code: string
}

/** Starts the sandbox ERP on a catalogue file, its database in `directory`. Throws `ProcessFailed`. */
export async function startErp(
  directory: string,
  catalogue: string,
  port: number,
  erp_class: ErpClass,
): Promise<ErpProcess> {
  const token = randomBytes(24).toString('base64url')
  const { customer_code, name } = sandboxCustomers[0]
  const username = 'buyer@replay.example'
  const password = randomBytes(12).toString('base64url')
  const message: StartMessage = {
    start: {
      port,
      database: join(directory, 'erp.db'),
      catalogue,
      seed: 1,
      activity: 0,
      token,
      accounts: [{ account_id: 'acc_replay', username, password, name, customer_code }],
      capabilities: { ...capabilities[erp_class], max_request_ms },
      shipping_ms: shippingSeconds * 1000,
    },
  }
  // What it is told has secrets, so it comes in a message, and not on a command line or in the environment.
  const launch = () => {
    const child = fork(childFile, [], { execArgv: [], env: {}, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    const ready = readyOf(child)
    child.send(message)
    return { child, ready }
  }
  const process = new Supervised('The sandbox ERP', launch)
  await process.start()
  return { process, url: `http://127.0.0.1:${port}`, token, username, password, customer_code }
}

function readyOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(new ProcessFailed(`The sandbox ERP was not ready after ${startTimeoutMs / 1000} seconds.`)),
      startTimeoutMs,
    )
    child.once('exit', () => clearTimeout(timer))
    child.once('message', (said: ChildMessage) => {
      clearTimeout(timer)
      if ('failed' in said) return reject(new ProcessFailed(said.failed.message))
      const [left_out] = said.ready.left_out
      if (left_out === undefined) return resolve()
      reject(new ProcessFailed(`The sandbox ERP left ${left_out.sku} out: ${left_out.reason}`))
    })
  })
}
