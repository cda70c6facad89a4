import { catalogue, type EndpointId } from '../catalogue.ts'
import type { ActionName } from './actions.ts'

/**
 * The current action for each endpoint that had a tool of its own in earlier versions. Those tools were named
 * resource_action: `stock_list`, `order_create`. A call of such a tool gets an error with the name of its replacement.
 */
const actionByEndpoint: Readonly<Partial<Record<EndpointId, ActionName>>> = {
  'stock.list': 'check_stock',
  'products.list': 'find_products',
  'products.read': 'find_products',
  'orders.create': 'quote_order',
  'orders.preview': 'quote_order',
  'orders.submit': 'place_order',
  'orders.void': 'cancel_order',
  'dropship.preview': 'quote_dropship',
  'dropship.submit': 'place_dropship',
  'dropship.release': 'release_dropship',
  'dropship.void': 'cancel_order',
}

/** Former names that cannot be derived from an endpoint id. */
const otherNames: Readonly<Record<string, ActionName>> = {
  stock_get: 'check_stock',
  stock_query: 'check_stock',
  product_search: 'find_products',
  product_get: 'find_products',
  order_cancel: 'cancel_order',
  dropship_create: 'quote_dropship',
  dropship_cancel: 'cancel_order',
  balance_list: 'get_statement',
  transaction_list: 'get_statement',
  bill_list: 'get_statement',
  refund_list: 'get_statement',
  freight_bill_list: 'get_statement',
}

const actions: ReadonlyMap<string, ActionName> = new Map(Object.entries(actionByEndpoint))

const currentNames: ReadonlyMap<string, string> = new Map([
  ...catalogue.map(({ id, method, path }): [string, string] => [
    toFormerName(id),
    actions.get(id) ?? `call_endpoint (${method} ${path})`,
  ]),
  ...Object.entries(otherNames),
])

/** Derives the former tool name from an endpoint id: `orders.create` was `order_create`. */
function toFormerName(id: string): string {
  const [resource = '', verb] = id.split('.')
  const one = resource.replace(/sses$/, 'ss').replace(/([^s])s$/, '$1')
  return verb === undefined ? `${one}_get` : `${one}_${verb === 'read' ? 'get' : verb}`
}

/** Finds the replacement of a former tool; undefined if the name was never used. */
export function findCurrentName(name: string): string | undefined {
  return currentNames.get(name)
}
