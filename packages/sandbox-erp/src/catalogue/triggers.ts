import type { ErpProduct, ErpSku } from '@trade-gateway/connector'
import { type OpeningStock, sandboxWarehouses } from './catalogue.ts'
import type { Days } from './days.ts'

const wholesale = { AUD: 1_000, CNY: 4_700 }
const retail = { AUD: 2_500, CNY: 11_800 }
const plenty = 10_000

/**
 * The SKUs that trigger a fixed outcome of an order, with their opening quantities. `faults.ts` and `seed.ts` implement
 * the outcomes.
 */
export const sandboxTriggers = {
  'SBX-OOS': 0,
  'SBX-SHORT-3': 3,
  'SBX-BLOCKED': plenty,
  'SBX-TIMEOUT': plenty,
  'SBX-REJECT': plenty,
  'SBX-SLOW-8': plenty,
  'SBX-LAST-1': 1,
} as const

/** Creates the style `SBX` with the trigger SKUs and their stock in every warehouse. */
export function createTriggerStyle(days: Days): { product: ErpProduct; stock: OpeningStock[] } {
  const product: ErpProduct = {
    product_code: 'SBX',
    names: { en: 'Sandbox triggers', zh: '沙盒触发商品', ko: '샌드박스 트리거 상품' },
    brand: null,
    category: 'Sandbox',
    season: null,
    status: 'active',
    images: [],
    price_wholesale: wholesale.AUD,
    price_retail: retail.AUD,
    currency: 'AUD',
    skus: Object.keys(sandboxTriggers).map(toTriggerSku),
    updated_at: days.toInstant(0),
  }
  return { product, stock: sandboxWarehouses.flatMap((warehouse) => toOpeningStock(warehouse, days)) }
}

function toTriggerSku(sku: string): ErpSku {
  return {
    sku,
    barcode: null,
    color: null,
    size: null,
    price_wholesale: wholesale.AUD,
    price_retail: retail.AUD,
    weight_g: 100,
  }
}

function toOpeningStock(warehouse: (typeof sandboxWarehouses)[number], days: Days): OpeningStock[] {
  const landing = { quantity: 200, earliest_date: days.toDay(10), latest_date: days.toDay(17) }
  return Object.entries(sandboxTriggers).map(([sku, quantity]) => ({
    warehouse_code: warehouse.warehouse_code,
    sku,
    quantity,
    price_wholesale: wholesale[warehouse.currency],
    price_retail: retail[warehouse.currency],
    incoming: sku === 'SBX-SHORT-3' ? [landing] : [],
  }))
}
