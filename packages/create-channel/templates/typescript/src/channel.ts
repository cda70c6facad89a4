import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TradeGateway } from '@trade-gateway/sdk'
import { SqliteStore, StockMirror } from '@trade-gateway/sdk/mirror'
import { webhookListener } from '@trade-gateway/sdk/node'
import type { Settings } from './settings.ts'

/** The running channel. */
export interface Channel {
  readonly client: TradeGateway
  readonly mirror: StockMirror
  readonly url: string
  /** The orders that the gateway has announced, newest last. */
  readonly announced: readonly string[]
  close(): Promise<void>
}

/** More announcements are forgotten. */
const maxAnnounced = 1_000
/** How old stock may be to be shown. While the ERP is away, the stock of the gateway grows old, too. */
const maxStalenessMs = 10 * 60_000

/** Starts the copy of the stock and the server. The first full sync goes on behind it: see `mirror.ready()`. */
export async function openChannel(settings: Settings): Promise<Channel> {
  const { baseUrl, username, password, warehouses, stockFile, webhookSecret } = settings
  const client = new TradeGateway({ baseUrl, auth: { username, password }, pace: 'smooth' })
  const mirror = new StockMirror(client, { warehouses, store: new SqliteStore(stockFile) })
  mirror.on('error', ({ warehouse, error }) => report(`stock of ${warehouse}`, error))
  const announced: string[] = []
  const receive = webhookListener({
    secret: webhookSecret,
    // An event is only a nudge: the rows come from the change feed, in order and complete.
    onStockChanged: (event) => mirror.nudge(event),
    // An event may come twice. Read the order from the API before you act on it.
    onOrderCreated({ data }) {
      const id = data.order_id ?? data.dropship_order_id ?? ''
      if (!announced.includes(id)) announced.push(id)
      if (announced.length > maxAnnounced) announced.shift()
    },
    onError: (error) => report('webhook', error),
  })
  const server = createServer((request, response) => {
    const [, root, warehouse = '', sku = ''] = (request.url ?? '').split('/').map(decodeSegment)
    if (request.method === 'POST' && root === 'hook') void receive(request, response)
    else if (root !== 'stock') response.writeHead(404).end()
    // Before the first copy is complete, nobody can say that a SKU does not exist.
    else if (!isComplete) sendUnavailable(response, 'The first copy of the stock is not complete yet.')
    // The file may have the copy of a warehouse that is not followed any more.
    else void sendStock(mirror, warehouses.includes(warehouse) ? warehouse : '', sku, response)
  })
  await mirror.start()
  let isComplete = false
  mirror.ready().then(
    () => {
      isComplete = true
    },
    // The channel was closed meanwhile, or a warehouse fails for good, which `main.ts` reports.
    () => {},
  )
  await new Promise<void>((resolve) => server.listen(settings.port, '127.0.0.1', resolve))
  return { client, mirror, announced, url: readUrl(server), close: () => close(mirror, server) }
}

/** Anybody can send a path that cannot be decoded. It then names nothing. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

async function sendStock(mirror: StockMirror, warehouse: string, sku: string, response: ServerResponse) {
  const row = await mirror.get(warehouse, sku).catch(() => undefined)
  if (row && mirror.stalenessMs(warehouse) > maxStalenessMs)
    return sendUnavailable(response, `The stock of ${warehouse} is too old.`)
  response.writeHead(row ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(row ?? { error: `There is no ${sku} in ${warehouse}.` }))
}

function sendUnavailable(response: ServerResponse, error: string): void {
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
  response.end(JSON.stringify({ error }))
}

function readUrl(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function close(mirror: StockMirror, server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await mirror.stop()
}

/** Replace this by your log. */
function report(what: string, error: unknown): void {
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : error}\n`)
}
