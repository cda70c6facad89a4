/** Takes back what was begun under the reference of an order and has not become one. */
import type { Intents } from './intents.ts'
import type { MedusaOrder, OrderStore } from './medusa-orders.ts'
import type { OrderReservations } from './order-reservations.ts'
import type { Places } from './places.ts'
import type { Intent, RecordStore, Row } from './records.ts'
import type { Steps } from './steps.ts'

interface BegunParts {
  readonly places: Places
  readonly records: RecordStore
  readonly orders: OrderStore
  readonly reservations: OrderReservations
  readonly intents: Intents
}

/** The caller has the lock of the reference. */
export class TakeBack {
  readonly #parts: BegunParts

  constructor(parts: BegunParts) {
    this.#parts = parts
  }

  /** Takes back the drafts of a reference. Returns the order if one of them has become one. */
  async all(reference: string, steps: Steps): Promise<MedusaOrder | undefined> {
    const { order, drafts } = await this.#parts.orders.find(reference)
    const { intents } = await this.#parts.records.readOne(reference)
    if (order) {
      await this.besidesOrder(order, { drafts, intents, steps })
      return order
    }
    if (drafts.length === 0) await this.#parts.intents.takeBack(intents, steps)
    for (const draft of drafts) {
      try {
        await this.draft(draft, steps)
      } catch (error) {
        // Medusa deletes no draft that has become an order.
        const now = (await this.#parts.orders.find(reference)).order
        if (!now) throw error
        await this.besidesOrder(now, { drafts: [], intents: await this.#readIntents(reference), steps })
        return now
      }
    }
    return drafts.length === 0 ? undefined : (await this.#parts.orders.find(reference)).order
  }

  /** Takes back what is there beside an order: other drafts, intents, and what was reserved for it twice. */
  async besidesOrder(
    order: MedusaOrder,
    {
      drafts,
      intents,
      steps,
    }: {
      readonly drafts: readonly MedusaOrder[]
      readonly intents: readonly Row<Intent>[]
      readonly steps: Steps
    },
  ): Promise<void> {
    await this.deleteDrafts(drafts, steps)
    await this.#parts.intents.delete(intents, steps)
    await this.#parts.reservations.deleteSurplus(order, steps)
  }

  /** Deletes a draft with all that is reserved for it, and gives the hold back that it has consumed. */
  async draft(draft: MedusaOrder, steps: Steps): Promise<void> {
    const { records, intents, places } = this.#parts
    const { hold_reference, reference } = draft.particulars
    // Deleting proves that the draft is no order, so it comes first. The intent says what is then left to do.
    const [first] = await records.readHold(hold_reference)
    const place = first ?? (await records.findPlace(places.warehouses))
    const line_item_ids = draft.items.map(({ id }) => id)
    await intents.create(place, { reference, hold_reference, line_item_ids }, steps)
    await this.deleteDrafts([draft], steps)
    await intents.takeBack(await this.#readIntents(reference), steps)
  }

  async #readIntents(reference: string): Promise<readonly Row<Intent>[]> {
    return (await this.#parts.records.readOne(reference)).intents
  }

  /** Deletes drafts that are there beside the order. */
  async deleteDrafts(drafts: readonly MedusaOrder[], steps: Steps): Promise<void> {
    for (const { id } of drafts) await steps.run('draft.delete', () => this.#parts.orders.deleteDraft(id))
  }
}
