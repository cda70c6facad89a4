/** Gives a Tryton sandbox the goods of a replay, as staff would enter them. */
import { z } from 'zod'
import type { Seeder } from '../../../connector-tryton/src/tryton/seeder.ts'
import { shopName } from '../../../connector-tryton/src/tryton/settings.ts'
import { fromMinor, id, toDate } from '../../../connector-tryton/src/values.ts'
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { StockByWarehouse } from './replay-erp.ts'

const minorUnits = 100
const stylesPerCall = 100
const countsPerInventory = 1_000
/** Long ago: Tryton counts what is dated up to the company's own day. */
const inventoryDay = '2020-01-01'

const productRow = z.object({ id, code: z.string() })

/**
 * Creates a style with one SKU of the same code for each row that has opening stock, sells them in the shop, and counts
 * their stock. The customers' price list makes the wholesale price of the list price, which is the retail price.
 */
export async function createGoods(
  seeder: Seeder,
  rows: readonly CatalogueRow[],
  opening: StockByWarehouse,
): Promise<void> {
  const wanted = rows.filter(({ sku }) => [...opening.values()].some((stock) => stock.has(sku)))
  const products = await createStyles(seeder, wanted)
  const shop = await seeder.findOne('web.shop', [['name', '=', shopName]])
  await seeder.write('web.shop', [shop], { products: [['add', [...products.values()]]] })
  for (const [code, stock] of opening) await countStock(seeder, { code, stock, products })
}

async function createStyles(seeder: Seeder, rows: readonly CatalogueRow[]): Promise<Map<string, number>> {
  const unit = await seeder.findOne('product.uom', [['symbol', '=', 'u']])
  const account_category = await seeder.findOne('product.category', [['accounting', '=', true]])
  const products = new Map<string, number>()
  for (let from = 0; from < rows.length; from += stylesPerCall) {
    const values = rows.slice(from, from + stylesPerCall).map(({ sku, name, price_retail }) => ({
      ...{ name, code: sku, type: 'goods', cost_price_method: 'fixed', salable: true, account_category },
      ...{ default_uom: unit, sale_uom: unit, list_price: fromMinor(price_retail, minorUnits) },
      products: [['create', [{ cost_price: fromMinor(0, minorUnits) }]]],
    }))
    const templates = await seeder.createAll('product.template', values)
    const domain = [['template', 'in', templates]]
    const found = await seeder.rpc.searchRead('product.product', domain, productRow, { fields: ['code'] })
    for (const product of found) products.set(product.code, product.id)
  }
  return products
}

interface Count {
  readonly code: string
  readonly stock: ReadonlyMap<string, number>
  readonly products: ReadonlyMap<string, number>
}

async function countStock(seeder: Seeder, { code, stock, products }: Count): Promise<void> {
  const location = await seeder.findOne('stock.location', [['code', '=', `${code}-STORAGE`]])
  const company = await seeder.findOne('company.company', [])
  const lines = [...stock].map(([sku, quantity]) => ({ product: products.get(sku), quantity }))
  for (let from = 0; from < lines.length; from += countsPerInventory) {
    const some = lines.slice(from, from + countsPerInventory)
    const values = {
      ...{ location, company, date: toDate(inventoryDay), empty_quantity: 'keep' },
      lines: [['create', some]],
    }
    await seeder.press('stock.inventory', 'confirm', [await seeder.createOne('stock.inventory', values)])
  }
}
