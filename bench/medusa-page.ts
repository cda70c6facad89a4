/**
 * Compares a page of 100 stock rows through the gateway with the same read straight from a real Medusa.
 *
 *   npm run bench:medusa
 *
 * Starts a Medusa sandbox of its own, its connector and a gateway. Both servers get the same number of slices in turns,
 * over one kept connection from this process. The figure is the ratio of the CPU times of a request, as in the other
 * benches; that of the latencies, which contain the time of this process and of its neighbours, is printed beside it.
 * The true ratio is higher: Medusa is asked for the levels of 100 items only, without the prices that the gateway's rows
 * have, and the CPU time of its database is not counted. Requires PostgreSQL's programs; installs Medusa from npm at the first start.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { toKeyHeaders, toQueryString } from '../packages/connector-medusa/src/http.ts'
import { warehouses } from '../packages/connector-medusa/src/medusa/settings.ts'
import { findFreePorts } from '../packages/trials/src/free-ports.ts'
import { startGateway } from '../packages/trials/src/order-replay/gateway-process.ts'
import { startMedusa, startMedusaConnector } from '../packages/trials/src/order-replay/medusa-processes.ts'
import { readCpuUs } from './processes.ts'
import { closeConnections, readJsonMember, sendRequest } from './send-request.ts'
import { median } from './statistics.ts'

const rows = 100
const styles = 60
const sliceMs = 1_000
const warmMs = 3_000
/** On a busy machine, a slice lasts until it has so many requests. */
const minRequests = 5
const maxWaitMs = 120_000
const targetRatio = 100
const warehouse = warehouses[0].code

interface Contender {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The id of its process. */
  readonly pid: number
}

interface Slice {
  /** CPU time of a request, in microseconds, over all threads of the server. */
  readonly cpuUs: number
  readonly latencyMs: number
  readonly perSecond: number
}

async function send({ name, url, headers }: Omit<Contender, 'pid'>) {
  const seen = await sendRequest(url, { headers })
  if (seen.status !== 200)
    throw new Error(`${name}: HTTP ${seen.status} ${seen.body.toString().slice(0, 200)}`)
  return seen
}

async function runSlice(contender: Contender, ms: number): Promise<Slice> {
  const latencies: number[] = []
  const began = performance.now()
  const cpuBefore = readCpuUs(contender)
  while (latencies.length < minRequests || performance.now() - began < ms) {
    const sent = performance.now()
    await send(contender)
    latencies.push(performance.now() - sent)
  }
  return {
    cpuUs: (readCpuUs(contender) - cpuBefore) / latencies.length,
    latencyMs: median(latencies),
    perSecond: (latencies.length * 1000) / (performance.now() - began),
  }
}

const stockRows = z.array(
  z.object({ sku: z.string(), quantity_on_hand: z.int(), quantity_available: z.int() }),
)
const items = z.array(
  z.object({
    sku: z.string(),
    location_levels: z.array(
      z.object({ location_id: z.string(), stocked_quantity: z.number(), reserved_quantity: z.number() }),
    ),
  }),
)

/** Checks that both return the same figures of the same SKUs. */
async function requireSameFigures(gateway: Contender, medusa: Contender, locationId: string): Promise<void> {
  const own = stockRows.parse(readJsonMember(await send(gateway), 'data'))
  const theirs = items.parse(readJsonMember(await send(medusa), 'inventory_items'))
  const figures = new Map(
    theirs.map(({ sku, location_levels }) => {
      const level = location_levels.find(({ location_id }) => location_id === locationId)
      return [sku, level && [level.stocked_quantity, level.stocked_quantity - level.reserved_quantity].join()]
    }),
  )
  const isSame = own.every(
    (row) => figures.get(row.sku) === [row.quantity_on_hand, row.quantity_available].join(),
  )
  if (own.length !== rows || theirs.length !== rows || !isSame)
    throw new Error('The gateway and Medusa do not return the same figures.')
}

