/** Ships everything after the last fault, and compares the records of the ERP, the gateway, the clients and the receiver. */

import { Follower } from '../follower.ts'
import type { JudgedHistory } from '../judged-history.ts'
import type { Buyer } from '../order-replay/buyer.ts'
import { ErpControls } from '../order-replay/erp-controls.ts'
import { shippingSeconds } from '../order-replay/erp-process.ts'
import type { Books } from '../order-replay/finding.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { Entry } from '../order-replay/place-order.ts'
import { reconcile } from '../order-replay/reconcile.ts'
import { recordBooks } from '../order-replay/recorded-books.ts'
import type { StockByWarehouse } from '../order-replay/replay-erp.ts'
import { pollOrdersUntil, readSettledBooks } from '../order-replay/settled-books.ts'
import type { Progress } from '../progress.ts'
import { proveCopy } from '../proof.ts'
import type { KillFinding } from './finding.ts'
import { EventFollower, type StockFollower } from './followers.ts'
import { isScarce, movedSkus } from './goods.ts'
import type { Installation } from './installation.ts'
import { type Load, unknownMs } from './load.ts'
import type { Mover } from './mover.ts'
import { recordEvents } from './recorded-events.ts'
import {
  compareDeliveries,
  compareEventFeeds,
  compareEventsWithOrders,
  countDeliveries,
  type DeliveryFigures,
  waitUntilDelivered,
} from './webhooks.ts'

/** How often a follower's copy is compared, at most. */
const maxComparisons = 3

interface Records {
  readonly installation: Installation
  readonly load: Load
  readonly opening: StockByWarehouse
  readonly entries: readonly Entry[]
  readonly history: JudgedHistory
  readonly progress: Progress
}

/** What the records have, and where they differ. */
export interface Judgement {
  readonly documents: number
  readonly stock_rows: number
  readonly deliveries: DeliveryFigures
  readonly findings: readonly KillFinding[]
}

/** Compares all records of a trial whose buyers have stopped. */
export async function judgeRecords(records: Records, signal: AbortSignal): Promise<Judgement> {
  const { installation, load, opening, entries, history, progress } = records
  const client = installation.createClient(installation.urls)
  progress.beginStep('Waiting until all outcomes are known, then shipping everything')
  const books = await settleAndReadBooks(records, client, signal)
  progress.beginStep('Comparing the records')
  await load.stopFollowing()
  const copies: KillFinding[] = []
  for (const follower of load.stockFollowers) copies.push(...(await compareCopy(client, follower, books)))
  await waitUntilDelivered(client, load.eventFollower, installation.receiver)
  const fresh = new EventFollower(client)
  const { events } = load.eventFollower
  // A hold that expires between the two makes a new event, which the other reads too, if it misses none.
  for (
    let tries = 0;
    tries === 0 || (fresh.events.length !== events.length && tries < maxComparisons);
    tries++
  ) {
    await fresh.catchUp()
    await load.eventFollower.catchUp()
  }
  const deliveries = await installation.receiver.readDeliveries()
  recordBooks(history.recorder, books)
  recordEvents(history.recorder, { fresh: fresh.events, followed: events, deliveries })
  const ofBooks = reconcile({ ...books, opening: addMovements(opening, books, load.mover) })
  return {
    documents: books.erp.documents.length,
    stock_rows: [...books.erp.stock.values()].reduce((sum, snapshot) => sum + snapshot.size, 0),
    deliveries: countDeliveries(fresh.events, deliveries),
    findings: [
      ...omitSoldOut(ofBooks, entries),
      ...copies,
      ...compareEventFeeds(events, fresh.events),
      ...compareEventsWithOrders(fresh.events, entries),
      ...compareDeliveries(fresh.events, deliveries),
      ...(await history.judge()),
    ],
  }
}

async function settleAndReadBooks(
  { installation, opening, entries }: Records,
  client: Buyer,
  signal: AbortSignal,
): Promise<Books> {
  const erp = new ErpControls(installation.erp, signal)
  const isReached = (shown: readonly { in_doubt: boolean }[]) => !shown.some(({ in_doubt }) => in_doubt)
  await pollOrdersUntil(client, { timeoutMs: unknownMs, isReached }, signal)
  await erp.shipAll(shippingSeconds * 2)
  return readSettledBooks({ buyer: client, erp, warehouses }, { opening, entries }, signal)
}

/**
 * Adds the ERP's own movements to the opening stock, if the ERP has what it confirmed and not more than was sent.
 * Otherwise the comparison of the books shows the difference.
 */
function addMovements(opening: StockByWarehouse, { erp }: Books, mover: Mover): StockByWarehouse {
  return new Map(
    [...opening].map(([code, stock]) => {
      const moved = movedSkus.flatMap((sku): [string, number][] => {
        const [opened, now] = [stock.get(sku) ?? 0, erp.stock.get(code)?.get(sku)?.on_hand ?? 0]
        const { confirmed, unknown } = mover.getMoved(code, sku)
        const isExplained = now >= opened + confirmed && now <= opened + confirmed + unknown
        return isExplained ? [[sku, now]] : []
      })
      return [code, new Map([...stock, ...moved])]
    }),
  )
}

/** Leaves out the refusals of scarce goods, which may be sold out. */
function omitSoldOut(findings: readonly KillFinding[], entries: readonly Entry[]): KillFinding[] {
  const scarce = new Set(
    entries.filter(({ goods }) => [...goods.keys()].every(isScarce)).map((each) => each.client_order_number),
  )
  return findings.filter(({ kind, subject }) => kind !== 'refused' || !scarce.has(subject))
}

/** Compares a follower's copy with a new pull, the checksums and the ERP. */
async function compareCopy(client: Buyer, follower: StockFollower, { erp }: Books): Promise<KillFinding[]> {
  const { code } = follower
  const expected = new Map([...(erp.stock.get(code) ?? [])].map(([sku, { on_hand }]) => [sku, on_hand]))
  let examples: readonly string[] = []
  // A hold that expires between the reads makes them differ once. A change that was missed differs each time.
  for (let tries = 0; tries === 0 || (examples.length > 0 && tries < maxComparisons); tries++) {
    await follower.catchUp()
    const fresh = new Follower({ get: (path) => client.read(path) }, code)
    examples = (await proveCopy(follower.copy, fresh, expected)).examples
  }
  return [
    ...follower.findings,
    ...examples.map((story): KillFinding => ({ kind: 'missed', subject: code, story })),
  ]
}
