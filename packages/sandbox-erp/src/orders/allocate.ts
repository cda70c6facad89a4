/**
 * Where the goods of an order come from. All of it is of one currency: the one that covers most units, the account's
 * preference decides between equals. What a hold gives back is taken first, so that an order gets what was held for
 * it; then the warehouses are emptied in the order of the account's preference. A drop-ship order leaves from one
 * warehouse; a reservation does where one has it all.
 */
import type { ErpWarehouse, Incoming, OrderLine, shortReasons } from '@trade-gateway/connector'
import type { Good } from './goods.ts'
import type { Units } from './moves.ts'
import type { Understood } from './request.ts'

/** A line with what there is for it. */
export interface AllocatedLine extends OrderLine {
  readonly good: Good
  readonly allocations: { warehouse_code: string; quantity: number }[]
  readonly quantity_allocated: number
  /** The list price, in minor units; 0 where the SKU has none in this currency. */
  readonly list_price: number
  readonly short_reasons: (typeof shortReasons)[number][]
  /** What is under way, where the line is short. */
  readonly incoming: Incoming[]
}

export interface Allocated {
  readonly currency: string
  /** From which country the goods leave. */
  readonly country_code: string
  readonly lines: readonly AllocatedLine[]
}

const mostIncoming = 50

/** Allocates without writing; `freed` is what a hold gives back in the same step. */
export function allocate(understood: Understood, freed: readonly Units[]): Allocated {
  const groups = [...Map.groupBy(understood.warehouses, ({ currency }) => currency)]
  const plans = groups.map(([currency, warehouses]) => {
    const stock = new Stock(warehouses, understood.goods, freed)
    const taken = takenFrom(stock, understood.request.order_type, understood.request.lines)
    return {
      currency,
      warehouses,
      stock,
      taken,
      covered: taken.reduce((sum, one) => sum + one.quantity_allocated, 0),
    }
  })
  const best = plans.find(({ stock }) => stock.hasFreed) ?? plans.toSorted((a, b) => b.covered - a.covered)[0]
  if (!best) throw new Error('There is no warehouse to allocate from.')
  const first = best.taken.flatMap(({ allocations }) => allocations)[0]?.warehouse_code
  const origin = best.warehouses.find(({ warehouse_code }) => warehouse_code === first) ?? best.warehouses[0]
  return {
    currency: best.currency,
    country_code: origin?.country_code ?? '',
    lines: best.taken.map((taken) => ({ ...taken, ...best.stock.told(taken, understood.warehouses) })),
  }
}

type Taken = Pick<AllocatedLine, 'sku' | 'quantity' | 'allocations' | 'quantity_allocated'>

function takenFrom(
  stock: Stock,
  type: Understood['request']['order_type'],
  lines: readonly OrderLine[],
): Taken[] {
  const spread = lines.map((line) => stock.take(line, stock.codes))
  if (type === 'wholesale') return spread
  const single = stock.codes.map((code) => lines.map((line) => stock.take(line, [code])))
  const whole = single.find((taken) => taken.every((line) => line.quantity_allocated === line.quantity))
  if (whole) return whole
  if (type === 'reservation') return spread
  const units = (taken: readonly Taken[]) => taken.reduce((sum, line) => sum + line.quantity_allocated, 0)
  return single.toSorted((a, b) => units(b) - units(a))[0] ?? spread
}

/** The stock of the warehouses of one currency, as one request finds it. */
class Stock {
  /** The warehouses in the order in which they are emptied: where something was held for this, first. */
  readonly codes: readonly string[]
  readonly hasFreed: boolean
  readonly #warehouses: readonly ErpWarehouse[]
  readonly #goods: ReadonlyMap<string, Good>
  readonly #freed = new Map<string, number>()

