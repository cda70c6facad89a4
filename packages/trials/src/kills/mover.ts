/** Moves the ERP's stock without the gateway, as its staff does, and remembers which movements it confirmed. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import { NoUsableResponse } from '../client.ts'
import type { ErpControls } from '../order-replay/erp-controls.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import { movedSkus } from './goods.ts'

const pauseMs = 100
const maxUnits = 5

/** The units that were added to a SKU: confirmed, and sent without a response. */
export interface Moved {
  readonly confirmed: number
  readonly unknown: number
}

export class Mover {
  readonly #controls: ErpControls
  readonly #random: Random
  readonly #history: HistoryRecorder
  readonly #moved = new Map<string, Moved>()
  #isOver = false
  #running: Promise<void> = Promise.resolve()
  movements = 0

  constructor(controls: ErpControls, random: Random, history: HistoryRecorder) {
    this.#controls = controls
    this.#random = random
    this.#history = history
  }

  start(onFailure: (error: unknown) => void): void {
    this.#running = this.#moveUntilStopped().catch(onFailure)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  /** Returns the units that were added to a SKU of a warehouse. */
  getMoved(warehouse_code: string, sku: string): Moved {
    return this.#moved.get(`${warehouse_code} ${sku}`) ?? { confirmed: 0, unknown: 0 }
  }

  async #moveUntilStopped(): Promise<void> {
    while (!this.#isOver) {
      const [warehouse_code, sku] = [this.#random.pick(warehouses), this.#random.pick(movedSkus)]
      const units = this.#random.drawInteger(1, maxUnits)
      const end = this.#history.begin('mover', 'erp.move', { sku, quantity: units })
      const isConfirmed = await this.#isConfirmed(
        `warehouse_code,sku,quantity\n${warehouse_code},${sku},${units}\n`,
      )
      end({ type: isConfirmed ? 'ok' : 'unknown' })
      const { confirmed, unknown } = this.getMoved(warehouse_code, sku)
      this.#moved.set(`${warehouse_code} ${sku}`, {
        confirmed: confirmed + (isConfirmed ? units : 0),
        unknown: unknown + (isConfirmed ? 0 : units),
      })
      this.movements += 1
      await wait(pauseMs)
    }
  }

  /** Sends movements. Returns false if there was no response, so that they may have happened or not. */
  async #isConfirmed(csv: string): Promise<boolean> {
    try {
      await this.#controls.applyMovements(csv)
      return true
    } catch (error) {
      if (error instanceof NoUsableResponse) return false
      throw error
    }
  }
}
