/**
 * Allocation of stock to the lines of an order. All units come from warehouses with one currency. If a hold releases
 * units, it is the currency of their warehouses. Otherwise it is the currency whose warehouses cover the most units;
 * with equal coverage, the one that comes first in the account's order of preference.
 *
 * Units that a hold releases are taken first, so that an order gets what was held for it. Then the warehouses are used
 * in the account's order of preference. A drop-ship order leaves from one warehouse; a reservation does if one
 * warehouse has everything.
 */
import type { ErpWarehouse, Incoming, OrderLine, shortReasons } from '@trade-gateway/connector'
import type { OrderedSku } from './goods.ts'
import type { Units } from './moves.ts'
import type { CheckedRequest } from './request.ts'

/** A line with its allocation. */
export interface AllocatedLine extends OrderLine {
  readonly good: OrderedSku
  readonly allocations: { warehouse_code: string; quantity: number }[]
  readonly quantity_allocated: number
  /** The list price in minor units; 0 if the SKU has none in this currency. */
  readonly list_price: number
  readonly short_reasons: (typeof shortReasons)[number][]
  /** Incoming goods, if the line is short. */
  readonly incoming: Incoming[]
}

export interface Allocation {
  readonly currency: string
  /** The country from which the goods leave. */
  readonly country_code: string
  /** The time zone of the warehouse from which they leave. */
  readonly timezone: string
  readonly lines: readonly AllocatedLine[]
}

const maxIncoming = 50

/** Allocates without writing. `released` lists the units that a hold releases in the same step. */
export function allocate(checked: CheckedRequest, released: readonly Units[]): Allocation {
  const groups = [...Map.groupBy(checked.warehouses, ({ currency }) => currency)]
  const plans = groups.map(([currency, warehouses]) => {
    const stock = new AvailableStock(warehouses, checked.goods, released)
    const taken = allocateLines(stock, checked.request.order_type, checked.request.lines)
    return {
      currency,
      warehouses,
      stock,
      taken,
      covered: taken.reduce((sum, one) => sum + one.quantity_allocated, 0),
    }
  })
  const best =
    plans.find(({ stock }) => stock.hasReleased) ?? plans.toSorted((a, b) => b.covered - a.covered)[0]
  if (!best) throw new Error('There is no warehouse to allocate from.')
  const first = best.taken.flatMap(({ allocations }) => allocations)[0]?.warehouse_code
  const origin = best.warehouses.find(({ warehouse_code }) => warehouse_code === first) ?? best.warehouses[0]
  return {
    currency: best.currency,
    country_code: origin?.country_code ?? '',
    timezone: origin?.timezone ?? 'UTC',
    lines: best.taken.map((taken) => ({
      ...taken,
      ...best.stock.describeLine(taken, checked.warehouses),
    })),
  }
}

type TakenLine = Pick<AllocatedLine, 'sku' | 'quantity' | 'allocations' | 'quantity_allocated'>

function allocateLines(
  stock: AvailableStock,
  type: CheckedRequest['request']['order_type'],
  lines: readonly OrderLine[],
): TakenLine[] {
  const spread = lines.map((line) => stock.allocateLine(line, stock.codes))
  if (type === 'wholesale') return spread
  const single = stock.codes.map((code) => lines.map((line) => stock.allocateLine(line, [code])))
  const whole = single.find((taken) => taken.every((line) => line.quantity_allocated === line.quantity))
  if (whole) return whole
  if (type === 'reservation') return spread
  const countUnits = (taken: readonly TakenLine[]) =>
    taken.reduce((sum, line) => sum + line.quantity_allocated, 0)
  return single.toSorted((a, b) => countUnits(b) - countUnits(a))[0] ?? spread
}

/** The stock of the warehouses of one currency, for one request. */
class AvailableStock {
  /** The warehouses in order of use. Those with released units come first. */
  readonly codes: readonly string[]
  readonly hasReleased: boolean
  readonly #warehouses: readonly ErpWarehouse[]
  readonly #goods: ReadonlyMap<string, OrderedSku>
  readonly #released = new Map<string, number>()

