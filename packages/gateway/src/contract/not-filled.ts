import { GatewayError } from './errors.ts'

/** The time after which a retry makes sense, because the first read of the ERP's data takes a few seconds. */
const retrySeconds = 5

/**
 * Creates the error for data that the gateway has not yet read from the ERP: warehouses, products, or one warehouse's
 * stock.
 */
export function toNotFilledError(
  what: 'warehouses' | 'products' | { readonly warehouse: string },
): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', {
    say:
      what === 'warehouses'
        ? ['warehouses_filling']
        : what === 'products'
          ? ['products_filling']
          : ['warehouse_filling', what],
    retryAfter: retrySeconds,
  })
}
