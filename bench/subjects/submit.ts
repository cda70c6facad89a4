import { once } from 'node:events'
import type { operations } from '@trade-gateway/connector'
import { ask, type Seen } from '../ask.ts'
import { type Bench, type Subject, storeKinds } from '../bench.ts'
import { nodePath, type RunningGateway, startGateway } from '../gateway.ts'
import { skuOf } from '../goods.ts'
import { credentials, customer, orderAnswers, shippingMethod, submitMs } from '../ordering-erp.ts'
import { BrokenParity } from '../parity.ts'
import { cpuMsOf, freePort, type Running, serverCore, startPinned } from '../processes.ts'
import { profiledWhile } from '../profile.ts'
import { median } from '../statistics.ts'
import type { FilledStock } from '../stock.ts'

/** How much longer a submit takes than the ERP behind it, both asked from the same process, in turns. */
const inFlight = 16
const submitsPerRound = 320
/** Before the engine has compiled what a submit runs through, it takes twice the time. */
const warmRounds = 4
const skus = 8
const adminToken = 'an-admin-token-for-benchmarks-only'
const must = 1.05
const stretch = 1.03
const tailMust = 1.3

export const submit: Subject = async (bench) => {
  for (const kind of storeKinds(bench.options)) {
    const stock = await bench.stock('small', kind)
    const settings = { ...stock.settings, ADMIN_TOKEN: adminToken }
    const gateway = await startGateway({ ...stock, settings }, undefined, orderAnswers)
    const bare = stock.kind === 'postgres' ? await startBare(bench, stock, gateway) : undefined
    try {
      await measured(bench, stock, gateway, bare)
    } finally {
      await bare?.process.end()
      await gateway.end()
    }
  }
}

interface Bare {
  readonly url: string
  readonly process: Running
}

/** The least that such a submit can be, with the gateway's ERP and database. */
async function startBare({ folder }: Bench, stock: FilledStock, { erp }: RunningGateway): Promise<Bare> {
  const port = await freePort()
  const process = startPinned({
    name: 'the bare submit',
    core: serverCore,
    command: [
      nodePath(),
      new URL('../bare-submit.ts', import.meta.url).pathname,
      String(port),
      erp.url,
      erp.token,
    ],
    cwd: folder,
    log: `${folder}/bare-submit.log`,
    env: { DATABASE_URL: stock.settings.DATABASE_URL ?? '' },
    talks: true,
  })
  await once(process.child, 'message')
  return { url: `http://127.0.0.1:${port}`, process }
}

async function measured(
  { options, report }: Bench,
  stock: FilledStock,
  gateway: RunningGateway,
  bare: Bare | undefined,
) {
  const headers = await buyer(gateway)
  const rounds: Round[] = []
  for (let at = 0; at < warmRounds; at++) await round(gateway, headers, bare)
  for (let at = 0; at < options.rounds; at++) {
    report.progress(`submitting on ${stock.kind}, round ${at + 1} of ${options.rounds}`)
    rounds.push(await round(gateway, headers, bare))
  }
  if (options.profile) {
    const drafts = await drafted(gateway, headers)
    await profiledWhile(gateway.process, `a submit on ${stock.kind}`, async () => {
      const times = await submitted(gateway, headers, drafts)
      return times.length
    })
  }
  const ratio = (share: number, of: 'bare' | 'gateway' = 'gateway') =>
    rounds.map((each) => quantile(each[of], share) / quantile(each.erp, share))
  const p50 = (of: 'erp' | 'bare' | 'gateway') =>
    median(rounds.map((each) => quantile(each[of], 0.5))).toFixed(2)
  const cpuMs = median(rounds.map((each) => each.cpuMs)).toFixed(2)
  const isJudged = stock.kind === 'postgres'
  const what = `submit, ERP of ${submitMs} ms, ${inFlight} in flight, ${stock.kind}`
  report.judge({
    subject: 'submit',
    target: `${what}: p50 / the ERP's`,
    unit: '×',
    values: ratio(0.5),
    detail: `${p50('gateway')} ms to ${p50('erp')} ms, ${cpuMs} ms of the gateway's processor each`,
    ...(isJudged ? { bound: { is: 'at most' as const, must, stretch } } : {}),
  })
  if (bare) {
    report.judge({
      subject: 'submit',
      target: `a bare submit of two commits, ${inFlight} in flight: p50 / the ERP's`,
      unit: '×',
      values: ratio(0.5, 'bare'),
      detail: `${p50('bare')} ms to ${p50('erp')} ms: what is possible here`,
    })
  }
  report.judge({
    subject: 'submit',
    target: `${what}: p99 / the ERP's`,
    unit: '×',
    values: ratio(0.99),
    ...(isJudged ? { bound: { is: 'at most' as const, must: tailMust } } : {}),
  })
}

