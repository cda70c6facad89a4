import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'

/** Carts show prices and availability and hold no stock. */
export class Carts {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Creates a cart. Throws `NOT_FOUND` with reason `sku_unknown`.
   *
   * @see `/reference/carts.create`
   */
  create(body?: Sent<'carts.create'>, options?: WriteOptions): Call<Data<'carts.create'>> {
    return this.#calls.write('carts.create', {}, body, options)
  }

  /**
   * Lists carts, newest first.
   *
   * @see `/reference/carts.list`
   */
  list(
    filters?: Filters<'carts.list'>,
    options?: CallOptions,
  ): Pages<Row<'carts.list'>, ListPage<'carts.list'>> {
    return this.#calls.list('carts.list', filters, (row) => row.cart_id, { options })
  }

  /**
   * Reads a cart with present prices. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/carts.read`
   */
  read(cart_id: string, options?: CallOptions): Call<Data<'carts.read'>> {
    return this.#calls.read('carts.read', { cart_id }, options)
  }

  /**
   * Changes a cart. Throws `RejectedError` with `invalid_state` after the checkout.
   *
   * @see `/reference/carts.change`
   */
  change(cart_id: string, body: Sent<'carts.change'>, options?: WriteOptions): Call<Data<'carts.change'>> {
    return this.#calls.write('carts.change', { cart_id }, body, options)
  }

  /**
   * Replaces the items. Throws `NOT_FOUND` with reason `sku_unknown`.
   *
   * @see `/reference/carts.items`
   */
  items(cart_id: string, body: Sent<'carts.items'>, options?: WriteOptions): Call<Data<'carts.items'>> {
    return this.#calls.write('carts.items', { cart_id }, body, options)
  }

  /**
   * Cancels a cart. Throws `RejectedError` with `invalid_state`.
   *
   * @see `/reference/carts.delete`
   */
  delete(cart_id: string, options?: WriteOptions): Call<Data<'carts.delete'>> {
    return this.#calls.write('carts.delete', { cart_id }, undefined, options)
  }

  /**
   * Makes a draft of the cart: see `order_id`. Again: the same cart. Throws `OMS_LOGIN_REQUIRED` for a channel’s
   * token.
   *
   * @see `/reference/carts.checkout`
   */
  checkout(cart_id: string, options?: WriteOptions): Call<Data<'carts.checkout'>> {
    return this.#calls.write('carts.checkout', { cart_id }, undefined, options)
  }
}
