/**
 * A client that holds stock and releases it, one hold after another: it previews drop-ship orders that it never submits.
 * Its holds compete with the orders for scarce goods.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { Buyer, RequestResult } from '../order-replay/buyer.ts'
import { waitAtMost } from '../wait-at-most.ts'
import { drawGoods } from './goods.ts'

const pauseMs = 400
const path = '/api/v1/dropship-orders'
const recipient = {
  ...{ name: 'Alex Lee', phone: '+61 2 5550 1234', address: '1 Example Street', city: 'Sydney' },
  ...{ state: 'NSW', postal_code: '2000', country_code: 'AU' },
}
const preview = z.object({
  data: z.object({ dropship_order_id: z.string(), hold: z.looseObject({}).nullable() }),
})

interface HolderPlan {
  readonly client: Pick<Buyer, 'write'>
  readonly random: Random
  readonly history: HistoryRecorder
}

export class Holder {
  readonly #plan: HolderPlan
  #isOver = false
  #running: Promise<void> = Promise.resolve()
  #drawn = 0
  /** The holds of which it was told. */
  holds = 0

  constructor(plan: HolderPlan) {
    this.#plan = plan
  }

  /** Starts to hold. `onFailure` is called if it gets a response that the contract does not have. */
  start(onFailure: (error: unknown) => void): void {
    this.#running = this.#holdUntilStopped().catch((error: unknown) => {
      if (!this.#isOver) onFailure(error)
    })
  }

  /** Holds nothing more, and waits until the last hold is released, but not longer than `maxMs`. */
  async stop(maxMs: number): Promise<void> {
    this.#isOver = true
    await waitAtMost(this.#running, maxMs)
  }

  async #holdUntilStopped(): Promise<void> {
    while (!this.#isOver) {
      await this.#holdAndRelease()
      if (!this.#isOver) await wait(pauseMs)
    }
  }

  async #holdAndRelease(): Promise<void> {
    const { client, random, history } = this.#plan
    this.#drawn += 1
    const order = `HOLD-${this.#drawn}`
    const [sku, quantity] = drawGoods(random)
    const endHold = history.begin('holder', 'hold.place', { order, lines: [{ sku, quantity }] })
    const body = { sku, quantity, recipient: { ...recipient, phone: order }, client_order_number: order }
    const held = await client.write({
      ...{ method: 'POST', path: `${path}/allocation-preview`, key: `${order}.hold`, body },
    })
    const found = held.kind === 'done' ? preview.parse(held.body).data : undefined
    // A preview of what is not there holds nothing.
    const isHeld = found?.hold != null
    endHold(isHeld ? { type: 'ok' } : toEnd(held))
    if (!isHeld) return
    this.holds += 1
    await wait(random.drawInteger(0, pauseMs))
    const endRelease = history.begin('holder', 'hold.release', { order })
    const released = await client.write({
      ...{ method: 'DELETE', path: `${path}/${found.dropship_order_id}/allocation`, key: `${order}.release` },
    })
    endRelease(released.kind === 'done' ? { type: 'ok' } : toEnd(released))
  }
}

function toEnd(result: RequestResult) {
  return { type: result.kind === 'unknown' ? 'unknown' : 'refused' } as const
}
