import { GatewayError } from '../contract/errors.ts'
import { decodePath } from '../contract/paths.ts'

/**
 * Lower-case paths of the legacy gateway and the method and path that replace each. For other legacy paths the error
 * links to the reference.
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
 * Whether a path belongs to the legacy gateway: its first segment is `api` in any case, and it is not `/api/v1` or
 * below. The path is decoded once, so that percent-encoding cannot bypass the check. `/api/v1` itself has only this
 * spelling.
 */
export function isLegacyPath(path: string): boolean {
  if (path === '/api/v1' || path.startsWith('/api/v1/')) return false
  const [, sent = ''] = path.split('/', 2)
  const [first = ''] = decodePath(sent).split('/', 1)
  return first.toLowerCase() === 'api'
}

/** Creates the 410 error for a legacy path. It precedes every other check. */
export function toLegacyError(path: string): GatewayError {
  const known = replacements[normalizePath(path)]
  const [method, to] = known ?? ['GET', '/reference']
  return new GatewayError('ENDPOINT_GONE', {
    say: [known ? 'legacy_gone' : 'legacy_unknown', { path, replacement: `${method} ${to}` }],
    more: { replacement: { method, path: to } },
    // A path with parameters cannot be the target of a link.
    headers: ['Link', `<${to.includes('{') ? '/reference' : to}>; rel="successor-version"`],
  })
}

/**
 * Describes a legacy path for the counts of legacy use. An unknown path is cut to its first three segments, because an
 * id may follow them; one with unusual characters is described as `/api/*`.
 */
export function describeLegacyPath(path: string): { readonly path: string; readonly isKnown: boolean } {
  const normalized = normalizePath(path)
  if (Object.hasOwn(replacements, normalized)) return { path: normalized, isKnown: true }
  const [cut = ''] = /^(?:\/[\w.-]{1,40}){1,3}/.exec(normalized) ?? []
  return { path: cut.startsWith('/api/') ? cut : '/api/*', isKnown: false }
}

/** Decodes a path and removes empty segments, in lower case. */
function normalizePath(path: string): string {
  const segments = decodePath(path).toLowerCase().split('/')
  return `/${segments.filter((segment) => segment !== '').join('/')}`
}
