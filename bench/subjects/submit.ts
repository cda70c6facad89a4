import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { operations } from '@trade-gateway/connector'
import { findFreePort } from '../../packages/trials/src/free-ports.ts'
import { type Bench, listStoreKinds, type Subject, withGateway } from '../bench.ts'
import { type Contender, type ContestResult, runContest } from '../contest.ts'
import { type FilledStock, getNodePath, type RunningGateway, startGateway } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import type { Load } from '../load.ts'
import { credentials, customer, handleOrderCall, shippingMethod, submitMs } from '../ordering-erp.ts'
import { ParityError } from '../parity.ts'
import { probeFile } from '../probe.ts'
import { type RunningProcess, readBusyMs, readCpuUs, serverCore, startPinned } from '../processes.ts'
import { type HttpExchange, readJsonMember, sendRequest, sendUntilServed } from '../send-request.ts'
import { quantile } from '../statistics.ts'
import { adminToken } from '../stock.ts'

const inFlight = 16
const submitsPerSlice = 320
const arrivalsPerSecond = 50
const skus = 8

type Headers = Readonly<Record<string, string>>

/** A gateway with a signed-in buyer. */
export interface Shop {
  readonly gateway: RunningGateway
  readonly headers: Headers
}

export async function openShop(stock: FilledStock): Promise<Shop> {
  const { settings: _settings, ...tree } = stock.tree
  // The tree's own settings may leave out the admin token.
  await withGateway({ ...stock, tree }, assignCustomer)
  const gateway = await startGateway(stock, undefined, handleOrderCall)
  try {
    return { gateway, headers: await signInBuyer(gateway) }
  } catch (error) {
    await gateway.end()
    throw error
  }
}

/**
 * Compares the latency of a submit with that of the ERP behind it, and with that of `bare-submit.ts`, the minimum work
 * of a durable submit.
 */
export const measureSubmits: Subject = async (bench) => {
  for (const kind of listStoreKinds(bench.options)) {
    const shop = await openShop(await bench.provideStock('small', kind))
    const { gateway } = shop
    const bare = gateway.stock.kind === 'postgres' ? await startBare(bench, gateway) : undefined
    try {
      await measureConcurrentSubmits(bench, shop, bare)
      await measureArrivals(bench, shop)
    } finally {
      await bare?.process.end()
      await gateway.end()
    }
  }
}

interface Bare {
  readonly url: string
  readonly process: RunningProcess
}

/** Starts the baseline `bare-submit.ts` with the gateway's ERP and database. */
async function startBare({ folder }: Bench, { erp, stock }: RunningGateway): Promise<Bare> {
  const port = await findFreePort()
  const file = new URL('../bare-submit.ts', import.meta.url).pathname
  const process = startPinned({
    name: 'the bare submit',
    core: serverCore,
    command: [getNodePath(), '--import', probeFile, file, String(port), erp.url, erp.token],
    cwd: folder,
    log: `${folder}/bare-submit.log`,
    env: { DATABASE_URL: stock.settings.DATABASE_URL ?? '' },
    hasIpcChannel: true,
  })
  await once(process.child, 'message')
  return { url: `http://127.0.0.1:${port}`, process }
}

/** Measures a closed loop: a fixed number of callers, each of which submits again as soon as its response arrives. */
async function measureConcurrentSubmits(bench: Bench, shop: Shop, bare: Bare | undefined): Promise<void> {
  const { erp, stock } = shop.gateway
  const own = createSubmitContender(shop, 'submit')
  const contenders = [
    createUpstreamContender({ name: 'the ERP', url: erp.url, token: erp.token }),
    ...(bare
      ? [
          createUpstreamContender({
            name: 'a bare submit',
            url: bare.url,
            token: erp.token,
            server: bare.process,
          }),
        ]
      : []),
    own,
  ]
  const found = await runContest(
    {
      name: `Submits, ERP of ${submitMs} ms, ${inFlight} in flight, ${stock.kind}`,
      contenders,
      steadyBy: ['cpuUs', 'p50Us'],
    },
    bench.options,
  )
  bench.report.addContest(found)
  const what = `submit, ${inFlight} in flight, ${stock.kind}`
  if (bare) {
    const bound = { is: 'at most', must: 1.2, stretch: 1.1 } as const
    judgeTimes(bench, found, {
      target: `${what}: p50 / a bare submit's`,
      of: own.name,
      over: 'a bare submit',
      bound,
    })
  }
  judgeTimes(bench, found, { target: `${what}: p50 / the ERP's`, of: own.name, over: 'the ERP' })
}