/** A channel's buyer: the bench channel is the customer's, its points have no end. */
async function buyer({ url }: RunningGateway): Promise<Record<string, string>> {
  const admin = { 'x-admin-token': adminToken, 'content-type': 'application/json' }
  const body = JSON.stringify({ customer_code: customer })
  expectStatus(await ask(`${url}/admin/api/channels/rich`, { method: 'PATCH', headers: admin, body }), 200)
  const grant = JSON.stringify({ grant_type: 'password', ...credentials })
  const json = { 'content-type': 'application/json' }
  const seen = expectStatus(
    await ask(`${url}/api/v1/auth/token`, { method: 'POST', headers: json, body: grant }),
    200,
  )
  const { access_token }: { access_token: string } = JSON.parse(seen.body.toString())
  const headers = { ...json, authorization: `Bearer ${access_token}` }
  await whenSellable(url, headers)
  return headers
}

/** The gateway learns of a new customer's catalogue within moments. */
async function whenSellable(url: string, headers: Record<string, string>) {
  for (const until = performance.now() + 30_000; performance.now() < until; ) {
    const seen = await ask(`${url}/api/v1/orders`, { method: 'POST', headers, body: draft(0) })
    if (seen.status === 201) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new BrokenParity('The gateway takes no drafts.')
}

function draft(at: number): string {
  return JSON.stringify({
    lines: [{ sku: skuOf.number(at % skus), quantity: 1 }],
    shipping: { shipping_method_id: shippingMethod },
  })
}

interface Round {
  /** Times of the ERP alone, of a bare submit in front of it (none without PostgreSQL), and of the gateway. */
  readonly erp: readonly number[]
  readonly bare: readonly number[]
  readonly gateway: readonly number[]
  /** Of the gateway's process, for one submit. */
  readonly cpuMs: number
}

type Headers = Readonly<Record<string, string>>

async function round(gateway: RunningGateway, headers: Headers, bare: Bare | undefined): Promise<Round> {
  const drafts = await drafted(gateway, headers)
  const erp = await timed(submitsPerRound, (at) => askErp(gateway, gateway.erp.url, at))
  const least = bare ? await timed(submitsPerRound, (at) => askErp(gateway, bare.url, at)) : []
  const before = cpuMsOf(gateway.process)
  const own = await submitted(gateway, headers, drafts)
  return { erp, bare: least, gateway: own, cpuMs: (cpuMsOf(gateway.process) - before) / submitsPerRound }
}

/** The ids of new drafts. */
async function drafted(gateway: RunningGateway, headers: Headers): Promise<string[]> {
  const drafts: string[] = []
  for (let at = 0; at < submitsPerRound; at++) {
    const seen = await ask(`${gateway.url}/api/v1/orders`, { method: 'POST', headers, body: draft(at) })
    const { data }: { data: { order_id: string } } = JSON.parse(expectStatus(seen, 201).body.toString())
    drafts.push(data.order_id)
  }
  return drafts
}

function submitted(gateway: RunningGateway, headers: Headers, drafts: readonly string[]): Promise<number[]> {
  return timed(drafts.length, (at) =>
    ask(`${gateway.url}/api/v1/orders/${drafts[at]}/submit`, { method: 'POST', headers, body: '{}' }),
  )
}

/** The same order, asked of the ERP itself or of what stands before it. */
function askErp({ erp }: RunningGateway, url: string, at: number): Promise<Seen> {
  const input: Parameters<(typeof operations)['submit']['input']['parse']>[0] = {
    order_type: 'wholesale',
    customer_code: customer,
    session: 'a-session',
    lines: [{ sku: skuOf.number(at % skus), quantity: 1 }],
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
  const headers = { authorization: `Bearer ${erp.token}`, 'content-type': 'application/json' }
  return ask(`${url}/submit`, { method: 'POST', headers, body: JSON.stringify(input) })
}

/** The times of `count` calls, so many in flight all the while. */
async function timed(count: number, call: (at: number) => Promise<Seen>): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const at = next++
      const began = performance.now()
      expectStatus(await call(at), 200)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return times
}

function expectStatus(seen: Seen, status: number): Seen {
  if (seen.status === status) return seen
  throw new BrokenParity(`${seen.status} instead of ${status}: ${seen.body.toString().slice(0, 300)}`)
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
