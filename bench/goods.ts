import type { ErpWarehouse, StockFigure } from '@trade-gateway/connector'

/** The only warehouse of the benchmarks. The simulated ERP and the filled database use the same goods. */
export const warehouse: ErpWarehouse = {
  warehouse_code: 'BENCH1',
  name: 'Benchmark warehouse',
  country_code: 'AU',
  timezone: 'Australia/Sydney',
  currency: 'AUD',
  status: 'active',
}

export const rowsPerStyle = 8
/** All style numbers have the same width, so that SKUs sort like their row numbers. */
const firstStyle = 1_000_000

/** SQL expressions for the style and the SKU of row number `i`. `formatSku` builds the same SKU. */
export const styleSql = `'ST' || cast(${firstStyle} + i / ${rowsPerStyle} as text)`
export const skuSql = `${styleSql} || '-BLK-' || cast(i % ${rowsPerStyle} as text)`

/** Formats the SKU of a row by the row's number. */
export function formatSku(row: number): string {
  return `${formatStyle(row)}-BLK-${row % rowsPerStyle}`
}

/** Creates the stock figures of a SKU after change number `change`. Each change gives different figures. */
export function createFigure(sku: string, change: number): StockFigure {
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

function formatStyle(row: number): string {
  return `ST${firstStyle + Math.floor(row / rowsPerStyle)}`
}
