import { erpFrom, rejected } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { createChannel } from '../../packages/gateway/src/access/channels.ts'
import { readConfig } from '../../packages/gateway/src/config.ts'
import type { Caller } from '../../packages/gateway/src/contract/call.ts'
import { type Gateway, openGateway } from '../../packages/gateway/src/gateway.ts'
import { jsonLog } from '../../packages/gateway/src/kernel/log.ts'
import type { OutboxRow } from '../../packages/gateway/src/store/tables.ts'
import { leaseQueues, readDue, releaseQueues } from '../../packages/gateway/src/webhooks/queue.ts'
import { createEndpoint } from '../../packages/gateway/src/webhooks/register.ts'
import type { Bench, Subject } from '../bench.ts'
import { type EventReceiver, openEventReceiver } from '../event-receiver.ts'
import { nodePath, startGateway } from '../gateway.ts'
import { cpuMsOf, type Running, serverCore, startPinned } from '../processes.ts'
import { profiledWhile } from '../profile.ts'
import { median } from '../statistics.ts'
import { type FilledStock, openStore } from '../stock.ts'

/**
 * Webhooks on PostgreSQL: the dispatch of events that are committed already, as a share of a bare loop of signed POSTs
 * to the same receiver, in turns; how soon a receiver has an event at a tenth of that load; what a backlog and
 * receivers that hang do to it. The gateway and the loop stand on one core, the receiver on the other, with PostgreSQL
 * wherever the system puts it.
 */
const endpoints = 8
const inFlight = 64
const bodyBytes = 700
const must = { dispatch: 0.85, p50: 10, p99: 50, backlog: 1.2, hanging: 1.1 } as const
const stretch = { dispatch: 0.92 } as const
const waitMs = 120_000

export const webhooks: Subject = async (bench) => {
  const { databaseUrl, quick } = bench.options
  if (databaseUrl === undefined) {
    bench.report.note('webhooks are measured on PostgreSQL: set TEST_DATABASE_URL')
    return
  }
  const filled = await bench.stock('small', { databaseUrl })
  const stock = { ...filled, settings: { ...filled.settings, WEBHOOK_ALLOW_PRIVATE_NETS: '1' } }
  const receiver = await openEventReceiver()
  const books = await openBooks(stock)
  try {
    await channelsFor(books, receiver, 'fine', endpoints, '/fine')
    const gateway = await startGateway(stock)
    try {
      const place = { books, receiver, gateway: gateway.process }
      const rate = await dispatched(bench, place, quick ? 4_000 : 20_000)
      await latency(bench, books, receiver, rate / 10, quick ? 5 : 15)
    } finally {
      await gateway.end()
    }
    await backlog(bench, books, quick ? 100_000 : 1_000_000)
  } finally {
    await books.store.close()
    receiver.close()
  }
}

/** The database as the gateway's own code sees it: events are put into its outbox. */
async function openBooks(stock: FilledStock): Promise<Gateway> {
  const store = await openStore(stock.settings)
  const erp = erpFrom(async (id) => rejected('not_supported', `${id} is not asked while measuring`))
  return openGateway({ config: readConfig(stock.settings), store, erp, log: jsonLog('silent') })
}

async function channelsFor(
  books: Gateway,
  receiver: EventReceiver,
  name: string,
  count: number,
  path: string,
) {
  for (let at = 0; at < count; at++) {
    const channel_code = `${name}-${at}`
    await createChannel(books, channel_code, {
      name: channel_code,
      plan: 'full',
      warehouse_allowlist: [],
      customer_code: null,
      points_per_minute: null,
      wholesale_enabled: true,
      dropship_enabled: true,
      webhooks_enabled: true,
    })
    const url = `${receiver.origin}${path}/${at}`
    await createEndpoint(books, callerOf(channel_code), { url, event_types: ['order.created'] })
  }
}

function callerOf(channel_code: string): Caller {
  return {
    channel_code,
    channel_name: channel_code,
    plan: 'full',
    grant_type: 'client_credentials',
    capabilities: new Set(),
    allowlist: undefined,
    customer_code: null,
    points_per_minute: 1,
    switches: { wholesale: true, dropship: true, webhooks: true },
    account: undefined,
    token: { jti: '', expires_at: 0, legacy: false },
  }
}

let events = 0
const filler = 'x'.repeat(bodyBytes)

