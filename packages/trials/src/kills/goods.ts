/**
 * The goods and the orders of the trial. Most goods are plentiful, so an order of them is refused only by mistake. Of a
 * few there is so little that buyers compete for the last units. Nobody orders the rest, whose stock the ERP moves.
 */
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { WholesaleOrder } from '../order-replay/invoices.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { StockByWarehouse } from '../order-replay/replay-erp.ts'

const list = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)

const plentifulSkus = list('PLAIN', 40)
const scarceSkus = list('SCARCE', 5)
export const movedSkus = list('MOVED', 20)

/** More than any trial orders. A little of it is in the warehouse that the ERP uses first. */
const plenty = { first: 500, second: 1_000_000 } as const
const movedUnits = 1_000
/** The units of the first scarce SKU in a warehouse for each kill; of the n-th there are n times as many. */
const scarceUnitsPerKill = 0.15
const scarceShare = 0.2
/** More than of orders: a hold shows itself where it takes what others want. */
const heldScarceShare = 0.5
const maxLinesPerOrder = 4
const maxUnitsPerLine = 4

export const isScarce = (sku: string) => sku.startsWith('SCARCE')

/** The rows of the catalogue. */
export const catalogueRows: readonly CatalogueRow[] = [...plentifulSkus, ...scarceSkus, ...movedSkus].map(
  (sku) => ({ sku, name: `Goods ${sku}`, price_wholesale: 1_250, price_retail: 2_500, quantity: 0 }),
)

/** Computes the opening stock of a trial. */
export function computeOpening(kills: number): StockByWarehouse {
  const [first, second] = warehouses
  const scarce = scarceSkus.map((sku, index): [string, number] => [
    sku,
    Math.ceil(kills * scarceUnitsPerKill * (index + 1)),
  ])
  const all = (units: number) => [
    ...plentifulSkus.map((sku): [string, number] => [sku, units]),
    ...scarce,
    ...movedSkus.map((sku): [string, number] => [sku, movedUnits]),
  ]
  return new Map([
    [first, new Map(all(plenty.first))],
    [second, new Map(all(plenty.second))],
  ])
}

/** Draws some units of a SKU to hold. */
export function drawGoods(random: Random): readonly [sku: string, quantity: number] {
  const sku = random.pick(random.drawWithProbability(heldScarceShare) ? scarceSkus : plentifulSkus)
  return [sku, random.drawInteger(1, maxUnitsPerLine)]
}

/** Draws an order of plentiful goods, or of one scarce SKU. */
export function drawOrder(client_order_number: string, random: Random): WholesaleOrder {
  const units = () => random.drawInteger(1, maxUnitsPerLine)
  const goods = random.drawWithProbability(scarceShare)
    ? new Map([[random.pick(scarceSkus), units()]])
    : new Map(
        Array.from({ length: random.drawInteger(1, maxLinesPerOrder) }, () => [
          random.pick(plentifulSkus),
          units(),
        ]),
      )
  return { client_order_number, customer_id: null, goods }
}
