import type { SeededRandom } from './dice.ts'
import type { Installation } from './installation.ts'

const postTimeoutMs = 5_000
const afterFailureMs = 20
const maxRows = 10
/** On average, one change in this many withdraws or restores a SKU. The others change a quantity. */
const flickering = 8

interface Counted {
  readonly warehouse_code: string
  readonly sku: string
  /** The quantity on hand before the first movement. */
  readonly initial: number
  acknowledged: number
  unknown: number
}

export interface Place {
  readonly warehouse_code: string
  readonly sku: string
  readonly quantity_on_hand: number
}

/**
 * Simulates the ERP's staff: sends stock movements as fast as they are accepted, and remembers which were acknowledged.
 * A movement that was not acknowledged may or may not have happened.
 */
export class Mover {
  acknowledged = 0
  unknown = 0
  readonly #installation: Installation
  readonly #dice: SeededRandom
  readonly #counted: readonly Counted[]
  readonly #flickering: readonly Place[]
  #wanted = false
  #running: Promise<void> = Promise.resolve()

  constructor(installation: Installation, dice: SeededRandom, places: readonly Place[]) {
    this.#installation = installation
    this.#dice = dice
    this.#flickering = places.filter((_, index) => index % flickering === 0)
    this.#counted = places
      .filter((_, index) => index % flickering !== 0)
      .map(({ quantity_on_hand: initial, ...place }) => ({ ...place, initial, acknowledged: 0, unknown: 0 }))
  }

  start(): void {
    this.#wanted = true
    this.#running = this.#run()
  }

  /** Stops after the batch that is being sent. */
  async stop(): Promise<void> {
    this.#wanted = false
    await this.#running
  }

  /**
   * Finds SKUs whose quantity at a client is impossible, because an acknowledged movement is missing or was applied
   * twice.
   */
  findWrongQuantities(quantityOf: (warehouse: string, sku: string) => number | undefined): string[] {
    return this.#counted.flatMap(({ warehouse_code, sku, initial, acknowledged, unknown }) => {
      const least = initial + acknowledged
      const quantity = quantityOf(warehouse_code, sku)
      if (quantity !== undefined && quantity >= least && quantity <= least + unknown) return []
      return [`${sku} in ${warehouse_code} has ${quantity}, not ${least} to ${least + unknown}`]
    })
  }

  async #run(): Promise<void> {
    while (this.#wanted) {
      const rows = Array.from({ length: this.#dice.drawInteger(1, maxRows) }, () => this.#drawRow())
      const outcome = await this.#send(rows.map(({ line }) => line))
      if (outcome !== 'acknowledged') await new Promise((resolve) => setTimeout(resolve, afterFailureMs))
      if (outcome === 'refused') continue
      for (const { counted, quantity } of rows) if (counted) counted[outcome] += quantity
      this[outcome] += rows.length
    }
  }

  #drawRow(): { line: string; counted?: Counted; quantity: number } {
    if (this.#dice.drawBoolean(1 / flickering)) {
      const { warehouse_code, sku } = this.#dice.pick(this.#flickering)
      return { line: `${warehouse_code},${sku},0,${this.#dice.drawInteger(0, 1)}`, quantity: 0 }
    }
    const counted = this.#dice.pick(this.#counted)
    const quantity = this.#dice.drawInteger(1, 5)
    return { line: `${counted.warehouse_code},${counted.sku},${quantity},`, counted, quantity }
  }

  /** Sends a batch and returns its outcome. A refused connection means that nothing was sent. */
  async #send(lines: readonly string[]): Promise<'acknowledged' | 'unknown' | 'refused'> {
    try {
      const response = await fetch(`${this.#installation.readSandbox().erp_url}/sandbox/movements`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#installation.erpToken}`, 'content-type': 'text/csv' },
        body: `warehouse_code,sku,quantity,withdrawn\n${lines.join('\n')}\n`,
        signal: AbortSignal.timeout(postTimeoutMs),
      })
      const { applied } = Object(await response.json())
      return response.status === 200 && applied === lines.length ? 'acknowledged' : 'unknown'
    } catch (error) {
      return isConnectionRefused(error) ? 'refused' : 'unknown'
    }
  }
}

function isConnectionRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return false
  return 'code' in error.cause && error.cause.code === 'ECONNREFUSED'
}