/** Measures an open loop: orders arrive at a fixed rate, whether or not earlier ones have a response. */
async function measureArrivals(bench: Bench, { gateway, headers }: Shop): Promise<void> {
  const { erp, stock } = gateway
  const count = arrivalsPerSecond * 2
  const prepared = createDraftPool({ gateway, headers })
  const own: Contender = {
    name: 'submit',
    server: gateway.process,
    prepare: () => prepared.createDrafts(count),
    run: () => measureCalls(gateway.process, () => callAtFixedRate(count, prepared.submit)),
  }
  const upstream: Contender = {
    name: 'the ERP',
    isReference: true,
    run: () =>
      measureCalls(undefined, () => callAtFixedRate(count, (at) => submitToErp(erp.url, erp.token, at))),
  }
  const found = await runContest(
    {
      name: `Submits, ERP of ${submitMs} ms, ${arrivalsPerSecond} arrivals a second, ${stock.kind}`,
      contenders: [upstream, own],
      steadyBy: ['p50Us'],
    },
    bench.options,
  )
  bench.report.addContest(found)
  judgeTimes(bench, found, {
    target: `submit, ${arrivalsPerSecond} arrivals a second, ${stock.kind}: p50 / the ERP's`,
    of: own.name,
    over: upstream.name,
    // The target applies to PostgreSQL only.
    ...(stock.kind === 'postgres' ? { bound: { is: 'at most', must: 1.1, stretch: 1.05 } } : {}),
  })
}

interface Times {
  readonly target: string
  readonly of: string
  readonly over: string
  readonly bound?: { readonly is: 'at most'; readonly must: number; readonly stretch: number }
}

/** Judges by latency, because these targets limit the time that a caller waits. CPU time is printed beside it. */
function judgeTimes({ report }: Bench, found: ContestResult, { target, of, over, bound }: Times) {
  const findContender = (name: string) => found.contenders.find((each) => each.name === name)
  const formatMs = (us = Number.NaN) => (us / 1000).toFixed(2)
  report.judge({
    subject: 'submit',
    target,
    unit: '×',
    ...found.computeRatios('p50Us', of, over),
    detail: `${formatMs(findContender(of)?.p50Us)} ms to ${formatMs(findContender(over)?.p50Us)} ms; CPU ${formatMs(findContender(of)?.cpuUs)} ms each`,
    ...(bound ? { bound } : {}),
  })
}

/**
 * Creates a contender that submits drafts. They are created before each slice, so that only the submits are measured.
 */
export function createSubmitContender(shop: Shop, name: string): Contender {
  const prepared = createDraftPool(shop)
  const server = shop.gateway.process
  return {
    name,
    server,
    prepare: () => prepared.createDrafts(submitsPerSlice),
    run: () => measureCalls(server, () => callConcurrently(submitsPerSlice, prepared.submit)),
  }
}

interface Upstream {
  readonly name: string
  readonly url: string
  readonly token: string
  readonly server?: RunningProcess
}

/** Creates a contender that sends the same order to the ERP itself, or to `bare-submit.ts` in front of it. */
function createUpstreamContender({ name, url, token, server }: Upstream): Contender {
  const work = () => callConcurrently(submitsPerSlice, (at) => submitToErp(url, token, at))
  return { name, isReference: true, ...(server ? { server } : {}), run: () => measureCalls(server, work) }
}

function createDraftPool({ gateway, headers }: Shop) {
  let drafts: string[] = []
  return {
    async createDrafts(count: number) {
      drafts = []
      for (let at = 0; at < count; at++) {
        const seen = await sendUntilServed(`${gateway.url}/api/v1/orders`, {
          method: 'POST',
          headers,
          body: formatDraft(at),
        })
        const { data }: { data: { order_id: string } } = JSON.parse(expectStatus(seen, 201).body.toString())
        drafts.push(data.order_id)
      }
    },
    // A wait that the gateway demands, as on a disk that stalls, is a part of the time that the caller waits.
    submit: (at: number) =>
      sendUntilServed(`${gateway.url}/api/v1/orders/${drafts[at]}/submit`, {
        method: 'POST',
        headers,
        body: '{}',
      }),
  }
}

/** Assigns the ERP's customer to the channel. */
async function assignCustomer({ url }: RunningGateway): Promise<void> {
  const admin = { 'x-admin-token': adminToken, 'content-type': 'application/json' }
  const body = JSON.stringify({ customer_code: customer })
  expectStatus(
    await sendRequest(`${url}/admin/api/channels/rich`, { method: 'PATCH', headers: admin, body }),
    200,
  )
}

