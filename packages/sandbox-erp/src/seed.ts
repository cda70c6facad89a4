import type { ErpAddress, ErpShippingMethod } from '@trade-gateway/connector'
import { type Catalogue, sandboxWarehouses } from './catalogue/catalogue.ts'
import { takeNextSeq } from './stock.ts'
import type { Store } from './store.ts'

/**
 * The customers of the sandbox. The first may order nearly all SKUs, the second two thirds. Only the second has a
 * default shipping method and address; orders of the first must specify both.
 */
export const sandboxCustomers = [
  {
    customer_code: 'CUST-HARBOUR',
    name: 'Harbour Trading',
    leaves_out_one_in: 20,
    has_preferences: false,
  },
  { customer_code: 'CUST-LANTERN', name: 'Lantern Retail', leaves_out_one_in: 3, has_preferences: true },
] as const

/** The SKU that no customer may order, as an example of a blocked line. */
const blockedSku = 'SBX-BLOCKED'

interface SeedOptions {
  /** The day of the last change, `YYYY-MM-DD`. */
  readonly today: string
  readonly catalogueId: string
}

/** Fills an empty database in one transaction. */
export function seedDatabase(store: Store, catalogue: Catalogue, { today, catalogueId }: SeedOptions) {
  store.transaction(() => {
    store.run("insert into meta (key, value) values ('catalogue_id', ?)", catalogueId)
    seedWarehouses(store, catalogue)
    seedProducts(store, catalogue)
    seedCustomers(store, catalogue, today)
    for (const method of shippingMethods) {
      store.run(
        'insert into shipping_methods (shipping_method_id, body) values (?, ?)',
        method.shipping_method_id,
        JSON.stringify(method),
      )
    }
  })
}

function seedWarehouses(store: Store, catalogue: Catalogue) {
  for (const { warehouse_code, name, country_code, timezone, currency, status } of sandboxWarehouses) {
    store.run(
      'insert into warehouses (warehouse_code, name, country_code, timezone, currency, status) values (?, ?, ?, ?, ?, ?)',
      warehouse_code,
      name,
      country_code,
      timezone,
      currency,
      status,
    )
  }
  const productCodes = new Map(catalogue.products.flatMap((p) => p.skus.map((s) => [s.sku, p.product_code])))
  for (const row of catalogue.stock) {
    store.run(
      `insert into stock (warehouse_code, sku, product_code, on_hand, price_wholesale, price_retail, incoming, stock_seq)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.warehouse_code,
      row.sku,
      productCodes.get(row.sku) ?? row.sku,
      row.quantity,
      row.price_wholesale,
      row.price_retail,
      JSON.stringify(row.incoming),
      takeNextSeq(store, row.warehouse_code),
    )
  }
}

function seedProducts(store: Store, catalogue: Catalogue) {
  catalogue.products.forEach((product, index) => {
    store.run(
      'insert into products (product_code, body, seq) values (?, ?, ?)',
      product.product_code,
      JSON.stringify(product),
      index + 1,
    )
  })
}

function seedCustomers(store: Store, catalogue: Catalogue, today: string) {
  const skus = catalogue.products.flatMap((product) => product.skus.map(({ sku }) => sku))
  for (const customer of sandboxCustomers) {
    store.run(
      "insert into customers (customer_code, name, sellable_rule) values (?, ?, 'all_but')",
      customer.customer_code,
      customer.name,
    )
    const isLeftOut = (index: number) => index % customer.leaves_out_one_in === customer.leaves_out_one_in - 1
    const blocked = skus.filter((sku, index) =>
      sku.startsWith('SBX-') ? sku === blockedSku : isLeftOut(index),
    )
    for (const sku of blocked) {
      store.run('insert into sellable (customer_code, sku) values (?, ?)', customer.customer_code, sku)
    }
    for (const address of createAddresses(customer.customer_code, customer.name, `${today}T00:00:00.000Z`)) {
      store.run(
        'insert into addresses (address_id, customer_code, body) values (?, ?, ?)',
        address.address_id,
        customer.customer_code,
        JSON.stringify(address),
      )
    }
  }
}

function createAddresses(code: string, company: string, updated_at: string): ErpAddress[] {
  return places.map(([suffix, country_code, state, city, postal_code, address]) => ({
    address_id: `${code.replace('CUST-', 'ADDR-')}-${suffix}`,
    name: 'Goods Receiving',
    phone: '+61 2 5550 0100',
    company,
    address,
    country_code,
    state,
    city,
    postal_code,
    is_default: suffix === 'SYD',
    updated_at,
  }))
}

/** The addresses of every customer: suffix of the id, country, state, city, postal code, address. */
const places = [
  ['SYD', 'AU', 'NSW', 'Sydney', '2000', '18 Wharf Street'],
  ['MEL', 'AU', 'VIC', 'Melbourne', '3000', '240 Collins Lane'],
  ['HGH', 'CN', 'Zhejiang', 'Hangzhou', '310000', '文三路 88 号'],
  ['SEL', 'KR', 'Seoul', 'Seoul', '04524', '세종대로 110'],
] as const

const au = ['AUSYD1', 'AUSYD2']
const delivery = { kind: 'delivery', requires_address: true } as const

const shippingMethods: readonly ErpShippingMethod[] = [
  {
    shipping_method_id: 'au-standard',
    name: 'Road freight',
    ...delivery,
    carrier: 'Southern Road',
    warehouse_codes: au,
    estimated_days: { min: 2, max: 5 },
    price: 1200,
    currency: 'AUD',
    is_default: true,
  },
  {
    shipping_method_id: 'au-express',
    name: 'Overnight',
    ...delivery,
    carrier: 'Kestrel Express',
    warehouse_codes: au,
    estimated_days: { min: 1, max: 2 },
    price: 2900,
    currency: 'AUD',
    is_default: false,
  },
  {
    shipping_method_id: 'au-pickup',
    name: 'Pick up at the warehouse',
    kind: 'pickup',
    requires_address: false,
    carrier: null,
    warehouse_codes: au,
    estimated_days: { min: 0, max: 1 },
    price: 0,
    currency: 'AUD',
    is_default: false,
  },
  {
    shipping_method_id: 'cn-standard',
    name: '陆运',
    ...delivery,
    carrier: 'Qiantang Logistics',
    warehouse_codes: ['CHNZJ1'],
    estimated_days: { min: 2, max: 4 },
    price: 1500,
    currency: 'CNY',
    is_default: false,
  },
  {
    shipping_method_id: 'cn-express',
    name: '快递',
    ...delivery,
    carrier: 'West Lake Express',
    warehouse_codes: ['CHNZJ1'],
    estimated_days: { min: 1, max: 2 },
    price: 3000,
    currency: 'CNY',
    is_default: false,
  },
]
