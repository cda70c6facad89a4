/**
 * The replay: reads orders from order lines, starts a gateway and an ERP, places the orders with or without faults,
 * waits until every outcome is known, ships everything, and compares the books.
 */

import type { Progress } from '@trade-gateway/connector-kit/progress'
import { type JudgedHistory, startHistory } from '../judged-history.ts'
import { type Orders, readOrders } from '../orders.ts'
import type { StatementProof } from '../statement/proof.ts'
import type { Tally } from '../tally.ts'
import type { BuyerCounts } from './buyer.ts'
import { matchVoids, type Void } from './cancellations.ts'
import { erpKinds } from './erp-kinds.ts'
import { EventFollower } from './event-follower.ts'
import { FaultInjector } from './fault-injector.ts'
import type { Finding } from './finding.ts'
import { followWhile, recordFeed } from './followed-events.ts'
import { FollowedStock } from './followed-stock.ts'
import { InvoiceCollector, type Invoices, requireOrders, type WholesaleOrder } from './invoices.ts'
import type { ReplayOptions } from './options.ts'
import { placeAndVoidOrders } from './place-all.ts'
import type { Entry } from './place-order.ts'
import { reconcile } from './reconcile.ts'
import { findMoneyFaults, readStatement } from './reconcile-money.ts'
import { recordBooks, recordOpening } from './recorded-books.ts'
import { recordOrders } from './recorded-orders.ts'
import { type ReplaySystem, readShipping, withReplaySystem } from './replay-system.ts'
import { pollOrdersWhile, readSettledBooks } from './settled-books.ts'
import { toStop, toVictim } from './victims.ts'

/**
 * The maximum time in milliseconds to wait until every outcome is known. If the ERP answers for a reference, the gateway
 * guarantees that this takes at most 15 minutes after the ERP is back.
 */
const settleTimeoutMs = { dedupe: 900_000, lookup: 900_000, settle: 900_000, neither: 10_000 } as const
/** Everything that the summary and the report show. */
export interface ReplayResult {
  readonly source: { readonly orders: Orders; readonly invoices: Invoices }
  /** The placed orders and voids, and the number of orders that `--limit` left out. */
  readonly placed: { readonly orders: number; readonly voids: readonly Void[]; readonly beyond_limit: number }
  readonly cancellations_left_out: Tally
  readonly placing_ms: number
  readonly settling_ms: number
  readonly counts: Readonly<BuyerCounts>
  readonly tokens: number
  readonly faults: Tally
  /** The kills by the name of the process. */
  readonly kills: Readonly<Record<string, number>>
  /** The same after each named step of a write; empty if the ERP's writes have none. */
  readonly killsAfterSteps: FaultInjector['killsAfterSteps']
  /** The errors in the gateway's log: their number, and the first lines. */
  readonly logged: { readonly count: number; readonly first: readonly string[] }
  readonly entries: readonly Entry[]
  readonly documents: number
  readonly rows: number
  /** The number of times that a follower's copy of the stock was compared with the checksum of its version. */
  readonly proofs: number
  /** Undefined for an ERP without a ledger. */
  readonly statement: StatementProof | undefined
  /** What the ERP is left with that a person has to look at. */
  readonly leftovers: readonly string[]
  readonly findings: readonly Finding[]
}

interface ReplayPlan {
  readonly wanted: ReplayOptions
  readonly orders: readonly WholesaleOrder[]
  readonly voids: readonly Void[]
}

interface ReplayRun {
  readonly path: string
  readonly directory: string
  readonly progress: Progress
}

/** Replays the file at `path` in an empty directory. Throws the errors of its parts. */
export async function runReplay(
  wanted: ReplayOptions,
  { path, directory, progress }: ReplayRun,
  signal: AbortSignal,
): Promise<ReplayResult> {
  const kind = erpKinds[wanted.erp]
  const source = await readSource(path, { progress, max_lines: kind.max_lines }, signal)
  const all = source.invoices.orders
  const orders = wanted.limit === undefined ? all : all.slice(0, wanted.limit)
  const cancellations_left_out: Tally = new Map(source.invoices.left_out.cancellations)
  const voids = matchVoids(orders, source.invoices.cancellations, cancellations_left_out)
  const { erp_class, postgres } = wanted
  let onResponse = () => {}
  const plan = {
    kind,
    directory,
    orders,
    rows: source.orders.catalogue.rows,
    erp_class,
    postgres,
    report: (line: string) => progress.beginStep(line),
    onResponse: () => onResponse(),
  }
  progress.beginStep(`Starting a gateway and an ERP (${wanted.erp}, ${erp_class})`)
  const course = { wanted, orders, voids }
  const outcome = await withReplaySystem(plan, signal, (system, alive) => {
    // A history that is replaced is lost, so everything that can be wrong with the servers comes first.
    const history = startHistory(wanted.history, directory)
    const faults = createFaultInjector(system, course)
    onResponse = () => faults.countResponse()
    return placeAndReconcile(
      { system, course, history, faults, progress },
      AbortSignal.any([alive, faults.failed]),
    )
  })
  const placed = { orders: orders.length, voids, beyond_limit: all.length - orders.length }
  return { source, placed, cancellations_left_out, ...outcome }
}

