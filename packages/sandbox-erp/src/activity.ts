/**
 * Simulates a working warehouse. Most steps are sales; some are announced or received goods, price changes, and
 * withdrawals and returns of SKUs. All choices come from the seed in sequence, so the same seed and number of steps
 * give the same stock (announced dates also depend on the clock's day). Quantities stay around their level, because a
 * sale without stock becomes a receipt.
 */
import { type Incoming, maxAmount } from '@trade-gateway/connector'
import { createDays, type Days } from './catalogue/days.ts'
import { Random } from './catalogue/random.ts'
import type { Clock } from './clock.ts'
import { readStockRow, type StockRow, writeStockRow } from './movements.ts'
import type { Store } from './store.ts'

/** The prefix of the trigger SKUs, whose figures never change. */
const triggerPrefix = 'SBX-'
/** The maximum number of withdrawn SKUs. Above it, the one that was withdrawn first comes back. */
const maxWithdrawn = 50
const maxIncoming = 3

/** The probability of each event in percent; the rest are sales. */
const eventPercents = { receipt: 4, landing: 3, price: 7, withdrawal: 3, comeback: 3 } as const

interface StockKey {
  readonly warehouse_code: string
  readonly sku: string
}

/**
 * The simulated warehouse activity, which changes stock at random. It keeps the list of SKUs (without the sandbox
 * triggers) in memory, so that picking one at random costs a single look-up.
 */
export class Activity {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: Random
  readonly #places: readonly { readonly warehouse_code: string; readonly skus: readonly string[] }[]
  readonly #count: number
  /** The SKUs that this class has withdrawn, in the order of their withdrawal. */
  readonly #withdrawn: StockKey[] = []

  /** Reads the SKUs once. A SKU that is added later does not change before the next start. */
  constructor(store: Store, seed: number, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#random = new Random(seed, 1)
    const warehouses = store.all('select warehouse_code from warehouses order by warehouse_code')
    this.#places = warehouses.map(({ warehouse_code }) => ({
      warehouse_code: String(warehouse_code),
      skus: store
        .all(
          'select sku from stock where warehouse_code = ? and substr(sku, 1, ?) <> ? order by sku',
          String(warehouse_code),
          triggerPrefix.length,
          triggerPrefix,
        )
        .map(({ sku }) => String(sku)),
    }))
    this.#count = this.#places.reduce((sum, { skus }) => sum + skus.length, 0)
  }

  /** Performs `steps` random changes in one transaction. */
  performSteps(steps: number): void {
    if (this.#count === 0 || steps <= 0) return
    this.#store.transaction(() => {
      const days = createDays(new Date(this.#clock.now()).toISOString().slice(0, 10))
      for (let step = 0; step < steps; step++) this.#performStep(days)
    })
  }

  #performStep(days: Days): void {
    const dice = this.#random.drawInteger(1, 100)
    const key = this.#takeOldestWithdrawn(dice) ?? this.#pickKey()
    const row = readStockRow(this.#store, key.warehouse_code, key.sku)
    if (row) writeStockRow(this.#store, this.#changeRow(row, dice, days))
  }

  /** Takes the SKU that was withdrawn first, if `dice` is in the range of a comeback or too many SKUs are withdrawn. */
  #takeOldestWithdrawn(dice: number): StockKey | undefined {
    return dice <= eventPercents.comeback || this.#withdrawn.length > maxWithdrawn
      ? this.#withdrawn.shift()
      : undefined
  }

  #pickKey(): StockKey {
    let index = this.#random.drawInteger(0, this.#count - 1)
    for (const { warehouse_code, skus } of this.#places) {
      const sku = skus[index]
      if (sku !== undefined) return { warehouse_code, sku }
      index -= skus.length
    }
    throw new RangeError('There is no such SKU.')
  }

  #changeRow(row: StockRow, dice: number, days: Days): StockRow {
    // A withdrawn SKU comes back when it is picked, even if a movement withdrew it.
    if (row.withdrawn) return { ...row, withdrawn: false }
    let least = eventPercents.comeback
    const isInRange = (percent: number) => {
      const from = least
      least += percent
      return dice > from && dice <= least
    }
    if (isInRange(eventPercents.receipt)) return this.#receive(row)
    if (isInRange(eventPercents.landing)) return this.#landOrAnnounce(row, days)
    if (isInRange(eventPercents.price)) return this.#changePrice(row)
    if (isInRange(eventPercents.withdrawal)) {
      this.#withdrawn.push({ warehouse_code: row.warehouse_code, sku: row.sku })
      return { ...row, withdrawn: true }
    }
    return this.#sell(row)
  }

  #sell(row: StockRow): StockRow {
    const sellable = row.on_hand - row.held
    if (sellable <= 0) return this.#receive(row)
    return { ...row, on_hand: row.on_hand - this.#random.drawInteger(1, Math.min(5, sellable)) }
  }

  #receive(row: StockRow): StockRow {
    return { ...row, on_hand: Math.min(maxAmount, row.on_hand + this.#random.drawInteger(5, 60)) }
  }

  /** Receives the goods that were announced first. If none are announced, or by chance, announces new goods. */
  #landOrAnnounce(row: StockRow, days: Days): StockRow {
    const [first, ...rest] = parseIncoming(row)
    if (first && (rest.length + 1 >= maxIncoming || this.#random.drawWithProbability(0.7))) {
      const on_hand = Math.min(maxAmount, row.on_hand + first.quantity)
      return { ...row, on_hand, incoming: JSON.stringify(rest) }
    }
    const from = this.#random.drawInteger(5, 40)
    const announced: Incoming = {
      quantity: this.#random.drawInteger(20, 80),
      earliest_date: days.toDay(from),
      latest_date: days.toDay(from + this.#random.drawInteger(3, 14)),
    }
    const incoming = [...(first ? [first] : []), ...rest, announced]
    return { ...row, incoming: JSON.stringify(incoming) }
  }

  /** Changes the price by at most 5 % and at least one minor unit, but not to zero. */
  #changePrice(row: StockRow): StockRow {
    const change = Math.max(1, Math.round((row.price_wholesale * this.#random.drawInteger(1, 5)) / 100))
    const goesUp = this.#random.drawWithProbability(0.5) || change >= row.price_wholesale
    const price_wholesale = Math.min(maxAmount, row.price_wholesale + (goesUp ? change : -change))
    return { ...row, price_wholesale, price_retail: Math.max(price_wholesale, row.price_retail) }
  }
}

/** Parses without validation, because only `Incoming` lists are written to `stock.incoming`. */
function parseIncoming(row: StockRow): Incoming[] {
  return JSON.parse(row.incoming)
}
