/** The warehouses, the styles and the stock of the sandbox. */
import { z } from 'zod'
import { id, toDate, toDecimal } from '../values.ts'
import type { Company } from './seed-company.ts'
import type { Seeder } from './seeder.ts'

const stylesPerCall = 100
const sizes = ['S', 'M', 'L', 'XL'] as const
const maxUnits = 120
/** Confirming 2,000 lines takes 13 s on two free cores, and minutes on busy ones. */
const linesPerInventory = 2_000
/** The stock was counted long ago: Tryton counts what is dated up to the company's own day. */
const inventoryDay = '2020-01-01'
const retailFrom = 20
const retailSteps = 80

export const warehouses = [
  { code: 'AUSYD1', name: 'Sydney 1', country: 'AU', city: 'Sydney' },
  { code: 'AUSYD2', name: 'Sydney 2', country: 'AU', city: 'Sydney' },
  { code: 'CHNZJ1', name: 'Zhejiang 1', country: 'CN', city: 'Hangzhou' },
] as const

export interface Goods {
  readonly accountCategory: number
  readonly unit: number
  readonly warehouseIds: readonly number[]
  /** The ids of all SKUs in order of their codes. */
  readonly skuIds: readonly number[]
}

export async function seedGoods(seeder: Seeder, company: Company, styles: number): Promise<Goods> {
  const places = await createWarehouses(seeder, company)
  const accountCategory = await seeder.createOne('product.category', {
    ...{
      name: 'Goods',
      accounting: true,
      account_revenue: company.revenue,
      account_expense: company.expense,
    },
    customer_taxes: [['add', [company.tax]]],
  })
  const unit = await seeder.findOne('product.uom', [['symbol', '=', 'u']])
  const skuIds = await createStyles(seeder, { accountCategory, unit }, styles)
  for (const place of places) await countStock(seeder, { company, place, skuIds })
  return { accountCategory, unit, skuIds, warehouseIds: places.map((place) => place.id) }
}

async function createWarehouses(seeder: Seeder, company: Company) {
  const party = await seeder.createOne('party.party', { name: 'Trade Co Warehouses' })
  const places: { id: number; storage: number }[] = []
  for (const { code, name, country, city } of warehouses) {
    const createZone = (zone: string, type = 'storage') =>
      seeder.createOne('stock.location', {
        name: `${name} ${zone}`,
        code: `${code}-${zone.toUpperCase()}`,
        type,
      })
    const address = await seeder.createOne('party.address', {
      ...{ party, street: `${code} dock`, city, country: company.countries[country] },
      subdivision: company.subdivisions[country],
    })
    const storage = await createZone('Storage')
    const id = await seeder.createOne('stock.location', {
      ...{ name, code, type: 'warehouse', address, storage_location: storage },
      input_location: await createZone('Input'),
      output_location: await createZone('Output'),
      lost_found_location: await createZone('Lost', 'lost_found'),
    })
    await createHoldZone(seeder, { warehouse: id, code, name })
    places.push({ id, storage })
  }
  return places
}

/**
 * Holds move stock to a zone inside the warehouse. Outside of it, they would lower the forecast of the warehouse, and
 * Tryton would refuse the order for which the stock is held.
 */
async function createHoldZone(
  seeder: Seeder,
  { warehouse, code, name }: { warehouse: number; code: string; name: string },
): Promise<void> {
  const values = { name: `${name} Hold`, code: `${code}-HOLD`, type: 'storage', parent: warehouse }
  await seeder.createOne('stock.location', values)
}

async function createStyles(
  seeder: Seeder,
  { accountCategory, unit }: { accountCategory: number; unit: number },
  styles: number,
): Promise<number[]> {
  const templates: number[] = []
  for (let from = 0; from < styles; from += stylesPerCall) {
    const count = Math.min(stylesPerCall, styles - from)
    const values = Array.from({ length: count }, (_, index) => {
      const number = from + index
      const code = `ST${String(number + 1).padStart(4, '0')}`
      return {
        ...{ name: `Style ${code}`, code, type: 'goods', cost_price_method: 'fixed', salable: true },
        ...{ purchasable: true, default_uom: unit, sale_uom: unit, purchase_uom: unit },
        account_category: accountCategory,
        list_price: toDecimal((retailFrom + (number % retailSteps)).toFixed(2)),
        products: [
          ['create', sizes.map((size) => ({ suffix_code: `-${size}`, cost_price: toDecimal('9.50') }))],
        ],
      }
    })
    templates.push(...(await seeder.createAll('product.template', values)))
  }
  const rows = await seeder.rpc.searchRead(
    'product.product',
    [['template', 'in', templates]],
    z.object({ id }),
    {
      fields: ['id'],
      order: [['code', 'ASC']],
    },
  )
  return rows.map((row) => row.id)
}

interface Count {
  readonly company: Company
  readonly place: { readonly id: number; readonly storage: number }
  readonly skuIds: readonly number[]
}

/** Books an inventory with quantities from 0 to 119. Every seventh SKU has at least 60, for tests that order much. */
async function countStock(seeder: Seeder, { company, place, skuIds }: Count): Promise<void> {
  const lines = skuIds.map((product, index) => {
    const quantity = (index * 7 + place.id * 11) % maxUnits
    return { product, quantity: index % 7 === 0 ? Math.max(quantity, maxUnits / 2) : quantity }
  })
  for (let from = 0; from < lines.length; from += linesPerInventory) {
    const inventory = await seeder.createOne('stock.inventory', {
      ...{ location: place.storage, company: company.id, date: toDate(inventoryDay), empty_quantity: 'keep' },
      lines: [['create', lines.slice(from, from + linesPerInventory)]],
    })
    await seeder.press('stock.inventory', 'confirm', [inventory])
  }
}
