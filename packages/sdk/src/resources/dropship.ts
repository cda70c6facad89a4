import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'

/** Drop-ship orders: one SKU to one end customer. */
export class Dropship {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Holds stock for 15 minutes, and shows what can be allocated, when it arrives and what it costs. A shortage
   * is no error: see `fulfillable`. Throws `OMS_LOGIN_REQUIRED` and `ValidationError`.
   *
   * @see `/reference/dropship.preview`
   */
  preview(body: Sent<'dropship.preview'>, options?: WriteOptions): Call<Data<'dropship.preview'>> {
    return this.#calls.write('dropship.preview', {}, body, options)
  }

  /**
   * Submits the preview of the same number and SKU, or allocates stock now. Throws `RejectedError` with
   * `insufficient_stock`, `price_changed` or `hold_expired`, `DuplicateError`, and `OutcomeUnknownError`.
   *
   * @see `/reference/dropship.submit`
   */
  submit(body: Sent<'dropship.submit'>, options?: WriteOptions): Call<Data<'dropship.submit'>> {
    return this.#calls.write('dropship.submit', {}, body, options)
  }

  /**
   * Lists orders, newest first, also by `client_order_number` or `serial_number`.
   *
   * @see `/reference/dropship.list`
   */
  list(
    filters?: Filters<'dropship.list'>,
    options?: CallOptions,
  ): Pages<Row<'dropship.list'>, ListPage<'dropship.list'>> {
    return this.#calls.list('dropship.list', filters, (row) => row.dropship_order_id, { options })
  }

  /**
   * Reads an order or a preview. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/dropship.read`
   */
  read(dropship_order_id: string, options?: CallOptions): Call<Data<'dropship.read'>> {
    return this.#calls.read('dropship.read', { dropship_order_id }, options)
  }

  /**
   * Voids an order: `cancelled`, or `intercepted` after the hand-over to the warehouse. Throws `RejectedError`
   * with `already_shipped`, and `OutcomeUnknownError`.
   *
   * @see `/reference/dropship.void`
   */
  void(dropship_order_id: string, options?: WriteOptions): Call<Data<'dropship.void'>> {
    return this.#calls.write('dropship.void', { dropship_order_id }, undefined, options)
  }

  /**
   * Releases the stock that a preview holds. Throws `RejectedError` with `invalid_state` after the submit.
   *
   * @see `/reference/dropship.release`
   */
  release(dropship_order_id: string, options?: WriteOptions): Call<Data<'dropship.release'>> {
    return this.#calls.write('dropship.release', { dropship_order_id }, undefined, options)
  }
}
