import type { ErpProduct, Incoming } from '@trade-gateway/connector'

/** The opening stock of one SKU in one warehouse. Prices are integers in minor units of the warehouse's currency. */
export interface OpeningStock {
  readonly warehouse_code: string
  readonly sku: string
  readonly quantity: number
  readonly price_wholesale: number
  readonly price_retail: number
  readonly incoming: readonly Incoming[]
}

/** A line of an input file that was not imported, with the reason. */
export interface LeftOut {
  readonly line: number
  readonly sku: string
  readonly reason: string
}

/** Everything that the sandbox ERP sells at its first start. */
export interface Catalogue {
  readonly products: readonly ErpProduct[]
  readonly stock: readonly OpeningStock[]
  readonly left_out: readonly LeftOut[]
}

/** The three physical warehouses of the sandbox with their currencies. */
export const sandboxWarehouses = [
  {
    warehouse_code: 'AUSYD1',
    name: 'Sydney 1',
    country_code: 'AU',
    timezone: 'Australia/Sydney',
    currency: 'AUD',
    status: 'active',
  },
  {
    warehouse_code: 'AUSYD2',
    name: 'Sydney 2',
    country_code: 'AU',
    timezone: 'Australia/Sydney',
    currency: 'AUD',
    status: 'active',
  },
  {
    warehouse_code: 'CHNZJ1',
    name: 'Zhejiang 1',
    country_code: 'CN',
    timezone: 'Asia/Shanghai',
    currency: 'CNY',
    status: 'active',
  },
] as const
