import type { Dice } from './dice.ts'
import type { Installation } from './installation.ts'

/**
 * The ERP's own people: sends movements as fast as they are taken, and remembers what was acknowledged. What was sent
 * and not answered may have happened or not.
 */
const postTimeoutMs = 5_000
const afterFailureMs = 20
const mostRows = 10
/** One SKU in so many is withdrawn and comes back instead of being counted. */
const flickering = 8

interface Counted {
  readonly warehouse_code: string
  readonly sku: string
  /** On hand before the first movement. */
  readonly initial: number
  acknowledged: number
  unknown: number
}

export interface Place {
  readonly warehouse_code: string
  readonly sku: string
  readonly quantity_on_hand: number
}

export class Mover {
  acknowledged = 0
  unknown = 0
  readonly #installation: Installation
  readonly #dice: Dice
  readonly #counted: readonly Counted[]
  readonly #flickering: readonly Place[]
  #wanted = false
  #running: Promise<void> = Promise.resolve()

  constructor(installation: Installation, dice: Dice, places: readonly Place[]) {
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

  /** Ends after the batch under way. */
  async stop(): Promise<void> {
    this.#wanted = false
    await this.#running
  }

  /** SKUs whose quantity at a client cannot be: an acknowledged movement is missing, or one too many is there. */
  missing(quantityOf: (warehouse: string, sku: string) => number | undefined): string[] {
    return this.#counted.flatMap(({ warehouse_code, sku, initial, acknowledged, unknown }) => {
      const least = initial + acknowledged
      const quantity = quantityOf(warehouse_code, sku)
      if (quantity !== undefined && quantity >= least && quantity <= least + unknown) return []
      return [`${sku} in ${warehouse_code} has ${quantity}, not ${least} to ${least + unknown}`]
    })
  }

  async #run(): Promise<void> {
    while (this.#wanted) {
      const rows = Array.from({ length: this.#dice.whole(1, mostRows) }, () => this.#row())
      const outcome = await this.#send(rows.map(({ line }) => line))
      if (outcome !== 'acknowledged') await new Promise((resolve) => setTimeout(resolve, afterFailureMs))
      if (outcome === 'refused') continue
      for (const { counted, quantity } of rows) if (counted) counted[outcome] += quantity
      this[outcome] += rows.length
    }
  }

  #row(): { line: string; counted?: Counted; quantity: number } {
    if (this.#dice.chance(1 / flickering)) {
      const { warehouse_code, sku } = this.#dice.pick(this.#flickering)
      return { line: `${warehouse_code},${sku},0,${this.#dice.whole(0, 1)}`, quantity: 0 }
    }
    const counted = this.#dice.pick(this.#counted)
    const quantity = this.#dice.whole(1, 5)
    return { line: `${counted.warehouse_code},${counted.sku},${quantity},`, counted, quantity }
  }

  /** What became of the batch: a connection that was refused carried nothing. */
  async #send(lines: readonly string[]): Promise<'acknowledged' | 'unknown' | 'refused'> {
    try {
      const response = await fetch(`${this.#installation.sandbox().erp_url}/sandbox/movements`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#installation.erpToken}`, 'content-type': 'text/csv' },
        body: `warehouse_code,sku,quantity,withdrawn\n${lines.join('\n')}\n`,
        signal: AbortSignal.timeout(postTimeoutMs),
      })
      const { applied } = Object(await response.json())
      return response.status === 200 && applied === lines.length ? 'acknowledged' : 'unknown'
    } catch (error) {
      return isRefusal(error) ? 'refused' : 'unknown'
    }
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return false
  return 'code' in error.cause && error.cause.code === 'ECONNREFUSED'
}
