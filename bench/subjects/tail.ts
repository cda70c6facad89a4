/**
 * Measures the tail of one-row reads while the gateway does everything else: 10,000 rows change, a full pull runs and
 * 1,000 webhooks leave. The reads arrive at 70 % of the capacity. On PostgreSQL, because only there another process can
 * commit the events.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Subject } from '../bench.ts'
import { openEventReceiver } from '../event-receiver.ts'
import { type RunningGateway, readLatestVersion, startGateway } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import { openInternals } from '../internals.ts'
import { type Load, runLoad, type Target } from '../load.ts'
import { ParityError } from '../parity.ts'
import { sendRequest } from '../send-request.ts'
import { median } from '../statistics.ts'
import { commitEvents, createEvents, openEndpoints, type WebhookSetup } from './webhooks.ts'

const share = 0.7
const connections = 64
const changedRows = 10_000
const webhooks = 1_000
const seconds = 2
const withinMs = 60_000
const pollMs = 20

export const measureTail: Subject = async (bench) => {
  const { databaseUrl, repeats } = bench.options
  if (databaseUrl === undefined) {
    bench.report.addNote('the tail is measured on PostgreSQL only: set TEST_DATABASE_URL')
    return
  }
  const filled = await bench.provideStock('large', { databaseUrl })
  const stock = { ...filled, settings: { ...filled.settings, WEBHOOK_ALLOW_PRIVATE_NETS: '1' } }
  const receiver = await openEventReceiver()
  const internals = await openInternals(stock.settings)
  const gateway = await startGateway(stock)
  const setup = { internals, receiver, gateway }
  const rounds: Round[] = []
  try {
    await openEndpoints(setup, 'fine')
    for (let round = 0; round < repeats; round++) rounds.push(await measureRound(setup, round))
  } finally {
    await gateway.end()
    await internals.store.close()
    receiver.close()
  }
  const [p50, p99, perSecond, capacity] = [
    median(rounds.map(({ busy }) => busy.p50Us / 1000)).toFixed(1),
    median(rounds.map(({ busy }) => busy.p99Us / 1000)).toFixed(1),
    median(rounds.map(({ busy }) => busy.perSecond)).toFixed(0),
    median(rounds.map((each) => each.capacity)).toFixed(0),
  ]
  const what = `${formatCount(changedRows)} of ${formatCount(stock.rows)} rows change, a pull runs, ${formatCount(webhooks)} webhooks leave`
  bench.report.judge({
    subject: 'tail',
    target: `one row, while ${what}: p99 / p50`,
    unit: '×',
    values: rounds.map(({ busy }) => busy.p99Us / busy.p50Us),
    bound: { is: 'at most', must: 5, stretch: 3 },
    detail: `${p99} ms to ${p50} ms, ${perSecond} of ${capacity} a second`,
  })
}

interface Round {
  /** The reads in a second that the gateway serves if it does nothing else. */
  readonly capacity: number
  /** The reads while everything else happens. */
  readonly busy: Load
}

async function measureRound({ internals, receiver, gateway }: WebhookSetup, round: number): Promise<Round> {
  const { stockUrl, headers, process: server, stock, erp } = gateway
  const url = `${stockUrl}?sku=${formatSku(0)}`
  const reads: Target = { url, headers, connections, server, goesFirst: true }
  const { perSecond: capacity } = await runLoad(reads, seconds)
  // A connection sends its next request after the wait and the time that a read takes.
  const waitMs = ((connections / share - 1) / capacity) * 1000
  const version = await readLatestVersion(gateway)
  const received = receiver.countRequests()
  const { deliveredAt } = erp.change(chooseSkus(stock.rows, round))
  await Promise.race([deliveredAt, pause(withinMs, undefined, { ref: false }).then(throwLateError)])
  const [busy] = await Promise.all([
    runLoad({ ...reads, waitMs }, seconds),
    sendRequest(stockUrl, { headers }),
    commitEvents(internals, createEvents(webhooks)),
  ])
  // Otherwise the reads would have been measured beside less than the title says.
  await receiver.waitForCount(received + webhooks, withinMs)
  await waitForVersion(gateway, version + changedRows)
  return { capacity, busy }
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Chooses rows that are no neighbours, so that as many blocks as possible are built anew. */
function chooseSkus(rows: number, round: number): string[] {
  const step = Math.floor(rows / changedRows)
  return Array.from({ length: changedRows }, (_, at) => formatSku(at * step + (round % step)))
}

async function waitForVersion(gateway: RunningGateway, version: number): Promise<void> {
  for (const end = performance.now() + withinMs; (await readLatestVersion(gateway)) < version; ) {
    if (performance.now() > end) throwLateError()
    await pause(pollMs)
  }
}

function throwLateError(): never {
  throw new ParityError(`The gateway did not take over ${changedRows} changes in time.`)
}
