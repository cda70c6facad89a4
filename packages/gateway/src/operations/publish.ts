import type { StockFigure } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { writeStock } from '../stock/write.ts'
import type { Figures } from './intent.ts'

/**
 * Brings the figures of writes into the feed and this process's mirror, so that no answer is ever ahead of them. Every
 * write of a warehouse takes its counter row, one after another; so writes that end at the same time share one turn,
 * as commits share one sync.
 */
export async function publish(gateway: Gateway, figures: Figures): Promise<void> {
  if (figures.length === 0) return
  let publisher = publishers.get(gateway)
  if (!publisher) {
    publisher = new Publisher(gateway)
    publishers.set(gateway, publisher)
  }
  await publisher.write(figures)
  gateway.nudge('stock')
  await gateway.mirror.stock.follow()
}

const publishers = new WeakMap<Gateway, Publisher>()

class Publisher {
  readonly #gateway: Gateway
  /** What the next turn writes: the newest figure of each SKU, by warehouse. */
  #waiting = new Map<string, Map<string, StockFigure>>()
  #turn: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** Resolves when the figures, or newer ones, are written. */
  write(figures: Figures): Promise<void> {
    for (const { warehouse_code, rows } of figures) {
      const waiting = this.#waiting.get(warehouse_code) ?? new Map<string, StockFigure>()
      for (const row of rows) {
        const known = waiting.get(row.sku)
        if (!known || (row.stock_seq ?? 0) >= (known.stock_seq ?? 0)) waiting.set(row.sku, row)
      }
      this.#waiting.set(warehouse_code, waiting)
    }
    this.#next ??= this.#turn
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#turn = this.#written()
        return this.#turn
      })
    return this.#next
  }

  async #written(): Promise<void> {
    const all = this.#waiting
    this.#waiting = new Map()
    for (const [warehouse_code, rows] of all) {
      await writeStock(this.#gateway, { warehouse_code, rows: [...rows.values()], gone: [], gone_seq: null })
    }
  }
}
