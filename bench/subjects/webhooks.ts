import type { Bench, Subject } from '../bench.ts'
import { type Contender, runContest } from '../contest.ts'
import { type EventReceiver, openEventReceiver } from '../event-receiver.ts'
import { getNodePath, type RunningGateway, startGateway } from '../gateway.ts'
import { type Gateway, type OutboxRow, openInternals } from '../internals.ts'
import type { Load } from '../load.ts'
import { ParityError } from '../parity.ts'
import { type RunningProcess, readBusyMs, readCpuUs, serverCore, startPinned } from '../processes.ts'
import { readJsonMember, sendRequest } from '../send-request.ts'
import { median, quantile, splitSeries } from '../statistics.ts'
import { adminToken } from '../stock.ts'
import type { Bound } from '../target.ts'
import { measureClaims } from './webhook-claims.ts'

const endpoints = 8
const inFlight = 64
const bodyBytes = 700
const dispatchBound = { is: 'at least', must: 0.6, stretch: 0.7 } as const
const p50Bound = { is: 'at most', must: 10, stretch: 5 } as const
const p99Bound = { is: 'at most', must: 50, stretch: 25 } as const
const waitMs = 120_000

/**
 * Measures webhooks on PostgreSQL: the throughput of dispatching committed events compared with a bare loop of signed
 * POSTs, the latency at a tenth of that rate, and the effect of hanging receivers and of a backlog. Gateway and bare loop
 * run on one core, the receiver on the other. PostgreSQL is not pinned.
 */
export const measureWebhooks: Subject = async (bench) => {
  const { databaseUrl, quick } = bench.options
  if (databaseUrl === undefined) {
    bench.report.addNote('webhooks are measured on PostgreSQL only: set TEST_DATABASE_URL')
    return
  }
  const filled = await bench.provideStock('small', { databaseUrl })
  const stock = { ...filled, settings: { ...filled.settings, WEBHOOK_ALLOW_PRIVATE_NETS: '1' } }
  const receiver = await openEventReceiver()
  const internals = await openInternals(stock.settings)
  try {
    const gateway = await startGateway(stock)
    const place = { internals, receiver, gateway }
    try {
      await openEndpoints(place, 'fine')
      const perSecond = await measureDispatch(bench, place, quick ? 1_000 : 2_000)
      await measureLatency(bench, place, { perSecond: perSecond / 10, seconds: quick ? 5 : 15 })
    } finally {
      await gateway.end()
    }
    await measureClaims(bench, internals, quick ? 100_000 : 1_000_000)
  } finally {
    await internals.store.close()
    receiver.close()
  }
}

export interface WebhookSetup {
  /** The gateway's code on the same database, for writing events. */
  readonly internals: Gateway
  readonly receiver: EventReceiver
  readonly gateway: RunningGateway
}

/** Creates channels over the gateway's API, each with one webhook endpoint. */
export async function openEndpoints({ gateway, receiver }: WebhookSetup, name: 'fine' | 'hang') {
  const { url } = gateway
  for (let at = 0; at < endpoints; at++) {
    const channel_code = `${name}-${at}`
    const admin = { 'x-admin-token': adminToken }
    const channel = { channel_code, name: channel_code, plan: 'full' }
    const made = await postJson(`${url}/admin/api/channels`, admin, channel)
    const token = await gateway.requestToken({
      client_id: String(made.get('client_id')),
      client_secret: String(made.get('client_secret')),
    })
    const endpoint = { url: `${receiver.origin}/${name}/${at}`, event_types: ['order.created'] }
    await postJson(`${url}/api/v1/webhook-endpoints`, { authorization: `Bearer ${token}` }, endpoint)
  }
}