/** Signs the channel's buyer in. Returns the buyer's request headers. */
async function signInBuyer({ url }: RunningGateway): Promise<Headers> {
  const grant = JSON.stringify({ grant_type: 'password', ...credentials })
  const json = { 'content-type': 'application/json' }
  const seen = await sendRequest(`${url}/api/v1/auth/token`, { method: 'POST', headers: json, body: grant })
  const headers = {
    ...json,
    authorization: `Bearer ${readJsonMember(expectStatus(seen, 200), 'access_token')}`,
  }
  await waitUntilSellable(url, headers)
  return headers
}

/** Waits until the gateway has loaded the catalogue of the new customer. */
async function waitUntilSellable(url: string, headers: Headers) {
  for (const until = performance.now() + 30_000; performance.now() < until; await pause(200)) {
    const seen = await sendRequest(`${url}/api/v1/orders`, { method: 'POST', headers, body: formatDraft(0) })
    if (seen.status === 201) return
  }
  throw new ParityError('The gateway accepts no drafts.')
}

function formatDraft(at: number): string {
  return JSON.stringify({
    lines: [{ sku: formatSku(at % skus), quantity: 1 }],
    shipping: { shipping_method_id: shippingMethod },
  })
}

function submitToErp(url: string, token: string, at: number): Promise<HttpExchange> {
  const input: Parameters<(typeof operations)['submit']['input']['parse']>[0] = {
    order_type: 'wholesale',
    customer_code: customer,
    session: 'a-session',
    lines: [{ sku: formatSku(at % skus), quantity: 1 }],
    warehouse_codes: ['BENCH1'],
    delivery: { to: 'address', shipping_method_id: shippingMethod, address_id: null },
    payment_method: 'invoice',
    reference: `REF${at}`,
    hold_reference: null,
    allow_partial: false,
    expected_total: null,
    max_total: null,
    client_order_number: null,
    remark: null,
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return sendRequest(`${url}/submit`, { method: 'POST', headers, body: JSON.stringify(input) })
}

type Call = (at: number) => Promise<HttpExchange>

/** Measures calls that this process makes. `calls` returns their latencies in milliseconds. */
async function measureCalls(
  server: RunningProcess | undefined,
  calls: () => Promise<number[]>,
): Promise<Load> {
  const cpuBefore = server ? readCpuUs(server) : Number.NaN
  const busyBefore = readBusyMs(serverCore)
  const began = performance.now()
  const times = await calls()
  const us = (performance.now() - began) * 1000
  const cpuUs = (server ? readCpuUs(server) : Number.NaN) - cpuBefore
  const busyUs = (readBusyMs(serverCore) - busyBefore) * 1000
  return {
    requests: times.length,
    perSecond: (times.length / us) * 1e6,
    cpuUs: cpuUs / times.length,
    coreUse: cpuUs / us,
    othersUse: Math.max(0, busyUs - cpuUs) / us,
    p50Us: quantile(times, 0.5) * 1000,
    p99Us: quantile(times, 0.99) * 1000,
    refused: 0,
    broken: 0,
  }
}

/** Makes `count` calls with a fixed number of them in flight. Returns their latencies in milliseconds. */
async function callConcurrently(count: number, call: Call): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const runWorker = async () => {
    while (next < count) times.push(await measureCall(call, next++))
  }
  await Promise.all(Array.from({ length: inFlight }, runWorker))
  return times
}

/** Starts `count` calls at a fixed rate. Returns their latencies in milliseconds. */
async function callAtFixedRate(count: number, call: Call): Promise<number[]> {
  const began = performance.now()
  const calls: Promise<number>[] = []
  for (let at = 0; at < count; at++) {
    await pause(Math.max(0, began + (at * 1000) / arrivalsPerSecond - performance.now()))
    const measured = measureCall(call, at)
    // Thrown below, where all are awaited. Until then, a failure must not end the process.
    measured.catch(() => {})
    calls.push(measured)
  }
  return Promise.all(calls)
}

async function measureCall(call: Call, at: number): Promise<number> {
  const began = performance.now()
  expectStatus(await call(at), 200)
  return performance.now() - began
}

function expectStatus(seen: HttpExchange, status: number): HttpExchange {
  if (seen.status === status) return seen
  throw new ParityError(`${seen.status} instead of ${status}: ${seen.body.toString().slice(0, 300)}`)
}
