import type { ErpProduct, ErpWarehouse, StockFigure } from '@trade-gateway/connector'

/**
 * The data of the example, in place of an ERP. Delete this file once `warehouses.ts`, `stock.ts` and `products.ts` read
 * your ERP. Amounts are whole minor units: 1900 is 19.00 AUD.
 */

export const warehouses: readonly ErpWarehouse[] = [
  {
    warehouse_code: 'MAIN',
    name: 'Main warehouse',
    country_code: 'AU',
    timezone: 'Australia/Sydney',
    currency: 'AUD',
    status: 'active',
  },
]

const prices = { price_wholesale: 1900, price_retail: 4500 }
const variant = { ...prices, barcode: null, color: null, weight_g: null }

export const products: readonly ErpProduct[] = [
  {
    product_code: 'TEE',
    names: { en: 'T-shirt' },
    brand: null,
    category: null,
    season: null,
    status: 'active',
    images: [],
    ...prices,
    currency: 'AUD',
    skus: ['S', 'M', 'L'].map((size) => ({ sku: `TEE-${size}`, size, ...variant })),
    updated_at: '2026-01-01T00:00:00Z',
  },
  {
    product_code: 'CAP',
    names: { en: 'Cap' },
    brand: null,
    category: null,
    season: null,
    status: 'active',
    images: [],
    ...prices,
    currency: 'AUD',
    skus: [{ sku: 'CAP', size: null, ...variant }],
    updated_at: '2026-01-01T00:00:00Z',
  },
]

/** The stock of each warehouse by its code, in no order, as a table of an ERP has it. */
export const stock: ReadonlyMap<string, readonly StockFigure[]> = new Map([
  [
    'MAIN',
    products.flatMap(({ product_code, currency, skus }) =>
      skus.map(({ sku }) => ({
        sku,
        product_code,
        quantity_on_hand: 12,
        quantity_available: 10,
        ...prices,
        currency,
        incoming: [],
        stock_seq: null,
      })),
    ),
  ],
])
