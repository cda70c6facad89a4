import { GatewayError } from '../contract/errors.ts'

/**
 * Paths of the legacy gateway and what replaces them, lower case. Whatever is not listed points to the reference.
 */
export const replacements: Readonly<Record<string, readonly [string, string]>> = {
  '/api/token': ['POST', '/api/v1/auth/token'],
  '/api/login': ['POST', '/api/v1/auth/token'],
  '/api/user/info': ['GET', '/api/v1/me'],
  '/api/warehouse/list': ['GET', '/api/v1/warehouses'],
  '/api/stock/list': ['GET', '/api/v1/warehouses/{warehouse_code}/stock'],
  '/api/stock/query': ['GET', '/api/v1/warehouses/{warehouse_code}/stock'],
  '/api/stock/changes': ['GET', '/api/v1/warehouses/{warehouse_code}/stock/changes'],
  '/api/product/list': ['GET', '/api/v1/products'],
  '/api/product/detail': ['GET', '/api/v1/products/{product_code}'],
  '/api/shipping/list': ['GET', '/api/v1/shipping-methods'],
  '/api/address/list': ['GET', '/api/v1/addresses'],
  '/api/order/create': ['POST', '/api/v1/orders'],
  '/api/order/list': ['GET', '/api/v1/orders'],
  '/api/order/submit': ['POST', '/api/v1/orders/{order_id}/submit'],
  '/api/order/cancel': ['DELETE', '/api/v1/orders/{order_id}'],
  '/api/dropship/create': ['POST', '/api/v1/dropship-orders/submit'],
  '/api/dropship/list': ['GET', '/api/v1/dropship-orders'],
  '/api/dropship/cancel': ['DELETE', '/api/v1/dropship-orders/{dropship_order_id}'],
  '/api/balance': ['GET', '/api/v1/balances'],
  '/api/transaction/list': ['GET', '/api/v1/transactions'],
  '/api/bill/list': ['GET', '/api/v1/bills'],
  '/api/refund/list': ['GET', '/api/v1/refunds'],
  '/api/freight/list': ['GET', '/api/v1/freight-bills'],
}

/**
 * Whether a path is the legacy gateway's: its first segment is `api` in any case, decoded once so that no encoding
 * slips by, and it is not exactly `/api/v1` or below. Exactly: `/api/v1` has one spelling.
 */
export function isLegacyPath(path: string): boolean {
  if (path === '/api/v1' || path.startsWith('/api/v1/')) return false
  const [, sent = ''] = path.split('/', 2)
  const [first = ''] = decoded(sent).split('/', 1)
  return first.toLowerCase() === 'api'
}

/** 410, before anything else is looked at. */
export function legacyError(path: string): GatewayError {
  const segments = decoded(path).toLowerCase().split('/')
  const known = replacements[`/${segments.filter((segment) => segment !== '').join('/')}`]
  const [method, to] = known ?? ['GET', '/reference']
  return new GatewayError('ENDPOINT_GONE', {
    say: [known ? 'legacy_gone' : 'legacy_unknown', { path, replacement: `${method} ${to}` }],
    more: { replacement: { method, path: to } },
    // A template is no address to go to.
    headers: ['Link', `<${to.includes('{') ? '/reference' : to}>; rel="successor-version"`],
  })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