function eventFor(channel_code: string): OutboxRow {
  events += 1
  return {
    event_id: `evt_${events.toString().padStart(26, '0')}`,
    type: 'order.created',
    channel_code,
    warehouse_code: null,
    request_id: 'req-of-a-bench',
    occurred_at: Date.now(),
    data: JSON.stringify({ filler }),
  }
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

/** Commits events to the outbox and has the gateway told, as a business transaction does. */
async function commit(books: Gateway, rows: readonly OutboxRow[]): Promise<void> {
  const { db, bulk } = books.store
  await db
    .insertInto('outbox')
    .columns(outboxColumns)
    .expression(bulk.rows('outbox', outboxColumns, rows))
    .execute()
  books.nudge('events')
}

interface Place {
  readonly books: Gateway
  readonly receiver: EventReceiver
  readonly gateway: Running
}

/** Dispatch and the bare loop in turns; answers how many webhooks a second the gateway sent. */
async function dispatched({ options, report, folder }: Bench, place: Place, count: number) {
  const bare = await startBare(folder, place.receiver)
  const rounds: Round[] = []
  await round(place, bare, Math.ceil(count / 10))
  for (let at = 0; at < options.rounds; at++) {
    report.progress(`dispatching webhooks, round ${at + 1} of ${options.rounds}`)
    rounds.push(await round(place, bare, count))
  }
  if (options.profile) {
    await profiledWhile(place.gateway, 'a webhook', async () => {
      await ownRound(place, count)
      return count
    })
  }
  await bare.end()
  const middle = (of: (each: Round) => number) => median(rounds.map(of))
  const cpu = `CPU ${middle((each) => each.own.cpuUs).toFixed(0)} to ${middle((each) => each.bare.cpuUs).toFixed(0)} µs each`
  report.judge({
    subject: 'webhooks',
    target: `dispatch of ${count.toLocaleString('en')} committed events / a bare loop of signed POSTs`,
    unit: '×',
    values: rounds.map((each) => each.own.rate / each.bare.rate),
    bound: { is: 'at least', must: must.dispatch, stretch: stretch.dispatch },
    detail: `${middle((each) => each.own.rate).toFixed(0)} to ${middle((each) => each.bare.rate).toFixed(0)} a second; ${cpu}`,
  })
  report.judge({
    subject: 'webhooks',
    target: 'CPU time of the bare loop / of the gateway, for a webhook',
    unit: '×',
    values: rounds.map((each) => each.bare.cpuUs / each.own.cpuUs),
  })
  return middle((each) => each.own.rate)
}

/** Webhooks a second, and the CPU time of the sender for each. */
interface Sent {
  readonly rate: number
  readonly cpuUs: number
}

interface Round {
  readonly own: Sent
  readonly bare: Sent
}

async function round(place: Place, bare: Bare, count: number): Promise<Round> {
  const looped = await sentBy(bare.process, count, () => bare.send(count))
  return { own: await ownRound(place, count), bare: looped }
}

function ownRound({ books, receiver, gateway }: Place, count: number): Promise<Sent> {
  const rows = Array.from({ length: count }, (_, at) => eventFor(`fine-${at % endpoints}`))
  const before = receiver.count()
  return sentBy(gateway, count, async () => {
    await commit(books, rows)
    await receiver.until(before + count, waitMs)
  })
}

async function sentBy(process: Running, count: number, send: () => Promise<unknown>): Promise<Sent> {
  const cpuBefore = cpuMsOf(process)
  const began = performance.now()
  await send()
  const rate = (count * 1000) / (performance.now() - began)
  return { rate, cpuUs: ((cpuMsOf(process) - cpuBefore) * 1000) / count }
}

interface Bare {
  readonly process: Running
  send(count: number): Promise<number>
  end(): Promise<void>
}

async function startBare(folder: string, { origin }: EventReceiver): Promise<Bare> {
  const running: Running = startPinned({
    name: 'the bare loop of signed POSTs',
    core: serverCore,
    command: [
      nodePath(),
      new URL('../bare-webhooks.ts', import.meta.url).pathname,
      origin,
      String(bodyBytes),
      String(inFlight),
    ],
    cwd: folder,
    log: `${folder}/bare-webhooks.log`,
    talks: true,
  })
  const heard = () =>
    new Promise<unknown>((resolve, reject) => {
      running.child.once('message', resolve)
      running.child.once('exit', () => reject(new Error(`The bare loop ended: ${running.tail()}`)))
    })
  await heard()
  return {
    process: running,
    async send(count) {
      const answer = heard()
      running.child.send(count)
      return Number(await answer)
    },
    end: () => running.end(),
  }
}

/** From the commit to the receiver, at a steady rate; then the same while half of the endpoints hang. */
async function latency(
  { report }: Bench,
  books: Gateway,
  receiver: EventReceiver,
  rate: number,
  seconds: number,
) {
  const targets = Array.from({ length: endpoints }, (_, at) => `fine-${at}`)
  report.progress(`webhooks one by one, ${rate.toFixed(0)} a second`)
  await steady(books, receiver, targets, rate, 1)
  const alone = await steady(books, receiver, targets, rate, seconds)
  const detail = `${rate.toFixed(0)} a second, a tenth of the dispatch`
  const subject = 'webhooks'
  const judge = (target: string, share: number, bound: number) =>
    report.judge({
      subject,
      target,
      unit: 'ms',
      values: [quantile(alone, share)],
      bound: { is: 'at most', must: bound },
      detail,
    })
  judge('commit → receiver, p50', 0.5, must.p50)
  judge('commit → receiver, p99', 0.99, must.p99)
  await channelsFor(books, receiver, 'hang', endpoints, '/hang')
  const hanging = Array.from({ length: endpoints }, (_, at) => `hang-${at}`)
  report.progress('webhooks while half of the endpoints hang')
  // Each hanging endpoint has more waiting than it may have in flight.
  await commit(
    books,
    hanging.flatMap((channel) => Array.from({ length: 100 }, () => eventFor(channel))),
  )
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const beside = await steady(books, receiver, targets, rate, seconds)
  report.judge({
    subject,
    target: `commit → receiver, p99, while ${endpoints} of ${2 * endpoints} endpoints hang / without them`,
    unit: '×',
    values: [quantile(beside, 0.99) / quantile(alone, 0.99)],
    bound: { is: 'at most', must: must.hanging },
    detail: `${quantile(beside, 0.99).toFixed(1)} ms to ${quantile(alone, 0.99).toFixed(1)} ms`,
  })
}

async function steady(
  books: Gateway,
  receiver: EventReceiver,
  channels: readonly string[],
  rate: number,
  seconds: number,
): Promise<number[]> {
  const committedAt = new Map<string, number>()
  const commits: Promise<void>[] = []
  const began = performance.now()
  const before = receiver.count()
  for (let at = 0; at < rate * seconds; at++) {
    const row = eventFor(channels[at % channels.length] ?? '')
    commits.push(commit(books, [row]).then(() => void committedAt.set(row.event_id, performance.now())))
    const early = began + ((at + 1) * 1000) / rate - performance.now()
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
  }
  await Promise.all(commits)
  await receiver.until(before + commits.length, waitMs)
  return [...committedAt].map(([id, at]) => Math.max(0, (receiver.cameAt.get(id) ?? Number.NaN) - at))
}

/** Finding work with little and with much waiting at the same endpoints. */
async function backlog({ report, options }: Bench, books: Gateway, waiting: number) {
  const { db } = books.store
  const { rows: queues } = await sql<{ endpoint_id: string; channel_code: string }>`
    select q.endpoint_id, e.channel_code from webhook_queues as q
    join webhook_endpoints as e on e.endpoint_id = q.endpoint_id where e.channel_code like 'fine-%'`.execute(
    db,
  )
  const fill = async (count: number, from: number) => {
    const each = Math.ceil(count / queues.length)
    for (const { endpoint_id, channel_code } of queues) {
      await sql`
        insert into webhook_deliveries (delivery_id, channel_code, endpoint_id, event_id, event_number, event_type,
          status, attempts, due_at, ahead_ms, created_at)
        select 'whd_' || ${sql.lit(endpoint_id)} || i, ${sql.lit(channel_code)}, ${sql.lit(endpoint_id)}, 'evt_backlog_' || i, i,
          'order.created', 'pending', 0, 1000000 + i, 0, 0
        from generate_series(${sql.lit(from)}::bigint, ${sql.lit(from + each - 1)}::bigint) as i`.execute(db)
    }
    await sql`update webhook_queues set due_at = 1, leased_until = 0, leased_by = null`.execute(db)
    await sql`vacuum analyze webhook_deliveries`.execute(db)
  }
  const claimMs = async () => {
    const times: number[] = []
    for (let at = 0; at < 40 * options.rounds; at++) {
      const began = performance.now()
      const leased = await leaseQueues(books, 'bench', queues.length)
      const cursors = leased.map((endpoint_id) => ({ endpoint_id, due_at: -1, event_number: -1 }))
      await readDue(books, cursors, 64)
      times.push(performance.now() - began)
      await releaseQueues(
        books,
        'bench',
        leased.map((endpoint_id) => ({ endpoint_id, last_success_at: null, due_at: null })),
      )
    }
    return times
  }
  report.progress('finding what is due')
  await fill(10_000, 1)
  await claimMs()
  const few = await claimMs()
  report.progress(`finding what is due among ${waiting.toLocaleString('en')}`)
  await fill(waiting, 1_000_000)
  await claimMs()
  const many = await claimMs()
  report.judge({
    subject: 'webhooks',
    target: `claim with ${waiting.toLocaleString('en')} deliveries waiting / with 10,000`,
    unit: '×',
    values: [median(many) / median(few)],
    bound: { is: 'at most', must: must.backlog },
    detail: `${median(many).toFixed(2)} ms to ${median(few).toFixed(2)} ms`,
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