  constructor(
    warehouses: readonly ErpWarehouse[],
    goods: ReadonlyMap<string, OrderedSku>,
    released: readonly Units[],
  ) {
    this.#warehouses = warehouses
    this.#goods = goods
    const here = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
    const releasedHere = released.filter(({ warehouse_code }) => here.has(warehouse_code))
    for (const { warehouse_code, sku, quantity } of releasedHere)
      this.#released.set(`${warehouse_code}\u001f${sku}`, quantity)
    const before = new Set(releasedHere.map(({ warehouse_code }) => warehouse_code))
    const codes = warehouses.map(({ warehouse_code }) => warehouse_code)
    this.codes = [...codes.filter((code) => before.has(code)), ...codes.filter((code) => !before.has(code))]
    this.hasReleased = releasedHere.length > 0
  }

  /** Takes units for a line, first those that a hold releases. */
  allocateLine({ sku, quantity }: OrderLine, codes: readonly string[]): TakenLine {
    const taken = new Map<string, number>()
    let missing = quantity
    const takeFrom = (code: string, most: number) => {
      const units = Math.min(missing, Math.max(0, most))
      if (units === 0) return
      taken.set(code, (taken.get(code) ?? 0) + units)
      missing -= units
    }
    for (const code of codes) takeFrom(code, this.#released.get(`${code}\u001f${sku}`) ?? 0)
    for (const code of codes) takeFrom(code, this.#countFree(code, sku))
    const allocations = [...taken].map(([warehouse_code, units]) => ({ warehouse_code, quantity: units }))
    return { sku, quantity, allocations, quantity_allocated: quantity - missing }
  }

  /** Returns the price of a line and, if it is short, the reasons and the incoming goods. */
  describeLine(line: TakenLine, usable: readonly ErpWarehouse[]): Omit<AllocatedLine, keyof TakenLine> {
    const good = this.#goods.get(line.sku)
    if (!good) throw new Error(`${line.sku} was not looked up.`)
    const rows = this.#warehouses.flatMap(({ warehouse_code }) => good.rows.get(warehouse_code) ?? [])
    const list_price = (rows.find(({ withdrawn }) => !withdrawn) ?? rows[0])?.price_wholesale ?? 0
    if (line.quantity_allocated === line.quantity)
      return { good, list_price, short_reasons: [], incoming: [] }
    return {
      good,
      list_price,
      short_reasons: this.#explainShortage(good, usable),
      incoming: listIncoming(good, usable),
    }
  }

  #countFree(code: string, sku: string): number {
    const row = this.#goods.get(sku)?.rows.get(code)
    return row && !row.withdrawn ? row.on_hand - row.held : 0
  }

  #explainShortage(good: OrderedSku, usable: readonly ErpWarehouse[]): AllocatedLine['short_reasons'] {
    const carried = usable.filter(({ warehouse_code }) => good.rows.get(warehouse_code)?.withdrawn === false)
    if (carried.length === 0) return ['discontinued']
    const isAtWarehouse = (one: ErpWarehouse) =>
      this.#warehouses.some(({ warehouse_code }) => warehouse_code === one.warehouse_code)
    const isElsewhere = carried.some((one) => !isAtWarehouse(one) && countFree(good, one.warehouse_code) > 0)
    return [
      ...(carried.some(isAtWarehouse) || !isElsewhere ? (['insufficient_stock'] as const) : []),
      ...(isElsewhere ? (['other_currency'] as const) : []),
      ...(good.is_discontinued ? (['discontinued'] as const) : []),
    ]
  }
}

function countFree(good: OrderedSku, code: string): number {
  const row = good.rows.get(code)
  return row && !row.withdrawn ? row.on_hand - row.held : 0
}

/**
 * Lists the goods that are on their way to the usable warehouses. Parses without validation, because only `Incoming`
 * lists are written to `stock.incoming`.
 */
function listIncoming(good: OrderedSku, usable: readonly ErpWarehouse[]): Incoming[] {
  const all = usable.flatMap(({ warehouse_code }): Incoming[] => {
    const row = good.rows.get(warehouse_code)
    return row && !row.withdrawn ? JSON.parse(row.incoming) : []
  })
  return all
    .toSorted((a, b) => (a.earliest_date < b.earliest_date ? -1 : a.earliest_date > b.earliest_date ? 1 : 0))
    .slice(0, maxIncoming)
}
