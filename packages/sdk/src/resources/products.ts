import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row } from './shapes.ts'

/** Styles with their SKUs. */
export class Products {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists products by `product_code`, `sku`, words (`q`) or `updated_since`. 30 points a page.
   *
   * @see `/reference/products.list`
   */
  list(
    filters?: Filters<'products.list'>,
    options?: CallOptions,
  ): Pages<Row<'products.list'>, ListPage<'products.list'>> {
    return this.#calls.list('products.list', filters, (row) => row.product_code, { options })
  }

  /**
   * Reads a product with its SKUs. Throws `NOT_FOUND` with reason `sku_unknown`.
   *
   * @see `/reference/products.read`
   */
  read(product_code: string, options?: CallOptions): Call<Data<'products.read'>> {
    return this.#calls.read('products.read', { product_code }, options)
  }
}
