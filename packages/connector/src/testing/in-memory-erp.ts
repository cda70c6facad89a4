import { maxLines } from '../documents.ts'
import { callOperation, createErp, type Erp, type ErpResult, ok, rejected } from '../erp.ts'
import type { Capabilities, ErpProduct, ErpWarehouse, StockFigure } from '../operations.ts'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { createInMemoryOrders } from './in-memory-orders.ts'
import type { Figure } from './in-memory-quotes.ts'
import { Table } from './table.ts'

/** A correct ERP with 40 SKUs in memory, in which a test breaks one thing at a time. */
export interface InMemoryErp {
  readonly erp: Erp
  /** The same ERP, in which a row of stock, a style and the ledger change before every call. */
  readonly atWork: Erp
  readonly customer_code: string
  readonly credentials: { readonly username: string; readonly password: string }
  /** A SKU that can be ordered; 90 of it are available. */
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
  settles: true,
  hint_lag_ms: 0,
  allocates_from: 'one',
  max_lines: maxLines,
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

const customer_code = 'CUSTOMER'
const credentials = { username: 'buyer', password: 'right' }

interface Tables {
  readonly products: Table<ErpProduct>
  readonly stock: ReadonlyMap<string, Table<Figure>>
}

export function createInMemoryErp(): InMemoryErp {
  const tables = createTables()
  const ledger = createInMemoryLedger(customer_code)
  const erp: Erp = {
    ...createInMemoryOrders({
      stock: tables.stock,
      customer_code,
      address_id: depot.address_id,
      shipping_method_id: road.shipping_method_id,
      isOpen: (session) => session.startsWith('session-'),
    }),
    ...ledger.operations,
    ...createStockOperations(tables),
    ...createProductOperations(tables),
    ...createAccountOperations(),
    describe: async () => ok({ name: 'In memory', sandbox: true, capabilities }),
    warehouses: async () => ok({ warehouses }),
    shipping_methods: async () => ok({ shipping_methods: [road] }),
  }
  let moves = 0
  const atWork = createErp((id, input, options) => {
    moves += 1
    changeRows(tables, moves)
    ledger.book()
    return callOperation(erp, id, input, options)
  })
  const ordering = { warehouse_code: 'NORTH', sku: 'STYLE-20-B' }
  return { erp, atWork, customer_code, credentials, ordering }
}

function createStockOperations({
  stock,
}: Tables): Pick<Erp, 'stock.snapshot' | 'stock.read' | 'stock.changed'> {
  const readWarehouse = <T>(code: string, read: (table: Table<Figure>) => T): ErpResult<T> => {
    const table = stock.get(code)
    return table ? ok(read(table)) : rejected('not_found', `There is no warehouse ${code}.`)
  }
  return {
    'stock.snapshot': async ({ warehouse_code, after, limit }) =>
      readWarehouse(warehouse_code, (table) => {
        const { rows, next } = table.readPage(after, limit)
        return { rows: rows.map(toFigure), next, stock_seq: table.seq }
      }),
    'stock.read': async ({ warehouse_code, skus }) =>
      readWarehouse(warehouse_code, (table) => ({
        rows: table.read(skus).map(toFigure),
        stock_seq: table.seq,
      })),
    'stock.changed': async ({ warehouse_code, cursor }) =>
      readWarehouse(warehouse_code, (table) => {
        const { keys, hints } = table.readHints(cursor)
        return { ...hints, skus: keys }
      }),
  }
}

function createProductOperations({
  products,
}: Tables): Pick<Erp, 'products.snapshot' | 'products.read' | 'products.changed'> {
  return {
    'products.snapshot': async ({ after, limit }) => {
      const { rows, next } = products.readPage(after, limit)
      return ok({ products: rows.map(({ value }) => value), next })
    },
    'products.read': async ({ product_codes }) =>
      ok({ products: products.read(product_codes).map(({ value }) => value) }),
    'products.changed': async ({ cursor }) => {
      const { keys, hints } = products.readHints(cursor)
      return ok({ ...hints, product_codes: keys })
    },
  }
}

function createAccountOperations(): Pick<Erp, 'addresses' | 'sellable' | 'sign_in'> {
  let sessions = 0
  const readCustomer = <T>(code: string, value: T): ErpResult<T> =>
    code === customer_code ? ok(value) : rejected('not_found', `There is no customer ${code}.`)
  return {
    addresses: async (input) => readCustomer(input.customer_code, { addresses: [depot] }),
    sellable: async (input) => readCustomer(input.customer_code, { rule: 'all_but', skus: [] }),
    sign_in: async ({ username, password }) => {
      if (username !== credentials.username || password !== credentials.password)
        return rejected('bad_credentials', 'The name or the password is wrong.')
      sessions += 1
      return ok({
        account_id: 'account',
        name: 'Buyer',
        customer_code,
        session: `session-${sessions}`,
        session_expires_at: '2099-01-01T00:00:00.000Z',
      })
    },
  }
}

/** Changes one row of each table. The rows take turns, so that no row changes with every call. */
function changeRows({ products, stock }: Tables, moves: number) {
  for (const table of stock.values()) {
    const rows = table.listRows()
    const row = rows[moves % rows.length]
    if (row) table.put(row.key, { ...row.value, quantity_available: row.value.quantity_available - 1 })
  }
  const styles = products.listRows()
  const style = styles[moves % styles.length]
  if (style) products.put(style.key, { ...style.value, price_retail: style.value.price_retail + 1 })
}

function toFigure({ value, seq }: { value: Figure; seq: number }): StockFigure {
  return { ...value, stock_seq: seq }
}

function createTables(): Tables {
  const products = new Table<ErpProduct>()
  const stock = new Map(warehouses.map(({ warehouse_code }) => [warehouse_code, new Table<Figure>()]))
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
  return { products, stock }
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