  constructor(
    warehouses: readonly ErpWarehouse[],
    goods: ReadonlyMap<string, Good>,
    freed: readonly Units[],
  ) {
    this.#warehouses = warehouses
    this.#goods = goods
    const here = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
    const givenBack = freed.filter(({ warehouse_code }) => here.has(warehouse_code))
    for (const { warehouse_code, sku, quantity } of givenBack)
      this.#freed.set(`${warehouse_code}\u001f${sku}`, quantity)
    const before = new Set(givenBack.map(({ warehouse_code }) => warehouse_code))
    const codes = warehouses.map(({ warehouse_code }) => warehouse_code)
    this.codes = [...codes.filter((code) => before.has(code)), ...codes.filter((code) => !before.has(code))]
    this.hasFreed = givenBack.length > 0
  }

  /** What the warehouses have for a line, first what was held for it. */
  take({ sku, quantity }: OrderLine, codes: readonly string[]): Taken {
    const taken = new Map<string, number>()
    let missing = quantity
    const takeFrom = (code: string, most: number) => {
      const units = Math.min(missing, Math.max(0, most))
      if (units === 0) return
      taken.set(code, (taken.get(code) ?? 0) + units)
      missing -= units
    }
    for (const code of codes) takeFrom(code, this.#freed.get(`${code}\u001f${sku}`) ?? 0)
    for (const code of codes) takeFrom(code, this.#free(code, sku))
    const allocations = [...taken].map(([warehouse_code, units]) => ({ warehouse_code, quantity: units }))
    return { sku, quantity, allocations, quantity_allocated: quantity - missing }
  }

  /** The price of a line and, where it is short, why and until when. */
  told(line: Taken, usable: readonly ErpWarehouse[]): Omit<AllocatedLine, keyof Taken> {
    const good = this.#goods.get(line.sku)
    if (!good) throw new Error(`${line.sku} was not looked up.`)
    const rows = this.#warehouses.flatMap(({ warehouse_code }) => good.rows.get(warehouse_code) ?? [])
    const list_price = (rows.find(({ withdrawn }) => !withdrawn) ?? rows[0])?.price_wholesale ?? 0
    if (line.quantity_allocated === line.quantity)
      return { good, list_price, short_reasons: [], incoming: [] }
    return {
      good,
      list_price,
      short_reasons: this.#whyShort(good, usable),
      incoming: incomingOf(good, usable),
    }
  }

  #free(code: string, sku: string): number {
    const row = this.#goods.get(sku)?.rows.get(code)
    return row && !row.withdrawn ? row.on_hand - row.held : 0
  }

  #whyShort(good: Good, usable: readonly ErpWarehouse[]): AllocatedLine['short_reasons'] {
    const carried = usable.filter(({ warehouse_code }) => good.rows.get(warehouse_code)?.withdrawn === false)
    if (carried.length === 0) return ['discontinued']
    const isHere = (one: ErpWarehouse) =>
      this.#warehouses.some(({ warehouse_code }) => warehouse_code === one.warehouse_code)
    const isElsewhere = carried.some((one) => !isHere(one) && freeIn(good, one.warehouse_code) > 0)
    return [
      ...(carried.some(isHere) || !isElsewhere ? (['insufficient_stock'] as const) : []),
      ...(isElsewhere ? (['other_currency'] as const) : []),
      ...(good.is_discontinued ? (['discontinued'] as const) : []),
    ]
  }
}

function freeIn(good: Good, code: string): number {
  const row = good.rows.get(code)
  return row && !row.withdrawn ? row.on_hand - row.held : 0
}

/** The store holds what `Incoming` lists were written as. */
function incomingOf(good: Good, usable: readonly ErpWarehouse[]): Incoming[] {
  const all = usable.flatMap(({ warehouse_code }): Incoming[] => {
    const row = good.rows.get(warehouse_code)
    return row && !row.withdrawn ? JSON.parse(row.incoming) : []
  })
  return all
    .toSorted((a, b) => (a.earliest_date < b.earliest_date ? -1 : a.earliest_date > b.earliest_date ? 1 : 0))
    .slice(0, mostIncoming)
}
