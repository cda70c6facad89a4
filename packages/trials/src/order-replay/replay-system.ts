/** Starts everything that a replay requires: the ERP, the gateway in front of it, its channel, and a buyer. */
import { z } from 'zod'
import { fetchPatiently, readJson, setPointsPerMinute } from '../client.ts'
import { findFreePort } from '../free-ports.ts'
import { Buyer } from './buyer.ts'
import { createDatabase } from './database.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import type { Shipping } from './place-order.ts'
import type { ErpKind, ErpStart, ReplayErp } from './replay-erp.ts'

const channel_code = 'replay'
/** The quota of the replay's channel: far more than a replay spends, because it tests orders and not quotas. */
export const points_per_minute = 10_000_000
const usual_ms = 600_000
/**
 * How long a request is retried. Without look-ups the ERP cannot resolve an unknown outcome, so longer retries are
 * useless.
 */
const patience = {
  dedupe: { usual_ms, in_doubt_ms: usual_ms },
  lookup: { usual_ms, in_doubt_ms: usual_ms },
  settle: { usual_ms, in_doubt_ms: usual_ms },
  neither: { usual_ms, in_doubt_ms: 10_000 },
} as const

const methods = z.object({
  data: z.array(
    z.object({ shipping_method_id: z.string(), is_default: z.boolean(), requires_address: z.boolean() }),
  ),
})
const addresses = z.object({ data: z.array(z.object({ address_id: z.string(), is_default: z.boolean() })) })

/** A running gateway in front of a running ERP, with a signed-in buyer. */
export interface ReplaySystem {
  readonly erp: ReplayErp
  readonly gateway: GatewayProcess
  readonly buyer: Buyer
  /** A client of the same account that only follows. Its requests count as nobody's. */
  readonly reader: Buyer
  /** The database of the gateway, if it is on PostgreSQL. */
  readonly databaseUrl: string | undefined
}

interface SystemSetting extends ErpStart {
  readonly kind: ErpKind
  readonly postgres: string | undefined
  /** Called after every request of the buyer. */
  readonly onResponse: () => void
}

/**
 * Starts a system, runs `work` with it, and ends all its processes, even if `work` fails. If a process exits on its
 * own, the signal of `work` is aborted. Throws `ProcessFailed` and `NoUsableResponse`.
 */
export async function withReplaySystem<T>(
  plan: SystemSetting,
  signal: AbortSignal,
  work: (system: ReplaySystem, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closers: (() => Promise<void>)[] = []
  try {
    const database = plan.postgres === undefined ? undefined : await createDatabase(plan.postgres)
    if (database) closers.push(() => database.drop())
    const erp = await plan.kind.start(plan, signal)
    closers.push(() => erp.stop())
    const gatewayPort = await findFreePort()
    const gateway = await startGateway({
      directory: plan.directory,
      port: gatewayPort,
      upstream: erp.upstream,
      databaseUrl: database?.url,
    })
    closers.push(() => gateway.process.stop())
    const alive = AbortSignal.any([signal, erp.ended, gateway.process.ended])
    await openChannel(gateway, erp.customer_code, alive)
    const setting = {
      base_urls: [gateway.base_url],
      ...erp.account,
      patience: patience[plan.erp_class],
      signal: alive,
    }
    const buyer = new Buyer({ ...setting, onResponse: plan.onResponse })
    const reader = new Buyer({ ...setting, onResponse: () => {} })
    return await work({ erp, gateway, buyer, reader, databaseUrl: database?.url }, alive)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** Creates the channel of a customer, with more points than any trial spends. Throws `NoUsableResponse`. */
export async function openChannel(
  gateway: Pick<GatewayProcess, 'base_url' | 'admin_token'>,
  customer_code: string,
  signal: AbortSignal,
) {
  const { base_url, admin_token } = gateway
  const headers = { 'content-type': 'application/json', 'x-admin-token': admin_token }
  const channel = { channel_code, name: 'Replay', plan: 'full', warehouse_allowlist: [], customer_code }
  const init = { method: 'POST', headers, body: JSON.stringify(channel) }
  await readJson(await fetchPatiently(`${base_url}/admin/api/channels`, init, signal))
  await setPointsPerMinute(gateway, { channel_code, points_per_minute }, signal)
}

/**
 * Reads the account's default shipping method and address. Until a gateway that has just started knows them, it asks for
 * a retry of the addresses; it reads the shipping methods before these.
 */
export async function readShipping(buyer: Buyer): Promise<Shipping> {
  const address = addresses
    .parse(await buyer.read('/api/v1/addresses'))
    .data.find(({ is_default }) => is_default)
  const method = methods
    .parse(await buyer.read('/api/v1/shipping-methods'))
    .data.find(({ is_default, requires_address }) => is_default && requires_address)
  if (!method || !address) throw new Error('The account has no usual shipping method or address.')
  return { shipping_method_id: method.shipping_method_id, address_id: address.address_id }
}
