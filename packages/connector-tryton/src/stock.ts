/**
 * Stock figures. On hand is what is in the warehouse. Available is what is in its storage zone, less what is assigned:
 * goods that were picked are in the output zone and no longer available.
 *
 * No call names a day. Tryton books on the company's own day; a figure of the UTC day would count what was picked or
 * shipped since the company's midnight as still there.
 */
import { type ErpResult, type Output, ok, rejected, type StockFigure } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Catalogue, Sku } from './catalogue.ts'
import { type Connector, findWarehouse } from './connector.ts'
import { readIncoming } from './incoming.ts'
import type { Warehouse } from './places.ts'
import type { Prices } from './prices.ts'
import type { Context } from './rpc.ts'
import { id, toMinor } from './values.ts'

/** A page takes about as long as this many prices, the first time, so it is shorter than a gateway may ask for. */
const maxPageSkus = 500

/** A product whose quantity of all time is fractional is not counted in pieces; its fraction cannot be ordered. */
const toWhole = (quantity: number) => Math.floor(quantity + 1e-6)
const quantityRow = z.object({ id, quantity: z.number().nullish() })

export interface Stock {
  readonly connector: Connector
  readonly catalogue: Catalogue
  readonly prices: Prices
}

export async function readStockPage(
  stock: Stock,
  { warehouse_code, after, limit }: { warehouse_code: string; after: string | null; limit: number },
): Promise<ErpResult<Output<'stock.snapshot'>>> {
  const warehouse = findWarehouse(stock.connector, warehouse_code)
  if (!warehouse) return refuseWarehouse(warehouse_code)
  const { skus, next } = await stock.catalogue.readPage(after, Math.min(limit, maxPageSkus))
  return ok({ rows: await readFigures(stock, warehouse, skus), next, stock_seq: null })
}

export async function readStock(
  stock: Stock,
  { warehouse_code, skus }: { warehouse_code: string; skus: readonly string[] },
): Promise<ErpResult<Output<'stock.read'>>> {
  const warehouse = findWarehouse(stock.connector, warehouse_code)
  if (!warehouse) return refuseWarehouse(warehouse_code)
  const found = await stock.catalogue.readSkus(skus)
  return ok({ rows: await readFigures(stock, warehouse, found), stock_seq: null })
}

export const refuseWarehouse = (code: string) => rejected('not_found', `There is no warehouse ${code}.`)

/** Reads the figures of SKUs in one warehouse. */
export async function readFigures(
  stock: Stock,
  warehouse: Warehouse,
  skus: readonly Sku[],
): Promise<StockFigure[]> {
  if (skus.length === 0) return []
  const { connector } = stock
  const { currency, minorUnits } = connector.places
  const products = skus.map((sku) => sku.id)
  const [onHand, available, wholesale, incoming] = await Promise.all([
    readQuantities(connector, products, { locations: [warehouse.id] }),
    readAvailable(connector, warehouse, products),
    stock.prices.read(skus),
    readIncoming(connector, warehouse, products),
  ])
  return skus.map((sku) => ({
    sku: sku.code,
    product_code: sku.productCode,
    quantity_on_hand: toWhole(onHand.get(sku.id) ?? 0),
    quantity_available: available.get(sku.id) ?? 0,
    price_wholesale: wholesale.get(sku.id) ?? 0,
    price_retail: Math.max(0, toMinor(sku.listPrice, minorUnits)),
    currency,
    incoming: incoming.get(sku.id) ?? [],
    stock_seq: null,
  }))
}

/** Reads what can still be assigned of products in a warehouse. */
export async function readAvailable(
  connector: Connector,
  warehouse: Warehouse,
  products: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const context = { locations: [warehouse.storage], stock_assign: true }
  const quantities = await readQuantities(connector, products, context)
  return new Map([...quantities].map(([product, quantity]) => [product, toWhole(quantity)]))
}

async function readQuantities(
  { rpc }: Connector,
  products: readonly number[],
  context: Context,
): Promise<ReadonlyMap<number, number>> {
  const settings = { fields: ['quantity'], context }
  const rows = await rpc.searchRead('product.product', [['id', 'in', products]], quantityRow, settings)
  return new Map(rows.map((row) => [row.id, row.quantity ?? 0]))
}
