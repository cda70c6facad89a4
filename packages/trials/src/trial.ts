/**
 * The trial of the change feed. It creates goods from real order lines and starts a gateway and its ERP on them. A
 * mirror of the SDK pulls the warehouse and follows its feed while one month of sales changes the ERP's stock. At the
 * end the trial proves that the mirror's copy is correct, without code of the SDK but for its tokens and retries.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Progress } from '@trade-gateway/connector-kit/progress'
import { toCatalogueCsv } from '../../sandbox-erp/src/catalogue/from-orders.ts'
import { type Spent, setPointsPerMinute, signIn } from './client.ts'
import { Follower } from './follower.ts'
import { MirroredStock } from './mirrored-stock.ts'
import { chooseMonth, type Orders, readOrders, readSales, type SalesTally } from './orders.ts'
import { findDifferentQuantities, proveCopy, type Verdict } from './proof.ts'
import { type ReplayTotals, replaySales } from './replay.ts'
import { type RunningGateway, startGateway } from './running-gateway.ts'

/** The warehouse of the trial, and the sandbox's own channel. */
export const warehouse_code = 'AUSYD1'
export const channel_code = 'sandbox'
/** The polling interval of a follower that is up to date, in milliseconds. */
const pollMs = 50
/** The maximum number of polls until the copy has the last acknowledged movements. After that they count as missing. */
const maxLooks = 300

/** The input of a trial. */
export interface TrialOptions {
  readonly orders: string
  /** `YYYY-MM`; undefined means the first complete month of the file. */
  readonly month: string | undefined
  readonly points_per_minute: number
  /** An empty directory for this trial. */
  readonly directory: string
}

/** Everything that the summary shows. */
export interface TrialResult {
  readonly orders: Orders
  readonly month: string
  readonly catalogue_left_out: RunningGateway['left_out']
  readonly sales: SalesTally
  readonly replayed: ReplayTotals
  readonly replay_ms: number
  /** The time from the ERP's last acknowledgement until the follower had it; undefined if it never arrived. */
  readonly lag_ms: number | undefined
  readonly mirrored: MirroredStock
  readonly spent: Readonly<Spent>
  readonly verdict: Verdict
}

/**
 * Runs a trial. Throws `NoSuchMonth`, `UnreadableFile`, `ProcessFailed`, `NoUsableResponse`, `GatewayError`,
 * `MirrorError`, or the reason of `signal`.
 */
export async function runTrial(
  options: TrialOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<TrialResult> {
  progress.beginStep(`Reading order lines from ${options.orders}`)
  const orders = await readOrders(
    options.orders,
    { onLines: (share, lines) => progress.showShare(share, `${lines.toLocaleString('en')} lines`) },
    signal,
  )
  const month = chooseMonth(orders.months, options.month)
  const catalogue = join(options.directory, 'catalogue.csv')
  await writeFile(catalogue, toCatalogueCsv(orders.catalogue.rows, warehouse_code))
  progress.beginStep(
    `Starting a gateway and its ERP on ${orders.catalogue.rows.length.toLocaleString('en')} SKUs`,
  )
  const gateway = await startGateway(options.directory, catalogue, signal)
  try {
    const alive = AbortSignal.any([signal, gateway.ended])
    return { orders, month, ...(await runOnGateway({ gateway, options, orders, month, progress }, alive)) }
  } finally {
    progress.beginStep('Ending the gateway and its ERP')
    await gateway.stop()
  }
}

interface Trial {
  readonly gateway: RunningGateway
  readonly options: TrialOptions
  readonly orders: Orders
  readonly month: string
  readonly progress: Progress
}

async function runOnGateway(
  { gateway, options, orders, month, progress }: Trial,
  signal: AbortSignal,
): Promise<Omit<TrialResult, 'orders' | 'month'>> {
  const { points_per_minute } = options
  progress.beginStep(
    `Allowing the channel "${channel_code}" ${points_per_minute} points a minute, as its operator`,
  )
  await setPointsPerMinute(gateway, { channel_code, points_per_minute }, signal)
  const client = signIn(gateway.base_url, gateway, signal)
  const mirrored = new MirroredStock(client.gateway, warehouse_code, signal)
  await mirrored.sync()
  progress.beginStep(`Pulled ${mirrored.rows.size.toLocaleString('en')} rows of ${warehouse_code}`)

  const leftOut = new Set(gateway.left_out.map(({ sku }) => sku))
  const goods = orders.catalogue.rows.filter(({ sku }) => !leftOut.has(sku))
  const opening = new Map(goods.map(({ sku, quantity }) => [sku, quantity]))
  const month_lines = orders.months.countLines(month)
  progress.beginStep(
    `Replaying ${month_lines.toLocaleString('en')} lines of ${month} while the client follows`,
  )
  const onBatch = (lines: number) => {
    const { pages, rows_received } = mirrored
    const detail = `${lines.toLocaleString('en')} lines; the client has ${pages} pages, ${rows_received.toLocaleString('en')} rows`
    progress.showShare(lines / month_lines, detail)
  }
  const course = { gateway, mirrored, opening, path: options.orders, month, onBatch }
  const moved = await moveAndFollow(course, signal)
  progress.beginStep('Comparing the copy with a fresh pull, with the checksums and with the ERP')
  const verdict = await proveCopy(mirrored, new Follower(client, warehouse_code), moved.expected)
  return { ...moved, mirrored, catalogue_left_out: gateway.left_out, spent: client.spent, verdict }
}

interface ReplaySetting {
  readonly gateway: RunningGateway
  readonly mirrored: MirroredStock
  /** The quantity on hand of every SKU before the month. */
  readonly opening: ReadonlyMap<string, number>
  readonly path: string
  readonly month: string
  readonly onBatch: (lines: number) => void
}

/**
 * Sends the sales to the ERP as stock movements and follows the change feed at the same time. If one of the two fails,
 * the other is aborted.
 */
async function moveAndFollow(course: ReplaySetting, signal: AbortSignal) {
  const { mirrored, opening, path, month } = course
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  const endOther = (error: unknown): never => {
    failed.abort(error)
    throw error
  }
  const sales: SalesTally = { lines: 0, kinds: new Map(), not_moved: new Map() }
  const movements = readSales(path, { month, isGoods: (sku) => opening.has(sku) }, sales)
  const expected = new Map(opening)
  const began = performance.now()
  let acknowledged: number | undefined
  const moveStock = async () => {
    const erp = { ...course.gateway, warehouse_code, onBatch: () => course.onBatch(sales.lines) }
    const replayed = await replaySales(movements, erp, both)
    for (const [sku, change] of replayed.changes) expected.set(sku, (expected.get(sku) ?? 0) + change)
    acknowledged = performance.now()
    return replayed
  }
  let [looks, arrived] = [0, false]
  const hasCaughtUp = () => {
    if (acknowledged === undefined) return false
    looks += 1
    arrived = findDifferentQuantities(mirrored.rows, expected).length === 0
    return arrived || looks > maxLooks
  }
  const [replayed] = await Promise.all([
    moveStock().catch(endOther),
    followUntil(mirrored, hasCaughtUp, both).catch(endOther),
  ])
  const ended = performance.now()
  const replay_ms = (acknowledged ?? ended) - began
  const lag_ms = arrived ? ended - began - replay_ms : undefined
  return { sales, replayed, expected, replay_ms, lag_ms }
}

/** Follows the change feed until no changes are pending and `isOver` returns true. */
async function followUntil(
  mirrored: MirroredStock,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await mirrored.sync()
    signal.throwIfAborted()
    if (isOver()) return
    await wait(pollMs, undefined, { signal })
  }
}
