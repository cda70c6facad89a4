/**
 * The stock that the ERP opens with: of every SKU twice as much as is ordered of it, so that every order can be filled
 * and one that is placed twice is filled twice, and seen. A quarter stands in the warehouse that is emptied first, so
 * that orders come from both.
 */
import { sandboxCustomers } from '@trade-gateway/sandbox-erp'
import { csvField } from '../../../sandbox-erp/src/catalogue/csv.ts'
import { decimalText } from '../../../sandbox-erp/src/catalogue/decimal.ts'
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { WholesaleOrder } from './invoices.ts'

export const warehouses = ['AUSYD1', 'AUSYD2'] as const

/** The quantity on hand of each SKU, by warehouse. */
export type Shelves = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Twice what the orders ask for altogether, divided among the warehouses. */
export function openingFor(orders: readonly WholesaleOrder[]): Shelves {
  const wanted = new Map<string, number>()
  for (const { goods } of orders) {
    for (const [sku, quantity] of goods) wanted.set(sku, (wanted.get(sku) ?? 0) + quantity)
  }
  const [first, second] = warehouses
  const each = (amount: (quantity: number) => number) =>
    new Map([...wanted].map(([sku, quantity]) => [sku, amount(quantity)]))
  return new Map([
    [first, each((quantity) => Math.ceil(quantity / 2))],
    [second, each((quantity) => quantity + Math.floor(quantity / 2))],
  ])
}

/**
 * The catalogue file of the goods that are ordered. The ERP lets no customer order everything: one SKU in so
 * many, counted by their places in the file, is not for the first customer. In those places stands something that
 * nobody orders.
 */
export function catalogueFor(rows: readonly CatalogueRow[], opening: Shelves): string {
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
        decimalText(price_wholesale),
        decimalText(price_retail),
        String(opening.get(code)?.get(sku) ?? 0),
        code,
      ]
      lines.push(fields.map(csvField).join(','))
    }
  }
  return `${lines.join('\n')}\n`
}
