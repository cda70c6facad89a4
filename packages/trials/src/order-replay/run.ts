/**
 * The replay: orders out of real order lines, a house to place them in, the placing with or without trouble, and then
 * the quiet in which everything is settled, shipped and counted.
 */
import { type Orders, readOrders } from '../orders.ts'
import type { Progress } from '../progress.ts'
import type { StatementProof } from '../statement/proof.ts'
import type { Tally } from '../tally.ts'
import type { Met } from './buyer.ts'
import { type Void, voidsOf } from './cancellations.ts'
import { shippingSeconds } from './erp-process.ts'
import type { Finding } from './finding.ts'
import { type House, inHouse, shippingOf } from './house.ts'
import { type Invoices, Ledger, type WholesaleOrder } from './invoices.ts'
import { catalogueFor, openingFor, type Shelves } from './opening.ts'
import type { Entry } from './placing.ts'
import { quietBooks, shownUntil } from './quiet.ts'
import { reconcile } from './reconcile.ts'
import { moneyFindings, readStatement } from './reconcile-money.ts'
import { placeAll } from './rounds.ts'
import { Trouble } from './trouble.ts'
import type { Wanted } from './wanted.ts'

/** The gateway promises to settle within 15 minutes of the ERP's return. */
const settleTimeoutMs = { dedupe: 900_000, lookup: 900_000, neither: 10_000 } as const
/** The ERP ships so many orders in a turn; some turns more never hurt. */
const ordersPerTurn = 50
const spareTurns = 100

/** Everything that the summary and the report tell. */
export interface Replayed {
  readonly source: { readonly orders: Orders; readonly invoices: Invoices }
  /** What of the file was placed, and what of it was left out beyond `Invoices`. */
  readonly placed: { readonly orders: number; readonly voids: readonly Void[]; readonly beyond_limit: number }
  readonly cancellations_left_out: Tally
  readonly placing_ms: number
  readonly settling_ms: number
  readonly met: Readonly<Met>
  readonly tokens: number
  readonly faults: Tally
  readonly kills: { readonly gateway: number; readonly erp: number }
  /** What the gateway logged as errors. */
  readonly logged: { readonly count: number; readonly first: readonly string[] }
  readonly entries: readonly Entry[]
  readonly documents: number
  readonly rows: number
  readonly statement: StatementProof
  readonly findings: readonly Finding[]
}

interface Course {
  readonly wanted: Wanted
  readonly orders: readonly WholesaleOrder[]
  readonly voids: readonly Void[]
  readonly opening: Shelves
}

/** Runs a replay of the file at `path` in an empty directory. Throws what its parts throw. */
export async function runReplay(
  wanted: Wanted,
  path: string,
  directory: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Replayed> {
  const source = await readSource(path, progress, signal)
  const all = source.invoices.orders
  const orders = wanted.limit === undefined ? all : all.slice(0, wanted.limit)
  const cancellations_left_out: Tally = new Map(source.invoices.left_out.cancellations)
  const voids = voidsOf(orders, source.invoices.cancellations, cancellations_left_out)
  const opening = openingFor(orders)
  const { erp_class, postgres } = wanted
  let onAnswer = () => {}
  const plan = {
    directory,
    catalogue: catalogueFor(source.orders.catalogue.rows, opening),
    erp_class,
    postgres,
    onAnswer: () => onAnswer(),
  }
  progress.step(`Starting a gateway and an ERP (${erp_class})`)
  const course = { wanted, orders, voids, opening }
  const outcome = await inHouse(plan, signal, (house, alive) => {
    const trouble = troubleIn(house, course)
    onAnswer = () => trouble.answered()
    return replayedIn(house, course, trouble, progress, AbortSignal.any([alive, trouble.failed]))
  })
  const placed = { orders: orders.length, voids, beyond_limit: all.length - orders.length }
  return { source, placed, cancellations_left_out, ...outcome }
}

async function readSource(path: string, progress: Progress, signal: AbortSignal) {
  progress.step(`Reading order lines from ${path}`)
  const ledger = new Ledger()
  const onLines = (share: number, lines: number) => progress.at(share, `${lines.toLocaleString('en')} lines`)
  const orders = await readOrders(path, signal, onLines, (line) => ledger.add(line))
  const goods = new Set(orders.catalogue.rows.map(({ sku }) => sku))
  return { orders, invoices: ledger.close((sku) => goods.has(sku)) }
}

function troubleIn({ erp, gateway, desk }: House, { wanted, orders }: Course): Trouble {
  const victims = { gateway: gateway.process, erp: erp.process, desk }
  return new Trouble(victims, wanted.erp_class, wanted.seed, orders.length)
}

async function replayedIn(
  house: House,
  course: Course,
  trouble: Trouble,
  progress: Progress,
  signal: AbortSignal,
) {
  const { buyer, desk } = house
  const { wanted, orders, voids } = course
  const shipping = await shippingOf(buyer)
  if (wanted.faults) await trouble.begin()
  progress.step(`Placing ${orders.length.toLocaleString('en')} orders, ${wanted.concurrency} at once`)
  const jobs = orders.length + voids.length
  const began = performance.now()
  const onDone = (done: number) =>
    progress.at(done / jobs, toldOf(done, jobs, performance.now() - began, house, trouble))
  const entries = await placeAll(
    buyer,
    { orders, voids, shipping, concurrency: wanted.concurrency, onDone },
    signal,
  )
  const placing_ms = performance.now() - began
  await trouble.end()

  progress.step('Waiting until nothing is in doubt, then shipping everything')
  await shownUntil(
    buyer,
    settleTimeoutMs[wanted.erp_class],
    signal,
    (shown) => !shown.some(({ in_doubt }) => in_doubt),
  )
  await desk.shipAll(shippingSeconds * 2, Math.ceil(orders.length / ordersPerTurn) + spareTurns)
  progress.step('Comparing the books of the client, the gateway and the ERP')
  const books = await quietBooks(course.opening, buyer, desk, entries, signal)
  progress.step('Proving that the statement adds up')
  const statement = await readStatement((path) => buyer.read(path))
  return {
    placing_ms,
    settling_ms: performance.now() - began - placing_ms,
    met: buyer.met,
    tokens: buyer.tokens,
    faults: trouble.faults,
    kills: trouble.kills,
    logged: house.gateway.process.errors,
    entries,
    documents: books.erp.documents.length,
    rows: [...books.erp.stock.values()].reduce((sum, shelf) => sum + shelf.size, 0),
    statement: statement.proof,
    findings: [...reconcile(books), ...moneyFindings(statement, entries)],
  }
}

function toldOf(done: number, jobs: number, ms: number, { buyer }: House, { kills }: Trouble): string {
  const rate = ((done * 1000) / ms).toFixed(0)
  const retries = [...buyer.met.retries.values()].reduce((sum, times) => sum + times, 0)
  const killed = kills.gateway + kills.erp
  const count = `${done.toLocaleString('en')} of ${jobs.toLocaleString('en')}, ${rate}/s`
  return `${count}, ${retries} retries${killed > 0 ? `, ${killed} kills` : ''}`
}