async function readSource(
  path: string,
  { progress, max_lines }: { readonly progress: Progress; readonly max_lines: number },
  signal: AbortSignal,
) {
  progress.beginStep(`Reading order lines from ${path}`)
  const collector = new InvoiceCollector()
  const onLines = (share: number, lines: number) =>
    progress.showShare(share, `${lines.toLocaleString('en')} lines`)
  const orders = await readOrders(path, { onLines, onLine: (line) => collector.add(line) }, signal)
  const goods = new Set(orders.catalogue.rows.map(({ sku }) => sku))
  const invoices = collector.createInvoices((sku) => goods.has(sku), max_lines)
  requireOrders(path, orders, invoices)
  return { orders, invoices }
}

function createFaultInjector({ erp, gateway }: ReplaySystem, { wanted, orders }: ReplayPlan): FaultInjector {
  const { orders_per_kill, orders_per_stop } = erpKinds[wanted.erp]
  const victim = toVictim('gateway', gateway.process)
  const stops =
    orders_per_stop === undefined
      ? undefined
      : { blows: [victim, ...erp.victims].map(toStop), orders_per_blow: orders_per_stop }
  return new FaultInjector(
    { gateway: victim, erp, stops },
    { seed: wanted.seed, orders: orders.length, orders_per_kill },
  )
}

interface RunningReplay {
  readonly system: ReplaySystem
  readonly course: ReplayPlan
  readonly history: JudgedHistory
  readonly faults: FaultInjector
  readonly progress: Progress
}

async function placeAndReconcile(replay: RunningReplay, signal: AbortSignal) {
  const { system, faults, progress } = replay
  const { buyer, reader, databaseUrl } = system
  const { history } = replay
  const { warehouses, has_ledger } = erpKinds[replay.course.wanted.erp]
  const stock = await FollowedStock.begin({ client: reader, warehouses, history, databaseUrl })
  const events = new EventFollower(reader)
  const began = performance.now()
  let placing_ms = 0
  const entries = await followWhile([events, ...stock.followers], async () => {
    const placed = await placeOrders(replay, signal)
    placing_ms = performance.now() - began
    return placed
  })
  await faults.end()
  const books = await settleAndReadBooks(replay, entries, signal)
  const copies = await stock.compareCopies(books)
  const unnoted = await stock.recordCommits(entries.some(({ outcome }) => outcome === 'confirmed'))
  recordBooks(history.recorder, books)
  await stock.waitUntilAnnounced(events)
  await recordFeed(history.recorder, reader, events)
  progress.beginStep('Judging the history')
  const impossible = await history.judge()
  progress.beginStep('Proving the statement')
  const statement = has_ledger ? await readStatement((path) => buyer.read(path)) : undefined
  const balance = await system.erp.readBalance()
  return {
    placing_ms,
    settling_ms: performance.now() - began - placing_ms,
    counts: buyer.counts,
    tokens: buyer.tokens,
    faults: faults.faults,
    kills: faults.kills,
    killsAfterSteps: faults.killsAfterSteps,
    logged: system.gateway.process.errors,
    entries,
    documents: books.erp.documents.length,
    proofs: stock.proofs,
    rows: [...books.erp.stock.values()].reduce((sum, snapshot) => sum + snapshot.size, 0),
    statement: statement?.proof,
    leftovers: await system.erp.listLeftovers(),
    findings: [
      ...reconcile(books),
      ...copies,
      ...unnoted,
      ...impossible,
      ...(statement ? findMoneyFaults(statement, entries, balance) : []),
    ],
  }
}

async function placeOrders(
  { system, course, history, faults, progress }: RunningReplay,
  signal: AbortSignal,
) {
  const { buyer } = system
  const { wanted, orders, voids } = course
  const shipping = await readShipping(buyer)
  if (wanted.faults) await faults.begin()
  progress.beginStep(`Placing ${orders.length.toLocaleString('en')} orders, ${wanted.concurrency} at once`)
  const jobs = orders.length + voids.length
  const began = performance.now()
  const onDone = (done: number) => {
    faults.countOrder(Math.floor((orders.length * done) / jobs))
    const perSecond = (done * 1000) / (performance.now() - began)
    const rate = perSecond.toFixed(perSecond < 10 ? 1 : 0)
    const count = `${done.toLocaleString('en')} of ${jobs.toLocaleString('en')}, ${rate}/s`
    progress.showShare(done / jobs, `${count}${formatRetries(system, faults)}`)
  }
  const { concurrency } = wanted
  recordOpening(history.recorder, system.erp.opening)
  const recorded = recordOrders(buyer, history.recorder)
  return placeAndVoidOrders(recorded, { orders, voids, shipping, concurrency, onDone }, signal)
}

async function settleAndReadBooks(
  { system, course, progress }: RunningReplay,
  entries: readonly Entry[],
  signal: AbortSignal,
) {
  const { buyer, erp } = system
  const { wanted } = course
  progress.beginStep('Waiting until all outcomes are known, then shipping everything')
  const maxMs = settleTimeoutMs[wanted.erp_class]
  await pollOrdersWhile(buyer, { isOpen: ({ in_doubt }) => in_doubt, maxMs }, signal)
  await erp.shipAll((share, text) => progress.showShare(share, text))
  progress.beginStep('Comparing the records of the client, the gateway and the ERP')
  const { warehouses } = erpKinds[wanted.erp]
  return readSettledBooks({ buyer, erp, warehouses }, { opening: erp.opening, entries }, signal)
}

function formatRetries({ buyer }: ReplaySystem, { kills }: FaultInjector): string {
  const retries = [...buyer.counts.retries.values()].reduce((sum, times) => sum + times, 0)
  const killed = Object.values(kills).reduce((sum, times) => sum + times, 0)
  return `, ${retries} retries${killed > 0 ? `, ${killed} kills` : ''}`
}
