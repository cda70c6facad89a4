/** What became of a reference: looked up, or brought to an end. */
import type { ErpDocument, Output } from '@trade-gateway/connector'
import { toHoldDocument, toOrderDocument } from './documents.ts'
import type { Holds } from './holds.ts'
import type { OrderStore } from './medusa-orders.ts'
import type { Places } from './places.ts'
import {
  type HoldLine,
  listLive,
  type RecordStore,
  type Records,
  type Row,
  readHoldState,
} from './records.ts'
import type { Steps, Unsettled } from './steps.ts'
import type { TakeBack } from './take-back.ts'

interface SettlementParts {
  readonly places: Places
  readonly records: RecordStore
  readonly orders: OrderStore
  readonly holds: Holds
  readonly takeBack: TakeBack
  readonly unsettled: Unsettled
}

export class Settlement {
  readonly #parts: SettlementParts

  constructor(parts: SettlementParts) {
    this.#parts = parts
  }

  async lookUp(reference: string): Promise<Output<'lookup'>> {
    const { records, orders, places } = this.#parts
    const found = await records.readOne(reference)
    const document = toHoldDocument(found.hold)
    if (document)
      return (await this.#isUnfinished(found))
        ? { state: 'in_progress', document: null }
        : { state: 'found', document }
    const { order, drafts } = await orders.find(reference)
    if (order) return { state: 'found', document: toOrderDocument(order, places.warehouses) }
    if (drafts.length > 0 || found.intents.length > 0) return { state: 'in_progress', document: null }
    return { state: 'absent', document: null, fenced: found.isFenced }
  }

  /** Whether lines of a hold are missing, have not ended with the others, or have not ended what the hold replaces. */
  async #isUnfinished({ hold, intents }: Records): Promise<boolean> {
    const state = readHoldState(hold)
    if (state === 'begun' || state === 'ending' || intents.length > 0) return true
    return listLive(await this.#parts.records.readHold(readReplaced(hold))).length > 0
  }

  /** Lists the holds that settling a reference may end or give back. */
  async listReplaced(reference: string): Promise<(string | null)[]> {
    const { hold, intents } = await this.#parts.records.readOne(reference)
    return [readReplaced(hold), ...intents.map(({ particulars }) => particulars.hold_reference)]
  }

  /**
   * Finishes what was written and takes back what was only begun. The caller has the locks of the reference and of what it
   * replaces.
   */
  async settle(reference: string, steps: Steps): Promise<Output<'settle'>> {
    const { records, takeBack, places, unsettled } = this.#parts
    // A hold that is whole keeps what it has ended, and everything else gives it back.
    const document = await this.#settleHold(await records.readOne(reference), steps)
    if (document) return { state: 'found', document }
    const order = await takeBack.all(reference, steps)
    if (order) return { state: 'found', document: toOrderDocument(order, places.warehouses) }
    // Nothing is there. A call without a result may still arrive: then the outcome stays unknown for a while.
    unsettled.requireOver(reference)
    await this.#fence(reference, steps)
    return { state: 'absent', document: null }
  }

  async #settleHold(
    { hold, surplus, intents, isFenced }: Records,
    steps: Steps,
  ): Promise<ErpDocument | undefined> {
    const { holds, records } = this.#parts
    await holds.takeBack(surplus, steps)
    const state = readHoldState(hold)
    if (state === 'none') return undefined
    if (state === 'begun' || isFenced) {
      await holds.takeBack(hold, steps)
      return undefined
    }
    if (state === 'ending' || state === 'released') await holds.end(hold, { ...readEnding(hold), steps })
    await holds.endReplaced(readReplaced(hold), { intents, steps })
    return toHoldDocument((await records.readOne(steps.reference)).hold)
  }

  async #fence(reference: string, steps: Steps): Promise<void> {
    const { records, places } = this.#parts
    if ((await records.readOne(reference)).isFenced) return
    const place = await records.findPlace(places.warehouses)
    await steps.run('fence.create', () => records.createFence(place, reference))
  }

  /**
   * Deletes lines of holds whose reference is fenced. They come from a connector that was killed: Medusa performed its
   * last call after `settle` had returned `absent`.
   */
  async sweep(createSteps: (reference: string) => Steps): Promise<void> {
    const { records, holds } = this.#parts
    const found = await records.read(await records.listNewestReferences())
    for (const [reference, { hold, surplus, isFenced }] of found)
      if (isFenced) await holds.takeBack([...hold, ...surplus], createSteps(reference))
  }

  /** Reads the documents of references: holds in a few calls, and one search for each order that is not known yet. */
  async readDocuments(references: readonly string[]): Promise<ErpDocument[]> {
    const { records, orders, places } = this.#parts
    const distinct = [...new Set(references)]
    const recorded = await records.read(distinct)
    const holds = distinct.flatMap((reference) => {
      const rows = recorded.get(reference)?.hold ?? []
      const document = readHoldState(rows) === 'begun' ? undefined : toHoldDocument(rows)
      return document ? [document] : []
    })
    const held = new Set(holds.map(({ reference }) => reference))
    const found = await orders.findOrders(distinct.filter((reference) => !held.has(reference)))
    return [...holds, ...found.map((order) => toOrderDocument(order, places.warehouses))]
  }
}

const readReplaced = ([first]: readonly Row<HoldLine>[]) => first?.particulars.replaces ?? null

/** How a hold ends of which a part has ended. */
function readEnding(rows: readonly Row<HoldLine>[]) {
  const ended = rows.find(({ particulars }) => particulars.ending !== null)?.particulars
  const isConsumed = ended?.ending === 'consumed'
  return {
    ending: ended?.ending ?? ('released' as const),
    consumedBy: isConsumed ? ended.consumed_by : null,
  }
}
