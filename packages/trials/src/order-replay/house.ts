/** Everything that runs for a replay: the ERP, the gateway in front of it, its channel, and a buyer. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { allowPoints, answerTo, jsonOf } from '../client.ts'
import { Buyer } from './buyer.ts'
import { ownDatabase } from './database.ts'
import { ErpDesk } from './erp-desk.ts'
import { type ErpProcess, startErp } from './erp-process.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import type { Shipping } from './placing.ts'
import { freePorts } from './ports.ts'
import type { ErpClass } from './wanted.ts'

const channel_code = 'replay'
/** Far more than is spent: the replay is about orders, not about quotas. */
export const points_per_minute = 10_000_000
const usual_ms = 600_000
/** How long a request is retried. Where the ERP cannot be asked, an outcome that is not known stays so. */
const patience = {
  dedupe: { usual_ms, in_doubt_ms: usual_ms },
  lookup: { usual_ms, in_doubt_ms: usual_ms },
  neither: { usual_ms, in_doubt_ms: 10_000 },
} as const

const methods = z.object({
  data: z.array(
    z.object({ shipping_method_id: z.string(), is_default: z.boolean(), requires_address: z.boolean() }),
  ),
})
const addresses = z.object({ data: z.array(z.object({ address_id: z.string(), is_default: z.boolean() })) })

/** A house with its doors open. */
export interface House {
  readonly erp: ErpProcess
  readonly gateway: GatewayProcess
  readonly desk: ErpDesk
  readonly buyer: Buyer
}

interface Plan {
  /** An empty directory of its own. */
  readonly directory: string
  /** The text of the catalogue file. */
  readonly catalogue: string
  readonly erp_class: ErpClass
  readonly postgres: string | undefined
  /** Told of every answer that the buyer gets. */
  readonly onAnswer: () => void
}

/**
 * Opens a house, lets `work` use it, and ends everything that was started, whatever happens. The signal that `work`
 * is given is aborted where a process ends by itself. Throws `ProcessFailed` and `Unanswered`.
 */
export async function inHouse<T>(
  plan: Plan,
  signal: AbortSignal,
  work: (house: House, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closers: (() => Promise<void>)[] = []
  try {
    const catalogue = join(plan.directory, 'catalogue.csv')
    await writeFile(catalogue, plan.catalogue)
    const [erpPort = 0, gatewayPort = 0] = await freePorts(2)
    const database = plan.postgres === undefined ? undefined : await ownDatabase(plan.postgres)
    if (database) closers.push(() => database.drop())
    const erp = await startErp(plan.directory, catalogue, erpPort, plan.erp_class)
    closers.push(() => erp.process.stop())
    const gateway = await startGateway(plan.directory, gatewayPort, erp, database?.url)
    closers.push(() => gateway.process.stop())
    const alive = AbortSignal.any([signal, erp.process.ended, gateway.process.ended])
    await openChannel(gateway, erp.customer_code, alive)
    const buyer = new Buyer({
      base_url: gateway.base_url,
      username: erp.username,
      password: erp.password,
      patience: patience[plan.erp_class],
      signal: alive,
      onAnswer: plan.onAnswer,
    })
    return await work({ erp, gateway, desk: new ErpDesk(erp, alive), buyer }, alive)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

async function openChannel(
  { base_url, admin_token }: GatewayProcess,
  customer_code: string,
  signal: AbortSignal,
) {
  const headers = { 'content-type': 'application/json', 'x-admin-token': admin_token }
  const channel = { channel_code, name: 'Replay', plan: 'full', warehouse_allowlist: [], customer_code }
  const init = { method: 'POST', headers, body: JSON.stringify(channel) }
  await jsonOf(await answerTo(`${base_url}/admin/api/channels`, init, signal))
  await allowPoints(base_url, admin_token, channel_code, points_per_minute, signal)
}

/** How the account has its orders sent. */
export async function shippingOf(buyer: Buyer): Promise<Shipping> {
  const method = methods
    .parse(await buyer.read('/api/v1/shipping-methods'))
    .data.find(({ is_default, requires_address }) => is_default && requires_address)
  const address = addresses
    .parse(await buyer.read('/api/v1/addresses'))
    .data.find(({ is_default }) => is_default)
  if (!method || !address) throw new Error('The account has no usual shipping method and address.')
  return { shipping_method_id: method.shipping_method_id, address_id: address.address_id }
}
