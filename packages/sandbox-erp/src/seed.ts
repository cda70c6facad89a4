import type { ErpAddress, ErpShippingMethod } from '@trade-gateway/connector'
import { type Catalogue, sandboxWarehouses } from './catalogue/catalogue.ts'
import { nextSeq } from './stock.ts'
import type { Store } from './store.ts'

/** The customers of the sandbox. The first sells nearly everything, the second a third less. */
/** The second one has set how it ships, under User, then Preferences; the first one has to say so with each order. */
export const sandboxCustomers = [
  {
    customer_code: 'CUST-HARBOUR',
    name: 'Harbour Trading',
    leaves_out_one_in: 20,
    has_preferences: false,
  },
  { customer_code: 'CUST-LANTERN', name: 'Lantern Retail', leaves_out_one_in: 3, has_preferences: true },
] as const

/** The SKU that no customer may sell: it shows what a blocked line looks like. */
const blockedSku = 'SBX-BLOCKED'

/** Fills an empty database, in one transaction. */
export function seed(store: Store, catalogue: Catalogue, today: string, catalogueId: string) {
  store.transaction(() => {
    store.run("insert into meta (key, value) values ('catalogue_id', ?)", catalogueId)
    seedWarehouses(store, catalogue)
    seedProducts(store, catalogue)
    seedCustomers(store, catalogue, today)
    for (const method of shippingMethods()) {
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
  const styleOf = new Map(catalogue.products.flatMap((p) => p.skus.map((s) => [s.sku, p.product_code])))
  for (const row of catalogue.stock) {
    store.run(
      `insert into stock (warehouse_code, sku, product_code, on_hand, price_wholesale, price_retail, incoming, stock_seq)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.warehouse_code,
      row.sku,
      styleOf.get(row.sku) ?? row.sku,
      row.quantity,
      row.price_wholesale,
      row.price_retail,
      JSON.stringify(row.incoming),
      nextSeq(store, row.warehouse_code),
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
    const everyNth = (index: number) => index % customer.leaves_out_one_in === customer.leaves_out_one_in - 1
    const blocked = skus.filter((sku, index) =>
      sku.startsWith('SBX-') ? sku === blockedSku : everyNth(index),
    )
    for (const sku of blocked) {
      store.run('insert into sellable (customer_code, sku) values (?, ?)', customer.customer_code, sku)
    }
    for (const address of addressesOf(customer.customer_code, customer.name, `${today}T00:00:00.000Z`)) {
      store.run(
        'insert into addresses (address_id, customer_code, body) values (?, ?, ?)',
        address.address_id,
        customer.customer_code,
        JSON.stringify(address),
      )
    }
  }
}

function addressesOf(code: string, company: string, updated_at: string): ErpAddress[] {
  const place = (
    suffix: string,
    country_code: string,
    state: string,
    city: string,
    postal_code: string,
    address: string,
  ): ErpAddress => ({
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
  })
  return [
    place('SYD', 'AU', 'NSW', 'Sydney', '2000', '18 Wharf Street'),
    place('MEL', 'AU', 'VIC', 'Melbourne', '3000', '240 Collins Lane'),
    place('HGH', 'CN', 'Zhejiang', 'Hangzhou', '310000', '文三路 88 号'),
    place('SEL', 'KR', 'Seoul', 'Seoul', '04524', '세종대로 110'),
  ]
}

function shippingMethods(): ErpShippingMethod[] {
  const au = ['AUSYD1', 'AUSYD2']
  const delivery = { kind: 'delivery', requires_address: true } as const
  return [
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
}
