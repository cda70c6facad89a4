import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row, Sent } from './shapes.ts'

/** Stock that is held for up to a day. */
export class Reservations {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Holds all lines, or nothing. Throws `RejectedError` with `insufficient_stock` or `too_many_holds`, and
   * `OutcomeUnknownError`.
   *
   * @see `/reference/reservations.create`
   */
  create(body: Sent<'reservations.create'>, options?: WriteOptions): Call<Data<'reservations.create'>> {
    return this.#calls.write('reservations.create', {}, body, options)
  }

  /**
   * Lists reservations, newest first.
   *
   * @see `/reference/reservations.list`
   */
  list(
    filters?: Filters<'reservations.list'>,
    options?: CallOptions,
  ): Pages<Row<'reservations.list'>, ListPage<'reservations.list'>> {
    return this.#calls.list('reservations.list', filters, (row) => row.reservation_id, { options })
  }

  /**
   * Reads a reservation. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/reservations.read`
   */
  read(reservation_id: string, options?: CallOptions): Call<Data<'reservations.read'>> {
    return this.#calls.read('reservations.read', { reservation_id }, options)
  }

  /**
   * Cancels a reservation and releases its stock. Throws `RejectedError` with `invalid_state`, and
   * `OutcomeUnknownError`.
   *
   * @see `/reference/reservations.cancel`
   */
  cancel(reservation_id: string, options?: WriteOptions): Call<Data<'reservations.cancel'>> {
    return this.#calls.write('reservations.cancel', { reservation_id }, undefined, options)
  }

  /**
   * Makes a draft of a reservation. The hold passes to it: see `order_id`. Throws `RejectedError` with
   * `invalid_state` or `hold_expired`.
   *
   * @see `/reference/reservations.confirm`
   */
  confirm(reservation_id: string, options?: WriteOptions): Call<Data<'reservations.confirm'>> {
    return this.#calls.write('reservations.confirm', { reservation_id }, undefined, options)
  }
}

/** Stock that previews, reservations and drafts hold. */
export class Holds {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists holds, newest first.
   *
   * @see `/reference/holds.list`
   */
  list(
    filters?: Filters<'holds.list'>,
    options?: CallOptions,
  ): Pages<Row<'holds.list'>, ListPage<'holds.list'>> {
    return this.#calls.list('holds.list', filters, (row) => row.hold_id, { options })
  }

  /**
   * Reads a hold. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/holds.read`
   */
  read(hold_id: string, options?: CallOptions): Call<Data<'holds.read'>> {
    return this.#calls.read('holds.read', { hold_id }, options)
  }

  /**
   * Releases the hold of a preview, or cancels the reservation of the hold. Throws `RejectedError` with
   * `invalid_state` for the hold of an order.
   *
   * @see `/reference/holds.delete`
   */
  delete(hold_id: string, options?: WriteOptions): Call<Data<'holds.delete'>> {
    return this.#calls.write('holds.delete', { hold_id }, undefined, options)
  }
}
