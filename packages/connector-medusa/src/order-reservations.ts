/**
 * What Medusa has reserved for the lines of an order. Medusa reserves in one transaction and makes the draft an order in the
 * next one. Killed in between, it keeps the reservations of a draft, and reserves everything once more when the draft is
 * converted again.
 */
import { z } from 'zod'
import type { MedusaHttp } from './http.ts'
import type { MedusaOrder } from './medusa-orders.ts'
import type { Steps } from './steps.ts'

const itemsPerCall = 50
const maxRows = 1000
const page = z.object({
  reservations: z.array(
    z.object({ id: z.string(), line_item_id: z.string().nullable(), quantity: z.number() }),
  ),
})

interface ReservedLine {
  readonly id: string
  /** The units that are still to be handed over. */
  readonly left: number
}

export class OrderReservations {
  readonly #http: MedusaHttp

  constructor(http: MedusaHttp) {
    this.#http = http
  }

  /**
   * Deletes what is reserved beyond the units that an order still has to hand over: everything of a draft or of a cancelled
   * order. No conversion of the order may be running. Returns the number of reservations that were deleted.
   */
  async deleteSurplus(order: MedusaOrder, steps: Steps): Promise<number> {
    const isOpen = !order.isDraft && order.status !== 'canceled'
    const lines = order.items.map(({ id, quantity, detail }) => ({
      id,
      left: isOpen ? quantity - (detail?.fulfilled_quantity ?? 0) : 0,
    }))
    return this.#deleteBeyond(lines, steps)
  }

  /** Deletes all that is reserved for the lines of a draft that is gone. */
  async deleteAll(lineItemIds: readonly string[], steps: Steps): Promise<void> {
    await this.#deleteBeyond(
      lineItemIds.map((id) => ({ id, left: 0 })),
      steps,
    )
  }

  async #deleteBeyond(lines: readonly ReservedLine[], steps: Steps): Promise<number> {
    let deleted = 0
    for (let from = 0; from < lines.length; from += itemsPerCall)
      for (const id of await this.#listSurplus(lines.slice(from, from + itemsPerCall))) {
        await steps.run('surplus.delete', () => this.#delete(id))
        deleted += 1
      }
    return deleted
  }

  async #listSurplus(lines: readonly ReservedLine[]): Promise<string[]> {
    const { reservations } = await this.#http.get('/admin/reservations', page, {
      line_item_id: lines.map(({ id }) => id),
      limit: maxRows,
      order: 'id',
      fields: 'id,line_item_id,quantity',
    })
    return lines.flatMap(({ id, ...line }) => {
      let { left } = line
      const own = reservations.filter(({ line_item_id }) => line_item_id === id)
      return own.flatMap((one) => {
        const isSurplus = left <= 0
        left -= one.quantity
        return isSurplus ? [one.id] : []
      })
    })
  }

  async #delete(id: string): Promise<void> {
    await this.#http.send({ method: 'DELETE', path: `/admin/reservations/${id}`, schema: z.unknown() })
  }
}
