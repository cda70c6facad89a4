/** The gateway in front of Medusa, with its own data in a database of the same PostgreSQL. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { warehouses } from '../../packages/connector-medusa/src/medusa/settings.ts'
import { startGateway } from '../../packages/trials/src/order-replay/gateway-process.ts'
import { startMedusaConnector } from '../../packages/trials/src/order-replay/medusa-processes.ts'
import { sendRequest } from '../send-request.ts'
import type { StartedMedusa } from './medusa.ts'
import { pageRows, parseBody, type Read, readRows, type StockRow, type System, sendRead } from './system.ts'

const warehouse = warehouses[0].code
const sandboxConfig = new URL('../../packages/connector-medusa/sandbox.json', import.meta.url)
/** So many points that no request of a run is refused. */
const pointsPerMinute = 100_000_000
const [maxReadyMs, pollMs] = [120_000, 500] as const

interface GatewayStart {
  readonly medusa: StartedMedusa
  readonly port: number
  readonly connectorPort: number
  readonly work: string
  readonly databaseUrl: string
  /** The number of rows to wait for, a multiple of `pageRows`. */
  readonly rows: number
  /** Gets what stops a process as soon as it runs. */
  readonly onStart: (stop: () => Promise<void>) => void
}

/** Starts the connector and the gateway, and waits until the gateway has all rows. */
export async function startMeasuredGateway(start: GatewayStart): Promise<System<StockRow>> {
  const { medusa, work, databaseUrl, port, onStart } = start
  const connector = await startMedusaConnector(medusa, start.connectorPort, await writeConfig(work))
  onStart(() => connector.process.stop())
  const upstream = { url: connector.url, token: connector.token }
  // That of a replay ends before the last round.
  const settings = { TOKEN_TTL_SECONDS: '86400' }
  const running = await startGateway({ directory: work, port, upstream, databaseUrl, settings })
  onStart(() => running.process.stop())
  const token = await signIn(running.base_url, running.admin_token)
  const access = { base_url: running.base_url, token, pid: running.process.pid ?? 0 }
  const gateway = describeGateway(access, [])
  await waitForRows(gateway, start.rows)
  return describeGateway(access, await listCursors(gateway, start.rows))
}

/** Writes the connector's configuration with the only warehouse that Medusa has. */
async function writeConfig(work: string): Promise<string> {
  const config = z.looseObject({ warehouses: z.array(z.looseObject({ code: z.string() })) })
  const whole = config.parse(JSON.parse(await readFile(sandboxConfig, 'utf8')))
  const file = join(work, 'connector.json')
  const own = { ...whole, warehouses: whole.warehouses.filter(({ code }) => code === warehouse) }
  await writeFile(file, JSON.stringify(own))
  return file
}

const credentials = z.object({ data: z.object({ client_id: z.string(), client_secret: z.string() }) })
const grant = z.object({ access_token: z.string() })

/** Creates a channel and returns a token of it. */
async function signIn(base_url: string, admin_token: string): Promise<string> {
  const post = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    sendRequest(`${base_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const channel = {
    ...{ channel_code: 'bench', name: 'Bench', plan: 'full', warehouse_allowlist: [] },
    points_per_minute: pointsPerMinute,
  }
  const made = await post('/admin/api/channels', { 'x-admin-token': admin_token }, channel)
  const token = await post('/api/v1/auth/token', {}, parseBody(credentials, made).data)
  return parseBody(grant, token).access_token
}

const stockRows = z.object({
  data: z.array(
    z.object({
      sku: z.string(),
      product_code: z.string(),
      quantity_on_hand: z.int(),
      quantity_available: z.int(),
      price_retail: z.number(),
      currency: z.string(),
    }),
  ),
})

interface Access {
  readonly base_url: string
  readonly token: string
  readonly pid: number
}

/** `cursors` are those of the first pages, in their order. */
function describeGateway({ base_url, token, pid }: Access, cursors: readonly string[]): System<StockRow> {
  const headers = { authorization: `Bearer ${token}` }
  const toQuery = (read: Read) => {
    if ('sku' in read) return `sku=${read.sku}`
    const place = read.byCursor ? `cursor=${cursors[read.page - 2]}` : `page=${read.page}`
    return `${place}&page_size=${pageRows}`
  }
  return {
    name: 'the gateway',
    pid,
    toRequest: (read) => ({
      url: `${base_url}/api/v1/warehouses/${warehouse}/stock?${toQuery(read)}`,
      headers,
    }),
    parseRows: (response) =>
      parseBody(stockRows, response).data.map((row) => ({
        sku: row.sku,
        onHand: row.quantity_on_hand,
        available: row.quantity_available,
        product_code: row.product_code,
        price: row.price_retail,
        currency: row.currency,
      })),
  }
}

const cursorOf = z.object({ next_cursor: z.string() })

/** Returns the cursor of each page but the last. */
async function listCursors(gateway: System, rows: number): Promise<string[]> {
  const cursors: string[] = []
  for (let page = 1; page < rows / pageRows; page++) {
    const response = await sendRead(gateway.name, gateway.toRequest({ page }))
    cursors.push(parseBody(cursorOf, response).next_cursor)
  }
  return cursors
}

/** The gateway serves a warehouse once it has read it from Medusa. */
async function waitForRows(gateway: System, rows: number): Promise<void> {
  const last = { page: rows / pageRows }
  for (const until = performance.now() + maxReadyMs; ; await pause(pollMs)) {
    const found = await readRows(gateway, last).catch((error: unknown) => error)
    if (Array.isArray(found) && found.length === pageRows) return
    if (performance.now() < until) continue
    throw new Error('The gateway did not read all rows from Medusa in time.', { cause: found })
  }
}
