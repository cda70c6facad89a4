import { join } from 'node:path'

/** What a sandbox is made of. Ports are on 127.0.0.1. */
export interface SandboxSettings {
  /** The folder of the database and of the configuration. */
  readonly home: string
  readonly port: number
  readonly postgresPort: number
  /** The number of styles of four SKUs each, if the database is filled by this start. */
  readonly styles: number
  /** A dump to restore instead of filling the database; undefined fills it. */
  readonly dump: string | undefined
  /** The company's time zone, by which Tryton dates what is booked; undefined leaves that of the seed, Australia/Sydney. */
  readonly timezone?: string | undefined
  readonly report: (line: string) => void
}

export const databaseName = 'tryton_trade'
export const databaseUser = 'erp'
/** The administrator of the sandbox. Tryton listens on 127.0.0.1 only, so that these passwords open nothing else. */
export const admin = { user: 'admin', password: 'sandbox-Admin-12345' } as const
/** The user as whom the connector works: it has only the groups that the connector's README lists. */
export const connectorUser = { user: 'gateway', password: 'sandbox-Gateway-12345' } as const
export const customerPassword = 'sandbox-Shop-12345'
/** The customers of the sandbox. Each signs in with its address. */
export const customers = [
  { code: 'CUST-HARBOUR', name: 'Harbour Stores', username: 'harbour@shop.example' },
  { code: 'CUST-LANTERN', name: 'Lantern Trading', username: 'lantern@shop.example' },
] as const
export const shopName = 'trade'
export const wholesaleList = 'Wholesale'

/** The committed dump, which `--save-dump` makes again. */
export const committedDump = join(import.meta.dirname, 'seed.dump')

export const toUrl = ({ port }: Pick<SandboxSettings, 'port'>) => `http://127.0.0.1:${port}`

/** The groups of the connector's user, as `module.id` of Tryton's own data. */
export const connectorGroups = [
  'sale.group_sale',
  'stock.group_stock',
  'stock.group_stock_force_assignment',
  'account.group_account',
] as const

/** The modules that the sandbox activates. The connector requires a part of them (`requiredModules`). */
export const sandboxModules = [
  'account_credit_limit',
  'account_invoice',
  'account_invoice_stock',
  'account_payment_clearing',
  'account_product',
  'carrier',
  'product_measurements',
  'product_price_list',
  'purchase',
  'sale',
  'sale_credit_limit',
  'sale_price_list',
  'sale_shipment_cost',
  'sale_stock_quantity',
  'sale_supply',
  'stock',
  'stock_package_shipping',
  'stock_shipment_cost',
  'stock_split',
  'stock_supply',
  'web_shop',
  'web_shop_vue_storefront',
  'web_user',
] as const
