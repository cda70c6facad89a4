import { fileURLToPath } from 'node:url'
import type { AnyCall } from '@trade-gateway/connector'
import { ask, memberOf } from './ask.ts'
import { skuOf, warehouse } from './goods.ts'
import { probeFile } from './probe.ts'
import { freePort, type Running, serverCore, startPinned, whenReady } from './processes.ts'
import { type QuietErp, startQuietErp } from './quiet-erp.ts'
import type { Credentials, FilledStock } from './stock.ts'

const main = fileURLToPath(import.meta.resolve('@trade-gateway/gateway/main'))
const startTimeoutMs = 300_000

/** A gateway as an operator runs it, with everything on, in a process of its own. */
export interface RunningGateway {
  readonly process: Running
  readonly stock: FilledStock
  readonly url: string
  /** Of one warehouse's stock. */
  readonly stockUrl: string
  readonly erp: QuietErp
  /** The headers of a caller with points without end. */
  readonly headers: Readonly<Record<string, string>>
  /** From the start of the process to its first answer about stock. */
  readonly startMs: number
  /** A token of a channel. */
  token(credentials: Credentials): Promise<string>
  end(): Promise<void>
}

/** Starts a gateway on a filled database and waits until it answers about stock. */
export async function startGateway(
  stock: FilledStock,
  token?: string,
  orders?: AnyCall,
): Promise<RunningGateway> {
  const erp = await startQuietErp(orders)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const stockUrl = `${url}/api/v1/warehouses/${warehouse.warehouse_code}/stock`
  const began = performance.now()
  const process = startPinned({
    name: `the gateway with ${stock.rows} rows`,
    core: serverCore,
    command: [nodePath(), '--import', probeFile, main],
    cwd: stock.dataDir,
    log: `${stock.dataDir}/gateway.log`,
    talks: true,
    env: {
      ...stock.settings,
      HOST: '127.0.0.1',
      PORT: String(port),
      UPSTREAM_URL: erp.url,
      UPSTREAM_TOKEN: erp.token,
      LOG_LEVEL: 'info',
    },
  })
  const tokenFor = (credentials: Credentials) => tokenOf(url, credentials)
  const first = token ?? (await whenReady(process, startTimeoutMs, () => tokenFor(stock.channels.rich)))
  const headers = { authorization: `Bearer ${first}` }
  const probe = stock.rows > 0 ? `${stockUrl}?sku=${skuOf.number(0)}` : `${stockUrl}?page_size=1`
  await whenReady(process, startTimeoutMs, async () => {
    const { status } = await ask(probe, { headers })
    return status === 200 ? true : undefined
  })
  const startMs = performance.now() - began
  return {
    process,
    stock,
    url,
    stockUrl,
    erp,
    headers,
    startMs,
    token: tokenFor,
    async end() {
      await process.end()
      await erp.close()
    },
  }
}

/** The Node that runs this, for every process of it. */
export function nodePath(): string {
  return globalThis.process.execPath
}

async function tokenOf(url: string, credentials: Credentials): Promise<string> {
  const seen = await ask(`${url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  if (seen.status !== 200) throw new Error(`No token: ${seen.status} ${seen.body.toString()}`)
  return String(memberOf(seen, 'access_token'))
}

/** The newest version of the gateway's stock. */
export async function latestOf({ stockUrl, headers }: RunningGateway): Promise<number> {
  const seen = await ask(`${stockUrl}?page_size=1`, { headers })
  return Number(seen.headers['x-stock-version'])
}
