/**
 * The ERP's opening stock is twice the ordered quantity of each SKU. Every order can then be filled. An order that is
 * placed twice by mistake is filled twice, so that the comparison finds it. A quarter of the stock is in the warehouse
 * that the ERP uses first, so orders ship from both warehouses. An ERP that takes an order from one warehouse gets half
 * a time more: its second warehouse has twice the ordered quantity on its own.
 */
import { sandboxCustomers } from '@trade-gateway/sandbox-erp'
import { toCsvField } from '../../../sandbox-erp/src/catalogue/csv.ts'
import { formatDecimal } from '../../../sandbox-erp/src/catalogue/decimal.ts'
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { WholesaleOrder } from './invoices.ts'
import type { Figures, StockByWarehouse } from './replay-erp.ts'

export const warehouses = ['AUSYD1', 'AUSYD2'] as const

/** Computes twice the ordered quantities, divided among the warehouses, or in the second of them alone. */
export function computeOpeningStock(
  orders: readonly WholesaleOrder[],
  { allocates_from }: { readonly allocates_from: 'one' | 'many' } = { allocates_from: 'many' },
): StockByWarehouse {
  const wanted = new Map<string, number>()
  for (const { goods } of orders) {
    for (const [sku, quantity] of goods) wanted.set(sku, (wanted.get(sku) ?? 0) + quantity)
  }
  const [first, second] = warehouses
  const mapQuantities = (amount: (quantity: number) => number) =>
    new Map([...wanted].map(([sku, quantity]) => [sku, amount(quantity)]))
  return new Map([
    [first, mapQuantities((quantity) => Math.ceil(quantity / 2))],
    [
      second,
      mapQuantities((quantity) =>
        allocates_from === 'one' ? quantity * 2 : quantity + Math.floor(quantity / 2),
      ),
    ],
  ])
}

/** Adds the ERP's own goods, which nobody orders. What the orders' goods open with is computed, not read. */
export async function addOtherStock(
  codes: readonly string[],
  stock: StockByWarehouse,
  readSnapshot: (code: string) => Promise<ReadonlyMap<string, Figures>>,
): Promise<StockByWarehouse> {
  const skus = new Set([...stock.values()].flatMap((each) => [...each.keys()]))
  const opening = new Map<string, ReadonlyMap<string, number>>()
  for (const code of codes) {
    const others = [...(await readSnapshot(code))].filter(([sku]) => !skus.has(sku))
    const own = stock.get(code) ?? new Map<string, number>()
    opening.set(code, new Map([...others.map(([sku, { on_hand }]) => [sku, on_hand] as const), ...own]))
  }
  return opening
}

/**
 * Returns the text of a catalogue file with the ordered goods. The sandbox ERP does not sell every n-th SKU of the file
 * to the first customer, so the file has a SKU that nobody orders at each of these positions.
 */
export function formatCatalogue(rows: readonly CatalogueRow[], opening: StockByWarehouse): string {
  const every = sandboxCustomers[0].leaves_out_one_in
  const ordered = rows.filter(({ sku }) => warehouses.some((code) => opening.get(code)?.has(sku)))
  const lines = ['sku,name,price_wholesale,price_retail,quantity,warehouse_code']
  let [place, unsold] = [0, 0]
  for (const { sku, name, price_wholesale, price_retail } of ordered) {
    if (place % every === every - 1) {
      unsold += 1
      place += 1
      lines.push(`UNSOLD-${unsold},Not for sale,1.00,2.00,0,${warehouses[0]}`)
    }
    place += 1
    for (const code of warehouses) {
      const fields = [
        sku,
        name,
        formatDecimal(price_wholesale),
        formatDecimal(price_retail),
        String(opening.get(code)?.get(sku) ?? 0),
        code,
      ]
      lines.push(fields.map(toCsvField).join(','))
    }
  }
  return `${lines.join('\n')}\n`
}