/** Creates a channel and its token. */
async function signIn(base_url: string, admin_token: string): Promise<string> {
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    sendRequest(`${base_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const channel = {
    ...{ channel_code: 'bench', name: 'Bench', plan: 'full', warehouse_allowlist: [] },
    points_per_minute: 100_000_000,
  }
  const made = await post('/admin/api/channels', { 'x-admin-token': admin_token }, channel)
  const { client_id, client_secret } = z
    .object({ client_id: z.string(), client_secret: z.string() })
    .parse(readJsonMember(made, 'data'))
  const token = await post('/api/v1/auth/token', {}, { client_id, client_secret })
  return String(readJsonMember(token, 'access_token'))
}

async function waitUntilRead(contender: Contender): Promise<void> {
  for (const until = performance.now() + maxWaitMs; ; ) {
    const { status } = await sendRequest(contender.url, { headers: contender.headers })
    if (status === 200) return
    if (performance.now() > until) throw new Error(`${contender.name} does not answer: HTTP ${status}.`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function findLocation(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const seen = await sendRequest(`${url}/admin/stock-locations?name=${warehouse}&fields=id`, { headers })
  const found = z.array(z.object({ id: z.string() })).parse(readJsonMember(seen, 'stock_locations'))
  return found[0]?.id ?? ''
}

async function compare(gateway: Contender, medusa: Contender, rounds: number): Promise<void> {
  for (const contender of [medusa, gateway]) await runSlice(contender, warmMs)
  const slices: { own: Slice; theirs: Slice }[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await runSlice(medusa, sliceMs)
    slices.push({ own: await runSlice(gateway, sliceMs), theirs })
  }
  const ratios = slices.map(({ own, theirs }) => theirs.cpuUs / own.cpuUs)
  const latencies = slices.map(({ own, theirs }) => theirs.latencyMs / own.latencyMs)
  const format = (of: 'own' | 'theirs') =>
    `${median(slices.map((each) => each[of].cpuUs)).toFixed(0)} µs of CPU time, ${median(slices.map((each) => each[of].latencyMs)).toFixed(2)} ms, ${median(slices.map((each) => each[of].perSecond)).toFixed(0)}/s`
  const value = median(ratios)
  const lines = [
    `a page of ${rows} rows through the gateway:  ${format('own')}`,
    `the same read straight from Medusa:     ${format('theirs')}`,
    `ratio of the CPU times: ${value.toFixed(0)} (${Math.min(...ratios).toFixed(0)}–${Math.max(...ratios).toFixed(0)} over ${rounds} rounds), target at least ${targetRatio}: ${value >= targetRatio ? 'met' : 'missed'}`,
    `ratio of the latencies: ${median(latencies).toFixed(0)}`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function main(rounds: number): Promise<void> {
  const report = (line: string) => void process.stderr.write(`… ${line}\n`)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-medusa-page-'))
  const closers = [() => rm(directory, { recursive: true, force: true })]
  try {
    const [port = 0, postgresPort = 0, connectorPort = 0, gatewayPort = 0] = await findFreePorts(4)
    const started = await startMedusa({ port, postgresPort, styles, report })
    closers.push(() => started.medusa.stop())
    const connector = await startMedusaConnector(started, connectorPort)
    closers.push(() => connector.process.stop())
    const upstream = { url: connector.url, token: connector.token }
    const running = await startGateway({ directory, port: gatewayPort, upstream, databaseUrl: undefined })
    closers.push(() => running.process.stop())
    const token = await signIn(running.base_url, running.admin_token)
    const gateway = {
      name: 'the gateway',
      url: `${running.base_url}/api/v1/warehouses/${warehouse}/stock?page=1&page_size=${rows}`,
      headers: { authorization: `Bearer ${token}` },
      pid: running.process.pid ?? 0,
    }
    const levels = ['location_id', 'stocked_quantity', 'reserved_quantity'].map(
      (each) => `location_levels.${each}`,
    )
    const query = toQueryString({ limit: rows, order: 'sku', fields: ['sku', ...levels].join(',') })
    const headers = toKeyHeaders(started.keys.secretKey)
    const medusa = {
      name: 'Medusa',
      url: `${started.url}/admin/inventory-items${query}`,
      headers,
      pid: started.medusa.pid,
    }
    await waitUntilRead(gateway)
    await requireSameFigures(gateway, medusa, await findLocation(started.url, headers))
    report('measuring')
    await compare(gateway, medusa, rounds)
  } finally {
    for (const close of closers.toReversed()) await close()
    closeConnections()
  }
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
await main(Number(values.rounds))
