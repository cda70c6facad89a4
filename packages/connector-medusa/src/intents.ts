/**
 * Intents: a hold or an order records what it is about to end, so that a call that was cut off can be taken back. What it
 * ended is then given back, as if it had never begun.
 */
import { isFailure } from './failures.ts'
import type { OrderReservations } from './order-reservations.ts'
import type { Intent, Place, RecordStore, Row } from './records.ts'
import type { Steps } from './steps.ts'

interface IntentParts {
  readonly records: RecordStore
  readonly reservations: OrderReservations
}

export class Intents {
  readonly #parts: IntentParts

  constructor(parts: IntentParts) {
    this.#parts = parts
  }

  async create(place: Place, intent: Omit<Intent, 'kind'>, steps: Steps): Promise<void> {
    await steps.run('intent.create', () => this.#parts.records.createIntent(place, intent))
  }

  /** Gives back what a hold or an order ended without coming to be. */
  async takeBack(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const { particulars } of intents) {
      await this.#parts.reservations.deleteAll(particulars.line_item_ids, steps)
      await this.#revive(particulars, steps)
    }
    await this.delete(intents, steps)
  }

  async delete(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const intent of intents) await steps.run('intent.delete', () => this.#parts.records.delete(intent))
  }

  /** Takes the units of the lines that were ended again, as far as they are still there. */
  async #revive({ hold_reference, reference }: Intent, steps: Steps): Promise<void> {
    const { records } = this.#parts
    const hold = await records.readHold(hold_reference)
    for (const row of hold.filter(({ particulars }) => particulars.consumed_by === reference)) {
      const line = { ...row.particulars, ending: null, ended_at: null, consumed_by: null }
      await steps
        .run('hold.revive', () => records.updateLine(row, line.quantity, line))
        .catch((error: unknown) => {
          // Somebody else has the units by now: the line stays ended, and its hold with it.
          if (!isFailure(error, 'refused')) throw error
        })
    }
  }
}
