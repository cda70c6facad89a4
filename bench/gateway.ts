import type { AnyCall } from '@trade-gateway/connector'
import { findFreePort } from '../packages/trials/src/free-ports.ts'
import { formatSku, warehouse } from './goods.ts'
import { probeFile } from './probe.ts'
import { type RunningProcess, serverCore, startPinned, waitUntilReady } from './processes.ts'
import { type QuietErp, startQuietErp } from './quiet-erp.ts'
import { readJsonMember, sendRequest } from './send-request.ts'
import type { Tree } from './trees.ts'

const startTimeoutMs = 300_000

/** A database on which a gateway of this source tree can start. */
export interface GatewayData {
  readonly tree: Tree
  readonly dataDir: string
  /** The environment variables of a gateway on this database. */
  readonly settings: Readonly<Record<string, string>>
}

/** A database with stock and two channels (API clients). */
export interface FilledStock extends GatewayData {
  readonly kind: 'sqlite' | 'postgres'
  readonly rows: number
  readonly channels: Readonly<Record<Channel, Credentials>>
  drop(): Promise<void>
}

/** The quota of `rich` is never exhausted. The quota of `poor` is exhausted after one request for the whole stock. */
export type Channel = 'rich' | 'poor'

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** A process that runs `main.ts`. It may not accept requests yet. */
export interface GatewayProcess {
  readonly process: RunningProcess
  readonly url: string
  readonly erp: QuietErp
  end(): Promise<void>
}

/** A gateway in a separate process with all features enabled, as in production. */
export interface RunningGateway extends GatewayProcess {
  readonly stock: FilledStock
  /** The URL of the warehouse's stock. */
  readonly stockUrl: string
  /** The request headers of the channel `rich`. */
  readonly headers: Readonly<Record<string, string>>
  /** Time from the start of the process to its first successful stock read. */
  readonly startMs: number
  /** Requests an access token for a channel. */
  requestToken(credentials: Credentials): Promise<string>
}

/**
 * Starts `main.ts` of a source tree. `orders` handles ERP calls first; if it returns undefined, the simulated ERP of
 * `quiet-erp.ts` does.
 */
export async function launchGateway(data: GatewayData, orders?: AnyCall): Promise<GatewayProcess> {
  const erp = await startQuietErp(orders)
  const port = await findFreePort()
  const process = startPinned({
    name: `the gateway of ${data.tree.name}`,
    core: serverCore,
    command: [getNodePath(), '--import', probeFile, data.tree.main],
    cwd: data.dataDir,
    log: `${data.dataDir}/gateway.log`,
    hasIpcChannel: true,
    env: {
      ...data.settings,
      HOST: '127.0.0.1',
      PORT: String(port),
      UPSTREAM_URL: erp.url,
      UPSTREAM_TOKEN: erp.token,
      LOG_LEVEL: 'info',
    },
  })
  return {
    process,
    url: `http://127.0.0.1:${port}`,
    erp,
    async end() {
      await process.end()
      await erp.close()
    },
  }
}

/** Waits until a gateway responds to `/livez`. */
export async function waitUntilListening({ process, url }: GatewayProcess): Promise<void> {
  await waitUntilReady(process, startTimeoutMs, async () =>
    (await sendRequest(`${url}/livez`)).status === 200 ? true : undefined,
  )
}

/** Starts a gateway on a filled database and waits for the first successful stock read. */
export async function startGateway(
  stock: FilledStock,
  token?: string,
  orders?: AnyCall,
): Promise<RunningGateway> {
  const began = performance.now()
  const settings = { ...stock.settings, ...stock.tree.settings }
  const launched = await launchGateway({ ...stock, settings }, orders)
  const { process, url } = launched
  const stockUrl = `${url}/api/v1/warehouses/${warehouse.warehouse_code}/stock`
  const requestOwnToken = (credentials: Credentials) => requestToken(url, credentials)
  const first =
    token ?? (await waitUntilReady(process, startTimeoutMs, () => requestOwnToken(stock.channels.rich)))
  const headers = { authorization: `Bearer ${first}` }
  const probe = stock.rows > 0 ? `${stockUrl}?sku=${formatSku(0)}` : `${stockUrl}?page_size=1`
  await waitUntilReady(process, startTimeoutMs, async () => {
    const { status } = await sendRequest(probe, { headers })
    return status === 200 ? true : undefined
  })
  const startMs = performance.now() - began
  return { ...launched, stock, stockUrl, headers, startMs, requestToken: requestOwnToken }
}

/** Returns the path of the Node binary that runs the bench. All measured Node processes use it too. */
export function getNodePath(): string {
  return globalThis.process.execPath
}

async function requestToken(url: string, credentials: Credentials): Promise<string> {
  const seen = await sendRequest(`${url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  if (seen.status !== 200) throw new Error(`No token: ${seen.status} ${seen.body.toString()}`)
  return String(readJsonMember(seen, 'access_token'))
}

/** Reads the newest stock version of the warehouse. */
export async function readLatestVersion({ stockUrl, headers }: RunningGateway): Promise<number> {
  const seen = await sendRequest(`${stockUrl}?page_size=1`, { headers })
  return Number(seen.headers['x-stock-version'])
}
