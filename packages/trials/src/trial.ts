/**
 * The trial: goods out of real order lines, a gateway and its ERP on them, a client that pulls the warehouse and
 * follows its feed while a month of sales moves the ERP's stock, and the proof that the client's copy is right.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalogueCsv } from '../../sandbox-erp/src/catalogue/from-orders.ts'
import { allowPoints, type Spent, signIn } from './client.ts'
import { Follower } from './follower.ts'
import { chosenMonth, type Orders, readOrders, type SalesTally, salesOf } from './orders.ts'
import type { Progress } from './progress.ts'
import { differentQuantities, proved, type Verdict } from './proof.ts'
import { type Replayed, replay } from './replay.ts'
import { type RunningGateway, startGateway } from './running-gateway.ts'

/** The warehouse that the trial is about, and the sandbox's own channel. */
export const warehouse_code = 'AUSYD1'
export const channel_code = 'sandbox'
/** A follower that is up to date looks again after so long. */
const pollMs = 50
/** So often the follower, up to date, looks for the last acknowledged movements before they count as missing. */
const mostLooks = 300

/** What a trial is run on. */
export interface TrialOptions {
  readonly orders: string
  /** `YYYY-MM`; undefined: the first whole month of the file. */
  readonly month: string | undefined
  readonly points_per_minute: number
  /** An empty directory of its own. */
  readonly directory: string
}

/** Everything that the summary tells. */
export interface TrialResult {
  readonly orders: Orders
  readonly month: string
  readonly catalogue_left_out: RunningGateway['left_out']
  readonly sales: SalesTally
  readonly replayed: Replayed
  readonly replay_ms: number
  /** From the ERP's last acknowledgement until the follower had it; undefined where it never did. */
  readonly lag_ms: number | undefined
  readonly follower: Follower
  readonly spent: Readonly<Spent>
  readonly verdict: Verdict
}

/**
 * Runs a trial. Throws `NoSuchMonth`, `UnreadableFile`, `GatewayFailed`, `Unanswered`, `FeedBroken`, or the reason
 * of `signal`.
 */
export async function runTrial(
  options: TrialOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<TrialResult> {
  progress.step(`Reading order lines from ${options.orders}`)
  const orders = await readOrders(options.orders, signal, (share, lines) =>
    progress.at(share, `${lines.toLocaleString('en')} lines`),
  )
  const month = chosenMonth(orders.months, options.month)
  const catalogue = join(options.directory, 'catalogue.csv')
  await writeFile(catalogue, catalogueCsv(orders.catalogue.rows, warehouse_code))
  progress.step(`Starting a gateway and its ERP on ${orders.catalogue.rows.length.toLocaleString('en')} SKUs`)
  const gateway = await startGateway(options.directory, catalogue, signal)
  try {
    const alive = AbortSignal.any([signal, gateway.ended])
    return { orders, month, ...(await trialAt(gateway, options, orders, month, progress, alive)) }
  } finally {
    progress.step('Ending the gateway and its ERP')
    await gateway.stop()
  }
}

async function trialAt(
  gateway: RunningGateway,
  options: TrialOptions,
  orders: Orders,
  month: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Omit<TrialResult, 'orders' | 'month'>> {
  const { points_per_minute } = options
  progress.step(
    `Allowing the channel "${channel_code}" ${points_per_minute} points a minute, as its operator`,
  )
  await allowPoints(gateway.base_url, gateway.admin_token, channel_code, points_per_minute, signal)
  const client = await signIn(gateway.base_url, gateway, signal)
  const follower = new Follower(client, warehouse_code)
  await follower.pull()
  progress.step(`Pulled ${follower.rows.size.toLocaleString('en')} rows of ${warehouse_code}`)

  const leftOut = new Set(gateway.left_out.map(({ sku }) => sku))
  const goods = orders.catalogue.rows.filter(({ sku }) => !leftOut.has(sku))
  const opening = new Map(goods.map(({ sku, quantity }) => [sku, quantity]))
  const month_lines = orders.months.linesIn(month)
  progress.step(`Replaying ${month_lines.toLocaleString('en')} lines of ${month} while the client follows`)
  const onBatch = (lines: number) => {
    const { pages, rows_received } = follower
    const told = `${lines.toLocaleString('en')} lines; the client has ${pages} pages, ${rows_received.toLocaleString('en')} rows`
    progress.at(lines / month_lines, told)
  }
  const course = { gateway, follower, opening, path: options.orders, month, onBatch }
  const moved = await movedAndFollowed(course, signal)
  progress.step('Comparing the copy with a fresh pull, with the checksums and with the ERP')
  const verdict = await proved(follower, new Follower(client, warehouse_code), moved.expected)
  return { ...moved, follower, catalogue_left_out: gateway.left_out, spent: client.spent, verdict }
}

interface Course {
  readonly gateway: RunningGateway
  readonly follower: Follower
  /** The quantity on hand of every SKU before the month. */
  readonly opening: ReadonlyMap<string, number>
  readonly path: string
  readonly month: string
  readonly onBatch: (lines: number) => void
}

/** Moves the ERP's stock and follows the feed at the same time; where one of the two fails, the other ends. */
async function movedAndFollowed(course: Course, signal: AbortSignal) {
  const { follower, opening, path, month } = course
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  const endOther = (error: unknown): never => {
    failed.abort(error)
    throw error
  }
  const sales: SalesTally = { lines: 0, kinds: new Map(), not_moved: new Map() }
  const movements = salesOf(path, month, (sku) => opening.has(sku), sales)
  const expected = new Map(opening)
  const began = performance.now()
  let acknowledged: number | undefined
  const moving = async () => {
    const erp = { ...course.gateway, warehouse_code }
    const replayed = await replay(movements, erp, both, () => course.onBatch(sales.lines))
    for (const [sku, change] of replayed.changes) expected.set(sku, (expected.get(sku) ?? 0) + change)
    acknowledged = performance.now()
    return replayed
  }
  let [looks, arrived] = [0, false]
  const isOver = () => {
    if (acknowledged === undefined) return false
    looks += 1
    arrived = differentQuantities(follower.rows, expected).length === 0
    return arrived || looks > mostLooks
  }
  const [replayed] = await Promise.all([
    moving().catch(endOther),
    followed(follower, isOver, both).catch(endOther),
  ])
  const ended = performance.now()
  const replay_ms = (acknowledged ?? ended) - began
  const lag_ms = arrived ? ended - began - replay_ms : undefined
  return { sales, replayed, expected, replay_ms, lag_ms }
}

/** Follows the feed until nothing is left to come and `isOver`. */
async function followed(follower: Follower, isOver: () => boolean, signal: AbortSignal): Promise<void> {
  for (;;) {
    while (await follower.page()) signal.throwIfAborted()
    if (isOver()) return
    await wait(pollMs, undefined, { signal })
  }
}
