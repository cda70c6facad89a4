import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import { Declined } from './declined.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'

/** Wholesale orders: a draft, a preview, a submit. */
export class Orders {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Creates a draft. It holds no stock. Throws `OMS_LOGIN_REQUIRED` for a channel’s token, and
   * `VALIDATION_FAILED` with `sku_blocked`.
   *
   * @see `/reference/orders.create`
   */
  create(body: Sent<'orders.create'>, options?: WriteOptions): Call<Data<'orders.create'>> {
    return this.#calls.write('orders.create', {}, body, options)
  }

  /**
   * Lists orders, newest first.
   *
   * @see `/reference/orders.list`
   */
  list(
    filters?: Filters<'orders.list'>,
    options?: CallOptions,
  ): Pages<Row<'orders.list'>, ListPage<'orders.list'>> {
    return this.#calls.list('orders.list', filters, (row) => row.order_id, { options })
  }

  /**
   * Reads an order. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/orders.read`
   */
  read(order_id: string, options?: CallOptions): Call<Data<'orders.read'>> {
    return this.#calls.read('orders.read', { order_id }, options)
  }

  /**
   * Changes a draft. Throws `UPSTREAM_REJECTED` with `invalid_state` if it is no draft any more.
   *
   * @see `/reference/orders.change`
   */
  change(order_id: string, body: Sent<'orders.change'>, options?: WriteOptions): Call<Data<'orders.change'>> {
    return this.#calls.write('orders.change', { order_id }, body, options)
  }

  /**
   * Shows what can be allocated, what is short, when it arrives and what it costs. A body is a what-if and
   * changes nothing. Throws `SHIPPING_REQUIRED`.
   *
   * @see `/reference/orders.preview`
   */
  preview(
    order_id: string,
    body?: Sent<'orders.preview'>,
    options?: WriteOptions,
  ): Call<Data<'orders.preview'>> {
    return this.#calls.write('orders.preview', { order_id }, body, options)
  }

  /**
   * Submits a draft: allocates the stock and charges the order. A body replaces the draft’s fields. Throws
   * `RejectedError` with `insufficient_stock`, `insufficient_balance` or `price_changed`, and
   * `OutcomeUnknownError`.
   *
   * @see `/reference/orders.submit`
   */
  submit(
    order_id: string,
    body?: Sent<'orders.submit'>,
    options?: WriteOptions,
  ): Call<Data<'orders.submit'>> {
    return this.#calls.write('orders.submit', { order_id }, body, options)
  }

  /**
   * Voids an order that has not been shipped, and releases its stock. Throws `RejectedError` with
   * `already_shipped`, and `OutcomeUnknownError`.
   *
   * @see `/reference/orders.void`
   */
  void(order_id: string, options?: WriteOptions): Call<Data<'orders.void'>> {
    return this.#calls.write('orders.void', { order_id }, undefined, options)
  }

  /**
   * Creates a draft, previews it, and submits it at the previewed total if `accept` returns true. Otherwise the draft is
   * voided and `Declined` is returned. If the total has changed since the preview, throws `RejectedError` with
   * `price_changed`; the draft then stays, also after every other failure. With an `idempotencyKey` of your own, the
   * same call again goes on where it was.
   *
   * @example
   * const placed = await client.orders.quoteAndPlace({ lines }, ({ fulfillable, costs }) => fulfillable && costs.total < 500)
   * if (placed instanceof Declined) console.log('too expensive:', placed.preview.costs.total)
   */
  async quoteAndPlace(
    body: Sent<'orders.create'>,
    accept: (preview: Data<'orders.preview'>) => boolean | Promise<boolean>,
    options: WriteOptions = {},
  ): Promise<Data<'orders.submit'> | Declined> {
    const { idempotencyKey = crypto.randomUUID() } = options
    // Each step is a write of its own, so it has a key of its own.
    const atStep = (step: string) => ({ ...options, idempotencyKey: `${idempotencyKey}.${step}` })
    const { order_id } = await this.create(body, atStep('create'))
    const preview = await this.preview(order_id, undefined, atStep('preview'))
    if (!(await accept(preview))) {
      await this.void(order_id, atStep('void'))
      return new Declined(preview)
    }
    const max_total = Math.min(preview.costs.total, body.max_total ?? Number.POSITIVE_INFINITY)
    return this.submit(order_id, { max_total }, atStep('submit'))
  }
}
