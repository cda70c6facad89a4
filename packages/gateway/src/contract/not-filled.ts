import { GatewayError } from './errors.ts'

/** The time after which a retry makes sense, because the first read of the ERP's data takes a few seconds. */
const retrySeconds = 5

const sentences: ReadonlySet<string> = new Set([
  'warehouse_filling',
  'warehouses_filling',
  'products_filling',
  'shipping_methods_filling',
  'customer_filling',
])

/** Whether a call was refused because the gateway has not yet read from the ERP what the call needs. */
export function isNotFilledError(error: unknown): boolean {
  return error instanceof GatewayError && sentences.has(error.facts.say?.[0] ?? '')
}

/**
 * Creates the error for data that the gateway has not yet read from the ERP: warehouses, products, shipping
 * methods, a customer's addresses and catalogue, or one warehouse's stock.
 */
export function toNotFilledError(
  what: 'warehouses' | 'products' | 'shipping_methods' | 'customer' | { readonly warehouse: string },
): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', {
    say: typeof what === 'object' ? ['warehouse_filling', what] : [`${what}_filling`],
    retryAfter: retrySeconds,
  })
}
