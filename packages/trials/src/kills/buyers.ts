/** Buyers that place orders one after another, and void some of them, until they are stopped. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { WholesaleOrder } from '../order-replay/invoices.ts'
import { type Entry, placeOrder, type Shipping, voidOrder } from '../order-replay/place-order.ts'
import type { Writer } from '../order-replay/recorded-orders.ts'
import { waitAtMost } from '../wait-at-most.ts'
import { drawOrder } from './goods.ts'

const pauseMs = 250
const voidShare = 0.15

interface BuyersPlan {
  readonly client: Writer
  readonly shipping: Shipping
  readonly buyers: number
  readonly random: Random
}

export class Buyers {
  readonly #plan: BuyersPlan
  readonly #entries = new Map<string, Entry>()
  /** The orders whose outcome a buyer still waits for. */
  readonly #open = new Map<string, WholesaleOrder>()
  #drawn = 0
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(plan: BuyersPlan) {
    this.#plan = plan
  }

  /** The number of orders with a known outcome. */
  get known(): number {
    return this.#entries.size
  }

  /** Starts the buyers. `onFailure` is called if one gets a response that the contract does not have. */
  start(onFailure: (error: unknown) => void): void {
    const buyers = Array.from({ length: this.#plan.buyers }, () => this.#buyUntilStopped())
    this.#running = Promise.all(buyers).catch((error: unknown) => {
      if (!this.#isOver) onFailure(error)
    })
  }

  /**
   * Places no more orders, and waits until every outcome is known, but not longer than `maxMs`. Returns the outcomes;
   * those that are still open are unknown.
   */
  async stop(maxMs: number): Promise<Entry[]> {
    this.#isOver = true
    await waitAtMost(this.#running, maxMs)
    const trouble = `no final response ${maxMs / 1000} seconds after the last fault`
    const unknown = [...this.#open.values()].map(({ client_order_number, goods }): Entry => {
      const placed = this.#entries.get(client_order_number)
      const nothing = { client_order_number, goods, order_id: undefined, total: null, quoted: null }
      return { ...(placed ?? nothing), outcome: 'unknown', trouble }
    })
    return [
      ...new Map(
        [...this.#entries.values(), ...unknown].map((each) => [each.client_order_number, each]),
      ).values(),
    ]
  }

  async #buyUntilStopped(): Promise<void> {
    const { client, shipping, random } = this.#plan
    while (!this.#isOver) {
      this.#drawn += 1
      const order = drawOrder(`KILLS-${this.#drawn}`, random)
      const { client_order_number: number } = order
      const isVoided = random.drawWithProbability(voidShare)
      this.#open.set(number, order)
      const entry = await placeOrder(client, order, shipping)
      this.#entries.set(number, entry)
      if (isVoided) this.#entries.set(number, await voidOrder(client, entry))
      this.#open.delete(number)
      if (!this.#isOver) await wait(pauseMs)
    }
  }
}
