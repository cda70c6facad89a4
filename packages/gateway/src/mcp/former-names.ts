import { type AnyEndpointId, catalogue, endpointIdOf } from '../catalogue.ts'
import type { ActionName } from './actions.ts'

/**
 * Earlier versions mirrored endpoints as tools, named resource_action: `stock_list`, `order_create`. Whoever asks for
 * one is told what does its work now.
 */
const actionOf: Readonly<Partial<Record<AnyEndpointId, ActionName>>> = {
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

/** Names of before whose endpoints have other words now. */
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

const renamed: ReadonlyMap<string, string> = new Map([
  ...catalogue.map((endpoint): [string, string] => {
    const id = endpointIdOf(endpoint)
    return [nameOf(id), actionOf[id] ?? `call_endpoint (${endpoint.method} ${endpoint.path})`]
  }),
  ...Object.entries(otherNames),
])

/** `orders.create` was `order_create`. */
function nameOf(id: string): string {
  const [resource = '', verb] = id.split('.')
  const one = resource.replace(/sses$/, 'ss').replace(/([^s])s$/, '$1')
  return verb === undefined ? `${one}_get` : `${one}_${verb === 'read' ? 'get' : verb}`
}

/** What does the work of a tool that was renamed; undefined where there never was one. */
export function nowCalled(name: string): string | undefined {
  return renamed.get(name)
}
