import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'

/** The receivers of the channel’s events. */
export class WebhookEndpoints {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Registers a receiver. The response alone has its secret. Throws `VALIDATION_FAILED` with `param: "url"` for
   * an address that may not be called.
   *
   * @see `/reference/webhook_endpoints.create`
   */
  create(
    body: Sent<'webhook_endpoints.create'>,
    options?: WriteOptions,
  ): Call<Data<'webhook_endpoints.create'>> {
    return this.#calls.write('webhook_endpoints.create', {}, body, options)
  }

  /**
   * Lists the receivers.
   *
   * @see `/reference/webhook_endpoints.list`
   */
  list(
    filters?: Filters<'webhook_endpoints.list'>,
    options?: CallOptions,
  ): Pages<Row<'webhook_endpoints.list'>, ListPage<'webhook_endpoints.list'>> {
    return this.#calls.list('webhook_endpoints.list', filters, (row) => row.endpoint_id, { options })
  }

  /**
   * Reads a receiver. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/webhook_endpoints.read`
   */
  read(endpoint_id: string, options?: CallOptions): Call<Data<'webhook_endpoints.read'>> {
    return this.#calls.read('webhook_endpoints.read', { endpoint_id }, options)
  }

  /**
   * Changes a receiver. Throws `VALIDATION_FAILED`.
   *
   * @see `/reference/webhook_endpoints.change`
   */
  change(
    endpoint_id: string,
    body: Sent<'webhook_endpoints.change'>,
    options?: WriteOptions,
  ): Call<Data<'webhook_endpoints.change'>> {
    return this.#calls.write('webhook_endpoints.change', { endpoint_id }, body, options)
  }

  /**
   * Deletes a receiver. Throws `NOT_FOUND`.
   *
   * @see `/reference/webhook_endpoints.delete`
   */
  delete(endpoint_id: string, options?: WriteOptions): Call<Data<'webhook_endpoints.delete'>> {
    return this.#calls.write('webhook_endpoints.delete', { endpoint_id }, undefined, options)
  }

  /**
   * Replaces the secret. Both sign for 24 hours. The response alone has the new one. Throws `NOT_FOUND`.
   *
   * @see `/reference/webhook_endpoints.rotate`
   */
  rotate(endpoint_id: string, options?: WriteOptions): Call<Data<'webhook_endpoints.rotate'>> {
    return this.#calls.write('webhook_endpoints.rotate', { endpoint_id }, undefined, options)
  }

  /**
   * Sends an event of the type `webhook.test`. Throws `NOT_FOUND`.
   *
   * @see `/reference/webhook_endpoints.test`
   */
  test(endpoint_id: string, options?: WriteOptions): Call<Data<'webhook_endpoints.test'>> {
    return this.#calls.write('webhook_endpoints.test', { endpoint_id }, undefined, options)
  }
}

/** Attempts to deliver events. */
export class WebhookDeliveries {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists deliveries, newest first, also the dead letters alone.
   *
   * @see `/reference/webhook_deliveries.list`
   */
  list(
    filters?: Filters<'webhook_deliveries.list'>,
    options?: CallOptions,
  ): Pages<Row<'webhook_deliveries.list'>, ListPage<'webhook_deliveries.list'>> {
    return this.#calls.list('webhook_deliveries.list', filters, (row) => row.delivery_id, { options })
  }

  /**
   * Reads a delivery. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/webhook_deliveries.read`
   */
  read(delivery_id: string, options?: CallOptions): Call<Data<'webhook_deliveries.read'>> {
    return this.#calls.read('webhook_deliveries.read', { delivery_id }, options)
  }

  /**
   * Delivers again at once. Throws `NOT_FOUND`.
   *
   * @see `/reference/webhook_deliveries.redeliver`
   */
  redeliver(delivery_id: string, options?: WriteOptions): Call<Data<'webhook_deliveries.redeliver'>> {
    return this.#calls.write('webhook_deliveries.redeliver', { delivery_id }, undefined, options)
  }
}
