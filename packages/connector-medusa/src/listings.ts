/** The operations that read stock, goods, shipping and customers. */
import { type Capabilities, type Erp, ok, rejected } from '@trade-gateway/connector'
import { compareBytes } from './catalogue.ts'
import type { Config } from './config.ts'
import type { Customers } from './customers.ts'
import type { Goods } from './goods.ts'
import { findWarehouse, type Places } from './places.ts'
import type { Shipping } from './shipping.ts'
import type { Stock } from './stock.ts'

interface ListingParts {
  readonly config: Config
  readonly places: Places
  readonly goods: Goods
  readonly stock: Stock
  readonly shipping: Shipping
  readonly customers: Customers
  readonly capabilities: Capabilities
}

type Listings = Pick<
  Erp,
  | 'describe'
  | 'warehouses'
  | 'stock.snapshot'
  | 'stock.read'
  | 'stock.changed'
  | 'products.snapshot'
  | 'products.read'
  | 'products.changed'
  | 'shipping_methods'
  | 'addresses'
  | 'sellable'
  | 'sign_in'
>

/** Medusa reports no changes: the first call returns a cursor, and every later one `everything: true`. */
const readHints = (cursor: string | null) => ({ cursor: 'none', everything: cursor !== null, more: false })

export function createListings(parts: ListingParts): Listings {
  const { config, places, goods, shipping, customers, capabilities } = parts
  return {
    describe: async () => ok({ name: config.name, sandbox: config.sandbox, capabilities }),
    warehouses: async () =>
      ok({
        warehouses: places.warehouses.map(({ code, name, countryCode, timezone }) => ({
          warehouse_code: code,
          name,
          country_code: countryCode,
          timezone,
          currency: places.currency,
          status: 'active' as const,
        })),
      }),
    ...createStockListings(parts),
    'products.snapshot': async ({ after, limit }) => {
      const { codes, products } = await goods.readCatalogue()
      const { part, next } = cutPage(codes, after, limit)
      return ok({ products: part.flatMap((code) => products.get(code) ?? []), next })
    },
    'products.read': async ({ product_codes }) => {
      const { products } = await goods.readCatalogue()
      return ok({ products: [...new Set(product_codes)].flatMap((code) => products.get(code) ?? []) })
    },
    'products.changed': async ({ cursor }) => ok({ ...readHints(cursor), product_codes: [] }),
    shipping_methods: async () => ok({ shipping_methods: await shipping.listMethods() }),
    addresses: ({ customer_code }) => customers.listAddresses(customer_code),
    sellable: ({ customer_code }) => customers.listSellable(customer_code),
    sign_in: (input) => customers.signIn(input),
  }
}

function createStockListings({
  places,
  goods,
  stock,
}: ListingParts): Pick<Listings, 'stock.snapshot' | 'stock.read' | 'stock.changed'> {
  const refuse = (code: string) => rejected('not_found', `There is no warehouse ${code}.`)
  return {
    'stock.snapshot': async ({ warehouse_code, after, limit }) => {
      const warehouse = findWarehouse(places, warehouse_code)
      if (!warehouse) return refuse(warehouse_code)
      const { part, next } = cutPage((await goods.readCatalogue()).skus, after, limit)
      return ok({ rows: await stock.readFigures(warehouse, part), next, stock_seq: null })
    },
    'stock.read': async ({ warehouse_code, skus }) => {
      const warehouse = findWarehouse(places, warehouse_code)
      if (!warehouse) return refuse(warehouse_code)
      return ok({ rows: await stock.readFigures(warehouse, skus), stock_seq: null })
    },
    'stock.changed': async ({ warehouse_code, cursor }) =>
      findWarehouse(places, warehouse_code) ? ok({ ...readHints(cursor), skus: [] }) : refuse(warehouse_code),
  }
}

/** Returns the keys after `after`, at most `limit`. A page of stock may have fewer rows than keys. */
export function cutPage(
  keys: readonly string[],
  after: string | null,
  limit: number,
): { readonly part: readonly string[]; readonly next: string | null } {
  const from = after === null ? 0 : findFirstAfter(keys, after)
  const part = keys.slice(from, from + limit)
  return { part, next: from + limit < keys.length ? (part.at(-1) ?? null) : null }
}

function findFirstAfter(keys: readonly string[], after: string): number {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBytes(keys[middle] ?? '', after) > 0) high = middle
    else low = middle + 1
  }
  return low
}
