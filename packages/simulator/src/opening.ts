/**
 * The state in which every world begins: a gateway and an ERP that have run for a while. It is made once, because it
 * costs as much as a whole world, and each world gets a copy.
 */
import type { Capabilities } from '@trade-gateway/connector'
import { createChannel } from '@trade-gateway/gateway/access/channels'
import { type Config, readConfig } from '@trade-gateway/gateway/config'
import { migrate } from '@trade-gateway/gateway/store/migrate'
import { leastHashCost, openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { GatewayClient } from './clients/gateway-client.ts'
import type { ErpClass } from './plan.ts'
import { useMachine } from './platform.ts'
import { SimulatedProcess, type Surroundings } from './process.ts'
import { SeededRandom } from './random.ts'
import { runToEnd } from './run-to-end.ts'
import { Scheduler } from './scheduler.ts'
import { SharedDatabase } from './shared-database.ts'

export interface Opening {
  readonly gateway: Uint8Array
  readonly erp: Uint8Array
  /** The time that has passed until then, in milliseconds. */
  readonly elapsedMs: number
  /** The credentials of the channel. Only an account may order. */
  readonly channel: Readonly<Record<string, string>>
  readonly account: Readonly<Record<string, string>>
  /** The newest event; undefined if there is none yet. */
  readonly lastEvent: string | undefined
}

export const channelCode = 'channel-1'
const channelFields = {
  ...{ name: 'Channel', plan: 'full', warehouse_allowlist: [], customer_code: 'CUST-HARBOUR' },
  ...{ wholesale_enabled: true, dropship_enabled: true, webhooks_enabled: true },
  points_per_minute: 1_000_000,
}
const account = {
  ...{ account_id: 'acc_1', username: 'buyer@test.example', password: 'right-password-1', name: 'Buyer' },
  customer_code: 'CUST-HARBOUR',
}
/** Short, so that a write of unknown outcome is settled within seconds of the world's time. */
export const maxRequestMs = 2_000
const never = Number.POSITIVE_INFINITY
const fillMs = 3_000

type References = Pick<Capabilities, 'dedupes_by_reference' | 'lookup' | 'lookup_lag_ms' | 'settles'>

const references: Readonly<Record<ErpClass, References>> = {
  dedupes: { dedupes_by_reference: true, lookup: 'strong', lookup_lag_ms: 0, settles: true },
  'looks up': { dedupes_by_reference: false, lookup: 'strong', lookup_lag_ms: 0, settles: false },
  'looks up late': { dedupes_by_reference: false, lookup: 'eventual', lookup_lag_ms: 700, settles: false },
  settles: { dedupes_by_reference: false, lookup: 'none', lookup_lag_ms: 0, settles: true },
}

/** The settings of every gateway process. */
export const config: Config = readConfig({
  SECRETS_KEY: '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42',
})

/** Returns the URL of a receiver. */
export const toReceiverUrl = (receiver: number) => `https://receiver-${receiver}.example.com/`

let opening: Promise<Opening> | undefined

/** Returns the opening, which the first call makes. No world may run meanwhile. */
export function prepareOpening(receivers: number): Promise<Opening> {
  opening ??= createOpening(receivers)
  return opening
}

interface ErpState {
  /** Without contents, the ERP is new. */
  readonly contents?: Uint8Array
  readonly hasCounter: boolean
  readonly erpClass: ErpClass
}

/** Opens the ERP of a world. */
export function openErp(
  scheduler: Scheduler,
  { contents, hasCounter, erpClass }: ErpState,
): Promise<SandboxErp> {
  return openSandboxErp({
    path: ':memory:',
    ...(contents === undefined ? {} : { contents }),
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 1, today: '2026-11-21' }),
    catalogue_id: 'simulation',
    clock: { now: () => scheduler.worldTime },
    accounts: contents === undefined ? [account] : [],
    hashCost: leastHashCost,
    capabilities: { max_request_ms: maxRequestMs, stock_seq: hasCounter, ...references[erpClass] },
    handoverMs: never,
    shippingMs: never,
  })
}

async function createOpening(receivers: number): Promise<Opening> {
  const scheduler = new Scheduler(0)
  useMachine(scheduler)
  try {
    return await runToEnd(scheduler, () => fillWorld(scheduler, receivers))
  } finally {
    useMachine(undefined)
  }
}

async function fillWorld(scheduler: Scheduler, receivers: number): Promise<Opening> {
  const erp = await openErp(scheduler, { hasCounter: true, erpClass: 'dedupes' })
  const database = new SharedDatabase(scheduler)
  const surroundings: Surroundings = {
    ...{ scheduler, database, config, seed: 0 },
    ...{ locks: new Map(), processes: new Set(), linkErp: () => erp.erp },
    post: async () => ({ status: 204, error: undefined, excerpt: null }),
  }
  const process = new SimulatedProcess(surroundings, 'gateway-0', 0)
  await scheduler.runAs(process, () => migrate(process.createStore()))
  const gateway = await process.start()
  // No person and no call has asked for the channel.
  const acting = { gateway } as Parameters<typeof createChannel>[0]
  const { client_id, client_secret } = await scheduler.runAs(process, () =>
    createChannel(acting, channelCode, channelFields),
  )
  await scheduler.sleep(fillMs)
  const channel = { grant_type: 'client_credentials', client_id, client_secret }
  const { username, password } = account
  const client = new GatewayClient({
    ...{ name: 'opening', scheduler, random: new SeededRandom(0, 'opening'), credentials: channel },
    ...{ pickProcess: () => process, isBad: () => false },
  })
  for (let receiver = 0; receiver < receivers; receiver++) {
    const body = { url: toReceiverUrl(receiver), event_types: ['stock.changed', 'order.created'] }
    const created = await client.request({ method: 'POST', path: '/api/v1/webhook-endpoints', body })
    if (created?.status !== 201) throw new Error(`A receiver was not registered: ${JSON.stringify(created)}`)
  }
  await scheduler.sleep(fillMs)
  await process.stop()
  const [last] = database.read('select event_id from events order by number desc limit 1')
  const lastEvent = last && String(last.event_id)
  const contents = { gateway: await database.copy(process), erp: erp.store.serialize() }
  process.crash()
  database.close()
  erp.close()
  const { elapsedMs } = scheduler
  return {
    ...{ ...contents, elapsedMs, channel, lastEvent },
    account: { grant_type: 'password', username, password },
  }
}
