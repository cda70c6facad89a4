import type { ErpWarehouse, StockFigure } from '@trade-gateway/connector'

/** The one warehouse of the benchmarks and its goods, by number: the same for the ERP and for the database. */
export const warehouse: ErpWarehouse = {
  warehouse_code: 'BENCH1',
  name: 'Benchmark warehouse',
  country_code: 'AU',
  timezone: 'Australia/Sydney',
  currency: 'AUD',
  status: 'active',
}

export const rowsPerStyle = 8
/** All numbers have the same width, so that the order of the SKUs is that of the numbers. */
const firstStyle = 1_000_000

/** The SKU of a row by its number, here and as an expression of SQL over `i`. */
export const skuOf = {
  styleSql: `'ST' || cast(${firstStyle} + i / ${rowsPerStyle} as text)`,
  sql: `'ST' || cast(${firstStyle} + i / ${rowsPerStyle} as text) || '-BLK-' || cast(i % ${rowsPerStyle} as text)`,
  number: (row: number) => `${styleOf(row)}-BLK-${row % rowsPerStyle}`,
}

/** The figures of a SKU after its `change`th change; they differ from the stored ones and from one another. */
export function figureOf(sku: string, change: number): StockFigure {
  const quantity = 1_000 + change
  return {
    sku,
    product_code: sku.slice(0, sku.indexOf('-')),
    quantity_on_hand: quantity + 1,
    quantity_available: quantity,
    price_wholesale: 1_995,
    price_retail: 3_990,
    currency: warehouse.currency,
    incoming: [],
    stock_seq: null,
  }
}

function styleOf(row: number): string {
  return `ST${firstStyle + Math.floor(row / rowsPerStyle)}`
}
