/**
 * A warehouse at work: mostly it sells; now and then goods are announced and land, a price changes, a SKU is
 * withdrawn or comes back. Everything is drawn from the seed, one draw after the other, so that the same seed and
 * the same number of steps make the same stock (announced dates also follow the clock's day). Quantities hover
 * around where they are: a sale that finds nothing to sell is answered by a receipt.
 */
import { type Incoming, mostAmount } from '@trade-gateway/connector'
import { type Days, daysAround } from './catalogue/days.ts'
import { Random } from './catalogue/random.ts'
import type { Clock } from './clock.ts'
import { rowOf, type StockRow, writeRow } from './movements.ts'
import type { Store } from './store.ts'

/** SKUs that show a fixed behaviour keep their figures. */
const magicPrefix = 'SBX-'
/** So many SKUs of a warehouse's own withdrawing are away at once; one more, and the oldest comes back. */
const mostAway = 50
const mostIncoming = 3

/** How often what happens, in percent; the rest are sales. */
const often = { receipt: 4, landing: 3, price: 7, withdrawal: 3, comeback: 3 } as const

interface Place {
  readonly warehouse_code: string
  readonly sku: string
}

/** The stock that moves by itself. It knows every SKU by its place, so that a random one costs one look-up. */
export class Activity {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: Random
  readonly #places: readonly { readonly warehouse_code: string; readonly skus: readonly string[] }[]
  readonly #count: number
  /** What was withdrawn here and is still away, the oldest first. */
  readonly #away: Place[] = []

  /** Reads the SKUs once; one that is added later does not move before the next start. */
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
          magicPrefix.length,
          magicPrefix,
        )
        .map(({ sku }) => String(sku)),
    }))
    this.#count = this.#places.reduce((sum, { skus }) => sum + skus.length, 0)
  }

  /** Lets `steps` things happen, in one transaction. */
  move(steps: number): void {
    if (this.#count === 0 || steps <= 0) return
    this.#store.transaction(() => {
      const days = daysAround(new Date(this.#clock.now()).toISOString().slice(0, 10))
      for (let step = 0; step < steps; step++) this.#step(days)
    })
  }

  #step(days: Days): void {
    const dice = this.#random.whole(1, 100)
    const place = this.#comesBack(dice) ?? this.#anyPlace()
    const row = rowOf(this.#store, place.warehouse_code, place.sku)
    if (row) writeRow(this.#store, this.#next(row, dice, days))
  }

  /** The oldest SKU that is away, where the dice or their number say so. */
  #comesBack(dice: number): Place | undefined {
    return dice <= often.comeback || this.#away.length > mostAway ? this.#away.shift() : undefined
  }

  #anyPlace(): Place {
    let index = this.#random.whole(0, this.#count - 1)
    for (const { warehouse_code, skus } of this.#places) {
      const sku = skus[index]
      if (sku !== undefined) return { warehouse_code, sku }
      index -= skus.length
    }
    throw new RangeError('There is no such SKU.')
  }

  #next(row: StockRow, dice: number, days: Days): StockRow {
    // Whoever withdrew it: a SKU that is met while it is away comes back.
    if (row.withdrawn) return { ...row, withdrawn: false }
    let least = often.comeback
    const falls = (percent: number) => {
      const from = least
      least += percent
      return dice > from && dice <= least
    }
    if (falls(often.receipt)) return this.#received(row)
    if (falls(often.landing)) return this.#landedOrAnnounced(row, days)
    if (falls(often.price)) return this.#repriced(row)
    if (falls(often.withdrawal)) {
      this.#away.push({ warehouse_code: row.warehouse_code, sku: row.sku })
      return { ...row, withdrawn: true }
    }
    return this.#sold(row)
  }

  #sold(row: StockRow): StockRow {
    const sellable = row.on_hand - row.held
    if (sellable <= 0) return this.#received(row)
    return { ...row, on_hand: row.on_hand - this.#random.whole(1, Math.min(5, sellable)) }
  }

  #received(row: StockRow): StockRow {
    return { ...row, on_hand: Math.min(mostAmount, row.on_hand + this.#random.whole(5, 60)) }
  }

  /** What was announced lands, the first of it; where nothing was, something is announced. */
  #landedOrAnnounced(row: StockRow, days: Days): StockRow {
    const [first, ...rest] = incomingOf(row)
    if (first && (rest.length + 1 >= mostIncoming || this.#random.chance(0.7))) {
      const on_hand = Math.min(mostAmount, row.on_hand + first.quantity)
      return { ...row, on_hand, incoming: JSON.stringify(rest) }
    }
    const from = this.#random.whole(5, 40)
    const announced: Incoming = {
      quantity: this.#random.whole(20, 80),
      earliest_date: days.day(from),
      latest_date: days.day(from + this.#random.whole(3, 14)),
    }
    const incoming = [...(first ? [first] : []), ...rest, announced]
    return { ...row, incoming: JSON.stringify(incoming) }
  }

  /** Up or down by at most a twentieth, by at least the smallest coin, and never to nothing. */
  #repriced(row: StockRow): StockRow {
    const change = Math.max(1, Math.round((row.price_wholesale * this.#random.whole(1, 5)) / 100))
    const goesUp = this.#random.chance(0.5) || change >= row.price_wholesale
    const price_wholesale = Math.min(mostAmount, row.price_wholesale + (goesUp ? change : -change))
    return { ...row, price_wholesale, price_retail: Math.max(price_wholesale, row.price_retail) }
  }
}

/** The store holds what an `Incoming` list was written as. */
function incomingOf(row: StockRow): Incoming[] {
  return JSON.parse(row.incoming)
}
