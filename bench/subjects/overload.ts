/**
 * Finds the capacity for a kind of request, and then lets more arrive: 0.8 times the capacity, three times, and 0.8
 * times again. Measures how much useful work is done under overload compared with the capacity, and how long the
 * gateway takes to recover. Submits and full pulls have targets; one-row reads at three times the capacity are reported.
 */

import { createConnection, type Socket } from 'node:net'
import { type Bench, listStoreKinds, type Subject, withGateway } from '../bench.ts'
import type { RunningGateway } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import { runLoad } from '../load.ts'
import { type Arrival, type OpenLoad, runOpenLoad } from '../open-load.ts'
import { shippingMethod } from '../ordering-erp.ts'
import { readJsonMember, sendRequest, sendUntilServed } from '../send-request.ts'
import { openShop, type Shop } from './submit.ts'

const usual = 0.8
const over = 3
/** The numbers of requests in flight with which the capacity is sought. */
const inFlights = [8, 16, 32, 64]
const connections = 32
const unreadSockets = 100
const goodput = { is: 'at least', must: 0.9 } as const
const recovery = { is: 'at most', must: 5 } as const
const skus = 8

/** A kind of request that arrives. */
interface Stream {
  readonly name: string
  readonly hasTarget: boolean
  /** Prepares the next `count` requests, if they need preparation. */
  prepare?(count: number): Promise<void>
  create(at: number): Arrival
}

export const measureOverload: Subject = async (bench) => {
  const stock = await bench.provideStock('small')
  await withGateway(stock, async (gateway) => {
    const { headers, stockUrl } = gateway
    await measureStream(bench, {
      name: 'full pull',
      hasTarget: true,
      create: () => ({ url: stockUrl, headers }),
    })
    const url = `${stockUrl}?sku=${formatSku(0)}`
    await measureStream(bench, { name: 'one row', hasTarget: false, create: () => ({ url, headers }) })
    await measureConnections(bench, gateway)
  })
  for (const kind of listStoreKinds(bench.options)) {
    const shop = await openShop(await bench.provideStock('small', kind))
    try {
      await measureStream(bench, createSubmits(shop))
    } finally {
      await shop.gateway.end()
    }
  }
}

async function measureStream(bench: Bench, stream: Stream): Promise<void> {
  const { options, report } = bench
  const seconds = options.quick ? 4 : 12
  const found: { ratio: number; tail: number; recoveryS: number; detail: string }[] = []
  for (let round = 0; round < (options.quick ? 1 : 4); round++) {
    const capacity = await findCapacity(stream, seconds / 2)
    const run = async (times: number) => {
      const perSecond = capacity * times
      await stream.prepare?.(Math.ceil(perSecond * seconds))
      const load = await runOpenLoad(perSecond, seconds, stream.create)
      report.printProgress(`${stream.name}, ${times} × ${capacity.toFixed(0)} a second: ${describe(load)}`)
      return load
    }
    const before = await run(usual)
    const during = await run(over)
    const after = await run(usual)
    const settled = after.goodShares.findIndex((share) => share >= 0.95)
    found.push({
      ratio: during.goodPerSecond / Math.max(capacity, before.goodPerSecond),
      tail: during.p99Ms / before.p99Ms,
      recoveryS: settled < 0 ? Number.POSITIVE_INFINITY : settled,
      detail: `capacity ${capacity.toFixed(0)} a second; at ${over} ×: ${describe(during)}`,
    })
  }
  const what = `${stream.name}, ${over} × the capacity`
  const bounds = stream.hasTarget ? { goodput: { bound: goodput }, recovery: { bound: recovery } } : {}
  const detail = found[0]?.detail ?? ''
  report.judge({
    subject: 'overload',
    target: `${what}: goodput / capacity`,
    unit: '×',
    values: found.map(({ ratio }) => ratio),
    detail,
    ...bounds.goodput,
  })
  report.judge({
    subject: 'overload',
    target: `${what}: p99 of the served / p99 at ${usual} ×`,
    unit: '×',
    values: found.map(({ tail }) => tail),
  })
  report.judge({
    subject: 'overload',
    target: `${what}: recovery`,
    unit: 's',
    values: found.map(({ recoveryS }) => recoveryS),
    // Whole seconds do not differ by a share.
    repeat: 0,
    ...bounds.recovery,
  })
}