/** Posts JSON and returns the members of `data`. Throws unless the status is 201. */
async function postJson(url: string, headers: Readonly<Record<string, string>>, body: unknown) {
  const seen = await sendRequest(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (seen.status !== 201) throw new ParityError(`${url}: ${seen.status} ${seen.body.toString()}`)
  return new Map(Object.entries(Object(readJsonMember(seen, 'data'))))
}

let events = 0
const filler = 'x'.repeat(bodyBytes)

function createEvent(channel_code: string): OutboxRow {
  events += 1
  return {
    event_id: `evt_${events.toString().padStart(26, '0')}`,
    type: 'order.created',
    channel_code,
    warehouse_code: null,
    request_id: 'req-of-a-bench',
    occurred_at: Date.now(),
    data: JSON.stringify({ filler }),
    trace_parent: null,
  }
}

/** Creates events for the endpoints that work. */
export function createEvents(count: number): OutboxRow[] {
  return Array.from({ length: count }, (_, at) => createEvent(`fine-${at % endpoints}`))
}

const outboxColumns = [
  'event_id',
  'type',
  'channel_code',
  'warehouse_code',
  'request_id',
  'occurred_at',
  'data',
] as const

/** Commits events to the outbox table and wakes the gateway, as a business transaction does. */
export async function commitEvents(internals: Gateway, rows: readonly OutboxRow[]): Promise<void> {
  const { db, bulk } = internals.store
  await db
    .insertInto('outbox')
    .columns(outboxColumns)
    .expression(bulk.rows('outbox', outboxColumns, rows))
    .execute()
  internals.nudge('events')
}

/**
 * Measures the gateway's dispatch and `bare-webhooks.ts` in turns. Returns how many webhooks the gateway sends per
 * second.
 */
async function measureDispatch({ options, report, folder }: Bench, place: WebhookSetup, count: number) {
  const bare = await startBare(folder, place.receiver)
  const loop: Contender = {
    name: 'a bare loop of signed POSTs',
    isReference: true,
    server: bare.process,
    run: () => measureSending(bare.process, count, () => bare.send(count)),
  }
  const own: Contender = {
    name: 'dispatch',
    server: place.gateway.process,
    run: () => dispatch(place, count),
  }
  const name = `Webhooks, ${count.toLocaleString('en')} in each slice`
  const found = await runContest({ name, contenders: [loop, own] }, options)
  await bare.end()
  report.addContest(found)
  report.judgeRatio(found, {
    subject: 'webhooks',
    target: 'dispatch of committed events / a bare loop of signed POSTs',
    by: 'rate',
    of: own.name,
    over: loop.name,
    bound: dispatchBound,
  })
  return found.contenders.find(({ name }) => name === own.name)?.perSecond ?? Number.NaN
}

function dispatch({ internals, receiver, gateway }: WebhookSetup, count: number): Promise<Load> {
  const rows = createEvents(count)
  const before = receiver.countRequests()
  return measureSending(gateway.process, count, async () => {
    await commitEvents(internals, rows)
    await receiver.waitForCount(before + count, waitMs)
  })
}

async function measureSending(
  process: RunningProcess,
  count: number,
  send: () => Promise<unknown>,
): Promise<Load> {
  const cpuBefore = readCpuUs(process)
  const busyBefore = readBusyMs(serverCore)
  const began = performance.now()
  await send()
  const us = (performance.now() - began) * 1000
  const cpuUs = readCpuUs(process) - cpuBefore
  return {
    requests: count,
    perSecond: (count / us) * 1e6,
    cpuUs: cpuUs / count,
    coreUse: cpuUs / us,
    othersUse: Math.max(0, (readBusyMs(serverCore) - busyBefore) * 1000 - cpuUs) / us,
    p50Us: Number.NaN,
    p99Us: Number.NaN,
    refused: 0,
    broken: 0,
  }
}

interface Bare {
  readonly process: RunningProcess
  send(count: number): Promise<number>
  end(): Promise<void>
}

async function startBare(folder: string, { origin }: EventReceiver): Promise<Bare> {
  const running: RunningProcess = startPinned({
    name: 'the bare loop of signed POSTs',
    core: serverCore,
    command: [
      getNodePath(),
      new URL('../bare-webhooks.ts', import.meta.url).pathname,
      origin,
      String(bodyBytes),
      String(inFlight),
    ],
    cwd: folder,
    log: `${folder}/bare-webhooks.log`,
    hasIpcChannel: true,
  })
  const waitForMessage = () =>
    new Promise<unknown>((resolve, reject) => {
      const fail = () => reject(new Error(`The bare loop ended: ${running.readLogTail()}`))
      running.child.once('exit', fail)
      running.child.once('message', (message) => {
        running.child.off('exit', fail)
        resolve(message)
      })
    })
  await waitForMessage()
  return {
    process: running,
    async send(count) {
      const reply = waitForMessage()
      running.child.send(count)
      return Number(await reply)
    },
    end: () => running.end(),
  }
}

interface SteadyRate {
  readonly perSecond: number
  readonly seconds: number
}

/** Measures the time from commit to receiver at a steady rate, then again while half of the endpoints hang. */
async function measureLatency({ report }: Bench, place: WebhookSetup, rate: SteadyRate) {
  const targets = Array.from({ length: endpoints }, (_, at) => `fine-${at}`)
  const perSecond = `${rate.perSecond.toFixed(0)} a second`
  report.printProgress(`webhooks one by one, ${perSecond}`)
  await sendSteadily(place, targets, { ...rate, seconds: 1 })
  const alone = splitSeries(await sendSteadily(place, targets, rate))
  const detail = `${perSecond}, a tenth of the rate of dispatch`
  const subject = 'webhooks'
  const computeQuantiles = (times: readonly number[][], share: number) =>
    times.map((each) => quantile(each, share))
  const judge = (target: string, share: number, bound: Bound) =>
    report.judge({ subject, target, unit: 'ms', values: computeQuantiles(alone, share), bound, detail })
  judge('commit → receiver, p50', 0.5, p50Bound)
  judge('commit → receiver, p99', 0.99, p99Bound)
  await openEndpoints(place, 'hang')
  const hanging = Array.from({ length: endpoints }, (_, at) => `hang-${at}`)
  report.printProgress('webhooks while half of the endpoints hang')
  // More deliveries for each hanging endpoint than the gateway sends to one endpoint at a time.
  await commitEvents(
    place.internals,
    hanging.flatMap((channel) => Array.from({ length: 100 }, () => createEvent(channel))),
  )
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const beside = computeQuantiles(splitSeries(await sendSteadily(place, targets, rate)), 0.99)
  const calm = median(computeQuantiles(alone, 0.99))
  report.judge({
    subject,
    target: `commit → receiver, p99, while ${endpoints} of ${2 * endpoints} endpoints hang / without them`,
    unit: '×',
    values: beside.map((ms) => ms / calm),
    detail: `${median(beside).toFixed(1)} ms to ${calm.toFixed(1)} ms`,
  })
}

/** Commits one event at a time. Returns the times from commit to receiver in milliseconds. */
async function sendSteadily(
  { internals, receiver }: WebhookSetup,
  channels: readonly string[],
  { perSecond, seconds }: SteadyRate,
): Promise<number[]> {
  const committedAt = new Map<string, number>()
  const commits: Promise<void>[] = []
  const began = performance.now()
  const before = receiver.countRequests()
  for (let at = 0; at < perSecond * seconds; at++) {
    const row = createEvent(channels[at % channels.length] ?? '')
    commits.push(
      commitEvents(internals, [row]).then(() => void committedAt.set(row.event_id, performance.now())),
    )
    const early = began + ((at + 1) * 1000) / perSecond - performance.now()
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
  }
  await Promise.all(commits)
  await receiver.waitForCount(before + commits.length, waitMs)
  return [...committedAt].map(([id, at]) => Math.max(0, (receiver.receivedAt.get(id) ?? Number.NaN) - at))
}
