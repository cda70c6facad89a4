/** Ships everything after the last fault, and compares the records of the ERP, the gateway, the clients and the receiver. */

import type { Progress } from '@trade-gateway/connector-kit/progress'
import type { JudgedHistory } from '../judged-history.ts'
import type { Buyer } from '../order-replay/buyer.ts'
import { ErpControls } from '../order-replay/erp-controls.ts'
import { shippingSeconds } from '../order-replay/erp-process.ts'
import { readFeedAgain } from '../order-replay/event-follower.ts'
import type { Books } from '../order-replay/finding.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { Entry } from '../order-replay/place-order.ts'
import { reconcile } from '../order-replay/reconcile.ts'
import { recordBooks } from '../order-replay/recorded-books.ts'
import { recordEvents } from '../order-replay/recorded-events.ts'
import type { StockByWarehouse } from '../order-replay/replay-erp.ts'
import { pollOrdersWhile, readSettledBooks } from '../order-replay/settled-books.ts'
import type { KillFinding } from './finding.ts'
import { isScarce, movedSkus } from './goods.ts'
import type { Installation } from './installation.ts'
import { type Load, unknownMs } from './load.ts'
import type { Mover } from './mover.ts'
import {
  compareDeliveries,
  compareEventFeeds,
  compareEventsWithOrders,
  countDeliveries,
  type DeliveryFigures,
  waitUntilDelivered,
} from './webhooks.ts'

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
  const copies = await load.stock.compareCopies(books)
  const unnoted = await load.stock.recordCommits(load.mover.movements > 0)
  await load.stock.waitUntilAnnounced(load.eventFollower)
  await waitUntilDelivered(client, load.eventFollower, installation.receiver)
  const fresh = await readFeedAgain(client, load.eventFollower)
  const { events } = load.eventFollower
  const deliveries = await installation.receiver.readDeliveries()
  recordBooks(history.recorder, books)
  recordEvents(history.recorder, { fresh, followed: events, deliveries })
  const ofBooks = reconcile({ ...books, opening: addMovements(opening, books, load.mover) })
  return {
    documents: books.erp.documents.length,
    stock_rows: [...books.erp.stock.values()].reduce((sum, snapshot) => sum + snapshot.size, 0),
    deliveries: countDeliveries(fresh, deliveries),
    findings: [
      ...omitSoldOut(ofBooks, entries),
      ...copies,
      ...compareEventFeeds(events, fresh),
      ...compareEventsWithOrders(fresh, entries),
      ...compareDeliveries(fresh, deliveries),
      ...unnoted,
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
  await pollOrdersWhile(client, { isOpen: ({ in_doubt }) => in_doubt, maxMs: unknownMs }, signal)
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
