import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sandboxCustomers } from '@trade-gateway/sandbox-erp'
import type { ChildMessage, StartMessage } from '@trade-gateway/sandbox-erp/child'
import { ProcessFailed, StartedProcess } from '../child-process.ts'
import { SupervisedProcess } from '../supervised-process.ts'
import type { ErpClass } from './options.ts'

const childFile = fileURLToPath(import.meta.resolve('@trade-gateway/sandbox-erp/child'))
const startTimeoutMs = 120_000

/**
 * The ERP declares that no request takes effect more than this number of milliseconds after it was sent. A short time
 * lets the gateway confirm early that a write is absent. It must exceed the sum of the simulated delays, or the ERP
 * would break its declaration.
 */
export const max_request_ms = 5_000

/**
 * The time from an order's submit to its shipping. Orders therefore ship only at the end of the replay, when the clock
 * is set forward by more than this.
 */
export const shippingSeconds = 7 * 24 * 60 * 60

const capabilities = {
  dedupe: { dedupes_by_reference: true, lookup: 'strong', settles: false },
  lookup: { dedupes_by_reference: false, lookup: 'strong', settles: false },
  settle: { dedupes_by_reference: false, lookup: 'none', settles: true },
  neither: { dedupes_by_reference: false, lookup: 'none', settles: false },
} as const

/** A sandbox ERP in a separate process, with the account of its first customer. */
export interface ErpProcess {
  readonly process: SupervisedProcess
  readonly url: string
  readonly token: string
  readonly username: string
  readonly password: string
  readonly customer_code: string
}

interface ErpStart {
  readonly directory: string
  readonly catalogue: string
  readonly port: number
  readonly erp_class: ErpClass
}

/** Starts the sandbox ERP on a catalogue file, with its database in `directory`. Throws `ProcessFailed`. */
export async function startErp({ directory, catalogue, port, erp_class }: ErpStart): Promise<ErpProcess> {
  const token = randomBytes(24).toString('base64url')
  const { customer_code, name: customer } = sandboxCustomers[0]
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
      accounts: [{ account_id: 'acc_replay', username, password, name: customer, customer_code }],
      capabilities: { ...capabilities[erp_class], max_request_ms },
      shipping_ms: shippingSeconds * 1000,
    },
  }
  const name = 'The sandbox ERP'
  const supervised = new SupervisedProcess(name, () => {
    const child = new StartedProcess({ name, args: [childFile], env: {}, message })
    return { child, ready: waitUntilReady(child) }
  })
  await supervised.start()
  return { process: supervised, url: `http://127.0.0.1:${port}`, token, username, password, customer_code }
}

async function waitUntilReady(child: StartedProcess): Promise<void> {
  const said = await child.waitForMessage<ChildMessage>({ timeoutMs: startTimeoutMs })
  if ('failed' in said) throw new ProcessFailed(said.failed.message)
  const [left_out] = said.ready.left_out
  if (left_out) throw new ProcessFailed(`The sandbox ERP left ${left_out.sku} out: ${left_out.reason}`)
}