function describe({ offeredPerSecond, goodPerSecond, shedPerSecond, lost, p50Ms, p99Ms }: OpenLoad): string {
  return `offered ${offeredPerSecond.toFixed(0)}, good ${goodPerSecond.toFixed(0)}, shed ${shedPerSecond.toFixed(0)} a second, lost ${lost}, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`
}

/** Finds the highest rate of good responses in a closed loop. */
async function findCapacity(stream: Stream, seconds: number): Promise<number> {
  let best = 0
  for (const inFlight of inFlights) {
    const perSecond = await runClosedLoad(stream, inFlight, seconds)
    if (perSecond < best * 1.02) break
    best = perSecond
  }
  return best
}

const preparedForCapacity = 600

async function runClosedLoad(stream: Stream, inFlight: number, seconds: number): Promise<number> {
  await stream.prepare?.(preparedForCapacity)
  const until = performance.now() + seconds * 1000
  const began = performance.now()
  let next = 0
  let good = 0
  const runWorker = async () => {
    while (performance.now() < until && (stream.prepare === undefined || next < preparedForCapacity)) {
      const arrival = stream.create(next++)
      const { status } = await sendRequest(arrival.url, arrival)
      if (status < 300) good += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, runWorker))
  return good / ((performance.now() - began) / 1000)
}

/** Creates submits of drafts, each with a key of its own. */
function createSubmits({ gateway, headers }: Shop): Stream {
  let drafts: string[] = []
  let keys = 0
  const createDraft = async () => {
    const body = JSON.stringify({
      lines: [{ sku: formatSku(drafts.length % skus), quantity: 1 }],
      shipping: { shipping_method_id: shippingMethod },
    })
    const seen = await sendUntilServed(`${gateway.url}/api/v1/orders`, { method: 'POST', headers, body })
    if (seen.status !== 201) throw new Error(`A draft was refused: ${seen.status} ${seen.body.toString()}`)
    const data = readJsonMember(seen, 'data')
    if (typeof data === 'object' && data !== null && 'order_id' in data) drafts.push(String(data.order_id))
  }
  return {
    name: `submit, ${gateway.stock.kind}`,
    hasTarget: true,
    async prepare(count) {
      drafts = []
      const runWorker = async () => {
        while (drafts.length < count) await createDraft()
      }
      await Promise.all(Array.from({ length: 4 }, runWorker))
    },
    create(at) {
      keys += 1
      return {
        url: `${gateway.url}/api/v1/orders/${drafts[at]}/submit`,
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `overload-${keys}` },
        body: '{}',
      }
    },
  }
}

/** Measures one-row reads in a closed loop with ten times the connections, beside sockets that nobody reads. */
async function measureConnections({ report, options }: Bench, gateway: RunningGateway): Promise<void> {
  const { headers, stockUrl, process: server } = gateway
  const url = `${stockUrl}?sku=${formatSku(0)}`
  const seconds = options.quick ? 2 : 5
  const measure = async (count: number) => {
    const { perSecond, requests, refused, p99Us } = await runLoad(
      { url, headers, connections: count, server },
      seconds,
    )
    return { good: perSecond * (1 - refused / requests), p99Ms: p99Us / 1000 }
  }
  const ratios: { many: number; unread: number }[] = []
  for (let round = 0; round < options.rounds; round++) {
    const few = await measure(connections)
    const many = await measure(connections * 10)
    const sockets = openUnreadSockets(gateway)
    const unread = await measure(connections * 10)
    for (const socket of sockets) socket.destroy()
    ratios.push({ many: many.good / few.good, unread: unread.good / few.good })
  }
  const judge = (target: string, values: readonly number[]) =>
    report.judge({ subject: 'overload', target, unit: '×', values, bound: goodput })
  judge(
    `one row, ${connections * 10} connections / ${connections}`,
    ratios.map(({ many }) => many),
  )
  judge(
    `one row, ${connections * 10} connections and ${unreadSockets} unread pulls / ${connections}`,
    ratios.map(({ unread }) => unread),
  )
}

/** Opens connections that request the whole stock and never read it. */
function openUnreadSockets({ stockUrl, headers }: RunningGateway): Socket[] {
  const { hostname, port, pathname, host } = new URL(stockUrl)
  return Array.from({ length: unreadSockets }, () => {
    const socket = createConnection(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
    )
    return socket
  })
}
