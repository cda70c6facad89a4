import type { RecoverOptions } from '../errors/outcome-unknown.ts'
import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import { type Calls, checkKey, type ListPage, maxKeyLength } from './calls.ts'
import { Declined } from './declined.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'
import { thenGoOn } from './steps.ts'

/** The step of `quoteAndPlace` with the longest key. */
const longestStep = 'preview'

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
   * voided and `Declined` is returned; an order that an earlier call under the same key has placed is returned as it is.
   * If the total has changed since the preview, throws `RejectedError` with `price_changed`; the draft then stays, also
   * after every other failure. With an `idempotencyKey` of your own, the same call again goes on where it was. So does `OutcomeUnknownError.recover()`, whichever step the error is from: it
   * performs the steps that are left, asks `accept` if it must, and returns what this call would have returned. After
   * `price_changed`, use another key: for 24 hours, the same key returns the former preview, and so fails again. The key
   * has at most 247 characters; with another one, the call throws `UsageError` and creates nothing.
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
    const { idempotencyKey = crypto.randomUUID(), ...callOptions } = options
    const { signal } = callOptions
    // Each step is a write of its own, so it has a key of its own. One that is too long
    // must not end the call half-way.
    checkKey(idempotencyKey, maxKeyLength - `.${longestStep}`.length)
    const atStep = (step: string, given: RecoverOptions): WriteOptions => ({
      ...callOptions,
      signal: given.signal,
      idempotencyKey: `${idempotencyKey}.${step}`,
    })
    const decide = async (preview: Data<'orders.preview'>, given: RecoverOptions) => {
      const { order_id, costs } = preview
      const isAccepted = await accept(preview)
      const submit = async () => {
        const max_total = Math.min(costs.total, body.max_total ?? Number.POSITIVE_INFINITY)
        const placed = this.submit(order_id, { max_total }, atStep('submit', given))
        return thenGoOn(placed, { idempotencyKey, given, next: async (order) => order })
      }
      if (isAccepted) return submit()
      // An earlier call under this key may have submitted the order.
      const options = { ...callOptions, signal: given.signal }
      const order = await this.read(order_id, options)
      if (order.submitted_at !== null) return asSubmitted(order)
      if (order.in_doubt && (await this.#isBegun(`${idempotencyKey}.submit`, order_id, options)))
        return submit()
      const next = async () => new Declined(preview)
      return thenGoOn(this.void(order_id, atStep('void', given)), { idempotencyKey, given, next })
    }
    const quote = ({ order_id }: Data<'orders.create'>, given: RecoverOptions) =>
      thenGoOn(this.preview(order_id, undefined, atStep('preview', given)), {
        idempotencyKey,
        given,
        next: decide,
      })
    const given = { signal }
    return thenGoOn(this.create(body, atStep('create', given)), { idempotencyKey, given, next: quote })
  }

  /** Whether the write of unknown outcome on an order is its submit under this key. It may be its void, too. */
  async #isBegun(key: string, order_id: string, options: CallOptions): Promise<boolean> {
    const keys = await this.#calls.read('idempotency_keys.list', {}, options, { key })
    return keys.some(({ path }) => path.endsWith(`/${order_id}/submit`))
  }
}

/** The gateway returns an order that was submitted as the submit did: with its shipping. */
function asSubmitted(order: Data<'orders.read'>): Data<'orders.submit'> {
  return order as Data<'orders.submit'>
}
