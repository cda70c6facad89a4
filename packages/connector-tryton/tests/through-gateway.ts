/** A connector and a gateway in front of a Tryton, and a client that is signed in as the first customer. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setPointsPerMinute } from '../../trials/src/client.ts'
import { Buyer } from '../../trials/src/order-replay/buyer.ts'
import type { ConnectorProcess } from '../../trials/src/order-replay/connector-process.ts'
import { type GatewayProcess, startGateway } from '../../trials/src/order-replay/gateway-process.ts'
import { startTrytonConnector } from '../../trials/src/order-replay/tryton-processes.ts'
import { customerPassword, customers } from '../src/tryton/settings.ts'

const patienceMs = 120_000
const channel_code = 'trial'
/** Far more than a trial spends. */
const points_per_minute = 10_000_000

export interface ThroughGateway {
  readonly gateway: GatewayProcess
  readonly connector: ConnectorProcess
  readonly buyer: Buyer
  stop(): Promise<void>
}

/** Starts both. `firstPort` and the next port are theirs. */
export async function openThroughGateway(trytonUrl: string, firstPort: number): Promise<ThroughGateway> {
  const [{ code, username }] = customers
  const directory = await mkdtemp(join(tmpdir(), 'tryton-gateway-'))
  const connector = await startTrytonConnector({ tryton_url: trytonUrl, port: firstPort })
  const { url, token } = connector
  const gateway = await startGateway({
    ...{ directory, port: firstPort + 1, upstream: { url, token }, databaseUrl: undefined },
  })
  await openChannel(gateway, code)
  const buyer = new Buyer({
    ...{ base_urls: [gateway.base_url], username, password: customerPassword },
    patience: { usual_ms: patienceMs, in_doubt_ms: patienceMs },
    signal: AbortSignal.any([connector.process.ended, gateway.process.ended]),
    onResponse: () => undefined,
  })
  const stop = async () => {
    await gateway.process.stop()
    await connector.process.stop()
    await rm(directory, { recursive: true, force: true })
  }
  return { gateway, connector, buyer, stop }
}

async function openChannel(gateway: GatewayProcess, customer_code: string): Promise<void> {
  const { base_url, admin_token } = gateway
  const channel = { channel_code, name: 'Trial', plan: 'full', warehouse_allowlist: [], customer_code }
  const headers = { 'content-type': 'application/json', 'x-admin-token': admin_token }
  const init = { method: 'POST', headers, body: JSON.stringify(channel) }
  const response = await fetch(`${base_url}/admin/api/channels`, init)
  if (!response.ok) throw new Error(`POST channels: ${response.status} ${await response.text()}`)
  await setPointsPerMinute(gateway, { channel_code, points_per_minute }, AbortSignal.timeout(patienceMs))
}
