/** What became of a reference: looked up, or brought to an end. */
import type { ErpDocument, Output } from '@trade-gateway/connector'
import { toHoldDocument, toOrderDocument } from './documents.ts'
import type { Holds } from './holds.ts'
import type { OrderStore } from './medusa-orders.ts'
import type { Places } from './places.ts'
import { type HoldLine, type RecordStore, type Records, type Row, readHoldState } from './records.ts'
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
    const { hold, intents } = await records.readOne(reference)
    const state = readHoldState(hold)
    if (state === 'begun' || state === 'ending') return { state: 'in_progress', document: null }
    const document = toHoldDocument(hold)
    if (document) return { state: 'found', document }
    const { order, drafts } = await orders.find(reference)
    if (order) return { state: 'found', document: toOrderDocument(order, places.warehouses) }
    return { state: drafts.length > 0 || intents.length > 0 ? 'in_progress' : 'absent', document: null }
  }

  /** Finishes what was written and takes back what was only begun. The caller has the lock of the reference. */
  async settle(reference: string, steps: Steps): Promise<Output<'settle'>> {
    const { records, takeBack, places, unsettled } = this.#parts
    const order = await takeBack.all(reference, steps)
    if (order) return { state: 'found', document: toOrderDocument(order, places.warehouses) }
    const document = await this.#settleHold(await records.readOne(reference), steps)
    if (document) return { state: 'found', document }
    // Nothing is there. A call without a result may still arrive: then the outcome stays unknown for a while.
    unsettled.requireOver(reference)
    await this.#fence(reference, steps)
    return { state: 'absent', document: null }
  }

  async #settleHold({ hold, surplus, isFenced }: Records, steps: Steps): Promise<ErpDocument | undefined> {
    const { holds, records } = this.#parts
    await holds.takeBack(surplus, steps)
    const state = readHoldState(hold)
    if (state === 'none') return undefined
    if (state === 'begun' || isFenced) {
      await holds.takeBack(hold, steps)
      return undefined
    }
    if (state === 'ending') await holds.end(hold, { ...readEnding(hold), steps })
    return toHoldDocument((await records.readOne(steps.reference)).hold)
  }

  async #fence(reference: string, steps: Steps): Promise<void> {
    const { records, places } = this.#parts
    if ((await records.readOne(reference)).isFenced) return
    for (const { locationId } of places.warehouses) {
      const inventoryItemId = await records.findAnchor(locationId)
      if (inventoryItemId === undefined) continue
      await steps.run('fence.create', () => records.createFence({ locationId, inventoryItemId }, reference))
      return
    }
    throw new Error('No warehouse has an inventory item, so nothing can be recorded.')
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

/** How a hold ends of which a part has ended. */
function readEnding(rows: readonly Row<HoldLine>[]) {
  const ended = rows.find(({ particulars }) => particulars.ending !== null)?.particulars
  return { ending: ended?.ending ?? ('released' as const), consumedBy: ended?.consumed_by ?? null }
}
