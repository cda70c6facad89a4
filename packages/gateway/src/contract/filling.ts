import { GatewayError } from './errors.ts'

/** A first reading of the ERP takes seconds. */
const retrySeconds = 5

/** What was asked for is not read from the ERP yet: the warehouses, the products, or the stock of one warehouse. */
export function notFilled(what: 'warehouses' | 'products' | { readonly warehouse: string }): GatewayError {
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
