import type { ErpProduct } from '@trade-gateway/connector'
import { type StockRow, stockRow } from '../movements.ts'
import type { Store } from '../store.ts'
import { Refusal } from './desk.ts'

/** A SKU as an order needs it. */
export interface Good {
  readonly sku: string
  readonly product_code: string
  readonly weight_g: number
  readonly is_discontinued: boolean
  /** Its rows of stock by warehouse, withdrawn ones too. */
  readonly rows: ReadonlyMap<string, StockRow>
}

const usualWeightG = 500

/**
 * The ordered SKUs, of every warehouse of the ERP. Throws a `Refusal` for one that there is not (`not_found`) and
 * for one that the customer may not order (`sku_blocked`).
 */
export function goodsOf(
  store: Store,
  customer: string,
  skus: readonly string[],
  warehouses: readonly string[],
): Map<string, Good> {
  const wanted = JSON.stringify(skus)
  const rows = new Map<string, Map<string, StockRow>>()
  const styles = new Map<string, string>()
  for (const warehouse of warehouses) {
    const found = store.all(
      'select * from stock where warehouse_code = ? and sku in (select value from json_each(?))',
      warehouse,
      wanted,
    )
    for (const row of found) {
      const sku = String(row.sku)
      const places = rows.get(sku) ?? new Map<string, StockRow>()
      rows.set(sku, places.set(warehouse, stockRow(row)))
      styles.set(sku, String(row.product_code))
    }
  }
  const unknown = skus.filter((sku) => !styles.has(sku))
  if (unknown.length > 0) throw new Refusal('not_found', `There is no SKU ${shown(unknown)}.`)
  refuseBlocked(store, customer, skus)
  const products = productsOf(store, new Set(styles.values()))
  return new Map(
    skus.map((sku) => {
      const product_code = styles.get(sku) ?? sku
      const product = products.get(product_code)
      return [
        sku,
        {
          sku,
          product_code,
          weight_g: weightOf(product, sku),
          is_discontinued: product?.status === 'discontinued',
          rows: rows.get(sku) ?? new Map(),
        },
      ]
    }),
  )
}

function refuseBlocked(store: Store, customer: string, skus: readonly string[]) {
  const rule = store.one(
    'select sellable_rule from customers where customer_code = ?',
    customer,
  )?.sellable_rule
  const listed = new Set(
    store
      .all(
        'select sku from sellable where customer_code = ? and sku in (select value from json_each(?))',
        customer,
        JSON.stringify(skus),
      )
      .map((row) => row.sku),
  )
  const blocked = skus.filter((sku) => listed.has(sku) !== (rule === 'only'))
  if (blocked.length === 0) return
  throw new Refusal('sku_blocked', `${customer} may not order ${shown(blocked)}.`)
}

/** What a unit of each line weighs, in grams. */
export function weightsOf(
  store: Store,
  lines: readonly { readonly sku: string; readonly product_code: string }[],
): Map<string, number> {
  const products = productsOf(store, new Set(lines.map(({ product_code }) => product_code)))
  return new Map(
    lines.map(({ sku, product_code }) => [sku, weightOf(products.get(product_code), sku)] as const),
  )
}

function weightOf(product: ErpProduct | undefined, sku: string): number {
  return product?.skus.find((one) => one.sku === sku)?.weight_g ?? usualWeightG
}

/** The cast-free parse holds because the seed wrote each body from an `ErpProduct`. */
function productsOf(store: Store, codes: ReadonlySet<string>): Map<string, ErpProduct> {
  return new Map(
    store
      .all(
        'select product_code, body from products where product_code in (select value from json_each(?))',
        JSON.stringify([...codes]),
      )
      .map((row) => [String(row.product_code), JSON.parse(String(row.body))]),
  )
}

function shown(skus: readonly string[]): string {
  const most = 5
  return skus.length > most
    ? `${skus.slice(0, most).join(', ')} and ${skus.length - most} more`
    : skus.join(', ')
}
