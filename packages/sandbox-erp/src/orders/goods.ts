import type { ErpProduct } from '@trade-gateway/connector'
import { type StockRow, toStockRow } from '../movements.ts'
import type { Store } from '../store.ts'
import { Refusal } from './context.ts'

/** The data of a SKU that orders require. */
export interface OrderedSku {
  readonly sku: string
  readonly product_code: string
  readonly weight_g: number
  readonly is_discontinued: boolean
  /** Its rows of stock by warehouse, including withdrawn ones. */
  readonly rows: ReadonlyMap<string, StockRow>
}

const defaultWeightG = 500

interface GoodsRequest {
  readonly customer: string
  readonly skus: readonly string[]
  readonly warehouses: readonly string[]
}

/**
 * Reads the ordered SKUs in all warehouses of the ERP. Throws a `Refusal` for an unknown SKU (`not_found`) and for a
 * SKU that the customer may not order (`sku_blocked`).
 */
export function readGoods(
  store: Store,
  { customer, skus, warehouses }: GoodsRequest,
): Map<string, OrderedSku> {
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
      rows.set(sku, places.set(warehouse, toStockRow(row)))
      styles.set(sku, String(row.product_code))
    }
  }
  const unknown = skus.filter((sku) => !styles.has(sku))
  if (unknown.length > 0) throw new Refusal('not_found', `There is no SKU ${formatSkus(unknown)}.`)
  requireSellable(store, customer, skus)
  const products = readProducts(store, new Set(styles.values()))
  return new Map(
    skus.map((sku) => {
      const product_code = styles.get(sku) ?? sku
      const product = products.get(product_code)
      return [
        sku,
        {
          sku,
          product_code,
          weight_g: findWeight(product, sku),
          is_discontinued: product?.status === 'discontinued',
          rows: rows.get(sku) ?? new Map(),
        },
      ]
    }),
  )
}

function requireSellable(store: Store, customer: string, skus: readonly string[]) {
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
  throw new Refusal('sku_blocked', `${customer} may not order ${formatSkus(blocked)}.`)
}

/** Reads the weight of one unit of each line in grams. */
export function readWeights(
  store: Store,
  lines: readonly { readonly sku: string; readonly product_code: string }[],
): Map<string, number> {
  const products = readProducts(store, new Set(lines.map(({ product_code }) => product_code)))
  return new Map(
    lines.map(({ sku, product_code }) => [sku, findWeight(products.get(product_code), sku)] as const),
  )
}

function findWeight(product: ErpProduct | undefined, sku: string): number {
  return product?.skus.find((one) => one.sku === sku)?.weight_g ?? defaultWeightG
}

/** Reads styles by code. Parses without validation, because the seed wrote each body from an `ErpProduct`. */
function readProducts(store: Store, codes: ReadonlySet<string>): Map<string, ErpProduct> {
  return new Map(
    store
      .all(
        'select product_code, body from products where product_code in (select value from json_each(?))',
        JSON.stringify([...codes]),
      )
      .map((row) => [String(row.product_code), JSON.parse(String(row.body))]),
  )
}

function formatSkus(skus: readonly string[]): string {
  const maxListed = 5
  return skus.length > maxListed
    ? `${skus.slice(0, maxListed).join(', ')} and ${skus.length - maxListed} more`
    : skus.join(', ')
}
