/** Takes back what was begun under the reference of an order and has not become one. */
import type { Holds } from './holds.ts'
import type { MedusaOrder, OrderStore } from './medusa-orders.ts'
import type { OrderReservations } from './order-reservations.ts'
import type { Intent, RecordStore, Row } from './records.ts'
import type { Steps } from './steps.ts'

interface BegunParts {
  readonly records: RecordStore
  readonly orders: OrderStore
  readonly reservations: OrderReservations
  readonly holds: Holds
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
    if (drafts.length === 0) await this.intents(intents, steps)
    for (const draft of drafts) {
      try {
        await this.draft(draft, steps)
      } catch (error) {
        // Medusa deletes no draft that has become an order.
        const now = (await this.#parts.orders.find(reference)).order
        if (!now) throw error
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
    await this.deleteIntents(intents, steps)
    await this.#parts.reservations.deleteSurplus(order, steps)
  }

  /** Deletes a draft with all that is reserved for it, and gives the hold back that it has consumed. */
  async draft(draft: MedusaOrder, steps: Steps): Promise<void> {
    await this.deleteDrafts([draft], steps)
    await this.#parts.reservations.deleteSurplus(draft, steps)
    const { hold_reference, reference } = draft.particulars
    await this.#giveHoldBack(hold_reference, { reference, steps })
    await this.intents((await this.#parts.records.readOne(reference)).intents, steps)
  }

  /** Gives holds back that an order consumed without coming to be. */
  async intents(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const { particulars } of intents)
      await this.#giveHoldBack(particulars.hold_reference, { reference: particulars.reference, steps })
    await this.deleteIntents(intents, steps)
  }

  async deleteIntents(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const intent of intents) await steps.run('intent.delete', () => this.#parts.records.delete(intent))
  }

  async #giveHoldBack(
    holdReference: string | null,
    { reference, steps }: { readonly reference: string; readonly steps: Steps },
  ): Promise<void> {
    const hold = await this.#parts.records.readHold(holdReference)
    const consumed = hold.filter(({ particulars }) => particulars.consumed_by === reference)
    await this.#parts.holds.revive(consumed, steps)
  }

  /** Deletes drafts that are there beside the order. */
  async deleteDrafts(drafts: readonly MedusaOrder[], steps: Steps): Promise<void> {
    for (const { id } of drafts) await steps.run('draft.delete', () => this.#parts.orders.deleteDraft(id))
  }
}
