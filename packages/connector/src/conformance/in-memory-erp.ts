import { type Answer, callAny, type Erp, erpFrom, ok, rejected } from '../erp.ts'
import type { Capabilities, ErpProduct, ErpWarehouse, StockFigure } from '../operations.ts'
import { inMemoryLedger } from './in-memory-ledger.ts'
import { inMemoryOrders } from './in-memory-orders.ts'
import type { Figure } from './in-memory-quotes.ts'
import { Table } from './table.ts'

/** A right ERP of 40 SKUs in memory: the tests break it on purpose. */
export interface InMemoryErp {
  readonly erp: Erp
  /** The same, where a row of stock, a style and an account change before every call. */
  readonly atWork: Erp
  readonly customer_code: string
  readonly credentials: { readonly username: string; readonly password: string }
  /** What may be ordered: there are 90 of it. */
  readonly ordering: { readonly warehouse_code: string; readonly sku: string }
}

const capabilities: Capabilities = {
  dedupes_by_reference: true,
  lookup: 'strong',
  lookup_lag_ms: 0,
  max_request_ms: 1000,
  changes: 'poll',
  stock_seq: true,
  holds: 'plain',
  serialise: 'nothing',
  ledger: true,
  sign_in: true,
}

const warehouses: ErpWarehouse[] = [
  ['NORTH', 'AU', 'Australia/Sydney', 'AUD'] as const,
  ['SOUTH', 'CN', 'Asia/Shanghai', 'CNY'] as const,
].map(([warehouse_code, country_code, timezone, currency]) => ({
  warehouse_code,
  name: warehouse_code,
  country_code,
  timezone,
  currency,
  status: 'active',
}))

export function inMemoryErp(): InMemoryErp {
  const products = new Table<ErpProduct>()
  const stock = new Map(warehouses.map(({ warehouse_code }) => [warehouse_code, new Table<Figure>()]))
  fill(products, stock)
  const customer_code = 'CUSTOMER'
  const credentials = { username: 'buyer', password: 'right' }
  let sessions = 0
  const ledger = inMemoryLedger(customer_code)

  const inWarehouse = <T>(code: string, answer: (table: Table<Figure>) => T): Answer<T> => {
    const table = stock.get(code)
    return table ? ok(answer(table)) : rejected('not_found', `There is no warehouse ${code}.`)
  }
  const ofCustomer = <T>(code: string, value: T): Answer<T> =>
    code === customer_code ? ok(value) : rejected('not_found', `There is no customer ${code}.`)

  const erp: Erp = {
    ...inMemoryOrders({
      stock,
      customer_code,
      address_id: depot.address_id,
      shipping_method_id: road.shipping_method_id,
      isOpen: (session) => session.startsWith('session-'),
    }),
    ...ledger.operations,
    describe: async () => ok({ name: 'In memory', sandbox: true, capabilities }),
    warehouses: async () => ok({ warehouses }),
    'stock.snapshot': async ({ warehouse_code, after, limit }) =>
      inWarehouse(warehouse_code, (table) => {
        const { rows, next } = table.page(after, limit)
        return { rows: rows.map(figureOf), next, stock_seq: table.seq }
      }),
    'stock.read': async ({ warehouse_code, skus }) =>
      inWarehouse(warehouse_code, (table) => ({
        rows: table.read(skus).map(figureOf),
        stock_seq: table.seq,
      })),
    'stock.changed': async ({ warehouse_code, cursor }) =>
      inWarehouse(warehouse_code, (table) => {
        const { keys, hints } = table.changed(cursor)
        return { ...hints, skus: keys }
      }),
    'products.snapshot': async ({ after, limit }) => {
      const { rows, next } = products.page(after, limit)
      return ok({ products: rows.map(({ value }) => value), next })
    },
    'products.read': async ({ product_codes }) =>
      ok({ products: products.read(product_codes).map(({ value }) => value) }),
    'products.changed': async ({ cursor }) => {
      const { keys, hints } = products.changed(cursor)
      return ok({ ...hints, product_codes: keys })
    },
    shipping_methods: async () => ok({ shipping_methods: [road] }),
    addresses: async (input) => ofCustomer(input.customer_code, { addresses: [depot] }),
    sellable: async (input) => ofCustomer(input.customer_code, { rule: 'all_but', skus: [] }),
    sign_in: async ({ username, password }) => {
      if (username !== credentials.username || password !== credentials.password)
        return rejected('bad_credentials', 'The name or the password is wrong.')
      sessions += 1
      const session_expires_at = '2099-01-01T00:00:00.000Z'
      return ok({
        account_id: 'account',
        name: 'Buyer',
        customer_code,
        session: `session-${sessions}`,
        session_expires_at,
      })
    },
  }
  let moves = 0
  const atWork = erpFrom((id, input, options) => {
    moves += 1
    move(products, stock, moves)
    ledger.book()
    return callAny(erp, id, input, options)
  })
  const ordering = { warehouse_code: 'NORTH', sku: 'STYLE-20-B' }
  return { erp, atWork, customer_code, credentials, ordering }
}

/** Takes the rows in turn, so that no row changes at every call. */
function move(products: Table<ErpProduct>, stock: ReadonlyMap<string, Table<Figure>>, moves: number) {
  for (const table of stock.values()) {
    const rows = table.sorted()
    const row = rows[moves % rows.length]
    if (row) table.put(row.key, { ...row.value, quantity_available: row.value.quantity_available - 1 })
  }
  const styles = products.sorted()
  const style = styles[moves % styles.length]
  if (style) products.put(style.key, { ...style.value, price_retail: style.value.price_retail + 1 })
}

function figureOf({ value, seq }: { value: Figure; seq: number }): StockFigure {
  return { ...value, stock_seq: seq }
}

function fill(products: Table<ErpProduct>, stock: ReadonlyMap<string, Table<Figure>>) {
  for (let number = 0; number < 20; number++) {
    const product_code = `STYLE-${10 + number}`
    const prices = { price_wholesale: 1000, price_retail: 2500 }
    const skus = [`${product_code}-A`, `${product_code}-B`]
    products.put(product_code, {
      product_code,
      names: { en: `Style ${number}` },
      brand: null,
      category: null,
      season: null,
      status: 'active',
      images: [],
      ...prices,
      currency: 'AUD',
      skus: skus.map((sku) => ({ sku, barcode: null, color: null, size: null, ...prices, weight_g: null })),
      updated_at: '2026-11-21T00:00:00.000Z',
    })
    for (const sku of skus) {
      for (const { warehouse_code, currency } of warehouses) {
        const quantities = { quantity_on_hand: 100, quantity_available: 90 }
        const incoming = [{ quantity: 5, earliest_date: '2026-12-01', latest_date: '2026-12-05' }]
        const figure = { sku, product_code, ...quantities, ...prices, currency, incoming }
        stock.get(warehouse_code)?.put(sku, figure)
      }
    }
  }
}

const road = {
  shipping_method_id: 'road',
  name: 'Road',
  kind: 'delivery' as const,
  requires_address: true,
  carrier: null,
  warehouse_codes: ['NORTH'],
  estimated_days: { min: 1, max: 3 },
  price: 1200,
  currency: 'AUD',
  is_default: true,
}

const depot = {
  address_id: 'depot',
  name: 'Depot',
  phone: null,
  company: null,
  address: '1 Wharf Street',
  country_code: 'AU',
  state: null,
  city: 'Sydney',
  postal_code: '2000',
  is_default: true,
  updated_at: '2026-11-21T00:00:00.000Z',
}
