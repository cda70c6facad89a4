/** A Tryton as an `Erp`. */
import { type Capabilities, cutText, type Erp, ok } from '@trade-gateway/connector'
import { Catalogue } from './catalogue.ts'
import type { Connector } from './connector.ts'
import { readAddresses, readSellable } from './customers.ts'
import { createDocumentFeed, createProductFeed, createStockFeed, Zones } from './feeds.ts'
import { type Feed, hintLagMs, RecentWrites } from './hints.ts'
import { readBills } from './ledger/bills.ts'
import { Chains } from './ledger/chain.ts'
import { readFreightBills } from './ledger/freight.ts'
import { readRefunds } from './ledger/refunds.ts'
import { type Ledger, readBalances, readTransactions } from './ledger/transactions.ts'
import type { Orders } from './orders/context.ts'
import { createOrderOperations } from './orders/operations.ts'
import { maxOrderLines } from './orders/request.ts'
import { Prices } from './prices.ts'
import { Products } from './products.ts'
import { readShippingMethods } from './shipping.ts'
import { SignIn } from './sign-in.ts'
import { maxRequestMs } from './steps.ts'
import { readStock, readStockPage, refuseWarehouse, type Stock } from './stock.ts'

/** What Tryton can do, and what this connector makes of it. */
export const capabilities: Capabilities = {
  dedupes_by_reference: true,
  lookup: 'strong',
  lookup_lag_ms: 0,
  max_request_ms: maxRequestMs,
  changes: 'poll',
  stock_seq: false,
  holds: 'plain',
  // Tryton locks the moves of a product in a location. Side by side, most of them would fail and be repeated.
  serialise: 'sku',
  ledger: true,
  sign_in: true,
  settles: true,
  hint_lag_ms: hintLagMs,
  allocates_from: 'one',
  max_lines: maxOrderLines,
}

export interface TrytonErp {
  readonly erp: Erp
  readonly orders: Orders
}

export function createTrytonErp(connector: Connector): TrytonErp {
  const stock: Stock = { connector, catalogue: new Catalogue(connector), prices: new Prices(connector) }
  const chains = new Chains(connector)
  const orders: Orders = { connector, stock, signIn: new SignIn(connector), chains }
  const erp: Erp = {
    ...createOrderOperations(orders),
    ...createReads(stock),
    ...createFeeds(stock),
    ...createStatements({ connector, chains }),
    sign_in: (input) => orders.signIn.signIn(input),
  }
  return { erp, orders }
}

type Reads =
  | 'describe'
  | 'warehouses'
  | 'stock.snapshot'
  | 'stock.read'
  | 'products.snapshot'
  | 'products.read'
  | 'shipping_methods'
  | 'addresses'
  | 'sellable'

function createReads(stock: Stock): Pick<Erp, Reads> {
  const { connector } = stock
  const { config, places } = connector
  const products = new Products(stock)
  const warehouses = places.warehouses.map(({ code, name, countryCode, timezone }) => ({
    warehouse_code: code,
    name: cutText(name, 200),
    country_code: countryCode,
    timezone,
    currency: places.currency,
    status: 'active' as const,
  }))
  return {
    describe: async () => ok({ name: config.name, sandbox: config.sandbox, capabilities }),
    warehouses: async () => ok({ warehouses }),
    'stock.snapshot': (input) => readStockPage(stock, input),
    'stock.read': (input) => readStock(stock, input),
    'products.snapshot': async ({ after, limit }) => ok(await products.readPage(after, limit)),
    'products.read': async ({ product_codes }) => ok({ products: await products.read(product_codes) }),
    shipping_methods: async () => ok(await readShippingMethods(connector)),
    addresses: (input) => readAddresses(connector, input),
    sellable: (input) => readSellable(connector, input),
  }
}

function createFeeds({
  connector,
  prices,
}: Stock): Pick<Erp, 'stock.changed' | 'products.changed' | 'documents.changed'> {
  const polling = { connector, prices, recent: new RecentWrites(connector) }
  const zones = new Zones(connector)
  const stockFeeds = new Map<string, Feed>(
    connector.places.warehouses.map((each) => [each.code, createStockFeed(polling, each, zones)]),
  )
  const productFeed = createProductFeed(polling)
  const documentFeed = createDocumentFeed(polling)
  return {
    'stock.changed': async ({ warehouse_code, cursor }) => {
      const feed = stockFeeds.get(warehouse_code)
      if (!feed) return refuseWarehouse(warehouse_code)
      const { keys, ...hints } = await feed.poll(cursor)
      return ok({ ...hints, skus: [...keys] })
    },
    'products.changed': async ({ cursor }) => {
      const { keys, ...hints } = await productFeed.poll(cursor)
      return ok({ ...hints, product_codes: [...keys] })
    },
    'documents.changed': async ({ cursor }) => {
      const { keys, ...hints } = await documentFeed.poll(cursor)
      return ok({ ...hints, references: [...keys] })
    },
  }
}

function createStatements(
  ledger: Ledger,
): Pick<Erp, 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'> {
  const { connector } = ledger
  return {
    balances: (input) => readBalances(ledger, input),
    transactions: (input) => readTransactions(ledger, input),
    bills: (input) => readBills(connector, input),
    refunds: (input) => readRefunds(connector, input),
    freight_bills: (input) => readFreightBills(connector, input),
  }
}
