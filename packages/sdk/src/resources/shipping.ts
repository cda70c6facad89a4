import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row } from './shapes.ts'

/** Ways to ship a wholesale order. */
export class ShippingMethods {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists the shipping methods of the customer.
   *
   * @see `/reference/shipping_methods.list`
   */
  list(
    filters?: Filters<'shipping_methods.list'>,
    options?: CallOptions,
  ): Pages<Row<'shipping_methods.list'>, ListPage<'shipping_methods.list'>> {
    return this.#calls.list('shipping_methods.list', filters, (row) => row.shipping_method_id, { options })
  }
}

/** Addresses to which wholesale orders are delivered. */
export class Addresses {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists the addresses of the customer.
   *
   * @see `/reference/addresses.list`
   */
  list(
    filters?: Filters<'addresses.list'>,
    options?: CallOptions,
  ): Pages<Row<'addresses.list'>, ListPage<'addresses.list'>> {
    return this.#calls.list('addresses.list', filters, (row) => row.address_id, { options })
  }
}

/** Parcels that left a warehouse. */
export class Shipments {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists shipments, newest first, also of one order or one tracking number.
   *
   * @see `/reference/shipments.list`
   */
  list(
    filters?: Filters<'shipments.list'>,
    options?: CallOptions,
  ): Pages<Row<'shipments.list'>, ListPage<'shipments.list'>> {
    return this.#calls.list('shipments.list', filters, (row) => row.shipment_id, { options })
  }

  /**
   * Reads a shipment. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`.
   *
   * @see `/reference/shipments.read`
   */
  read(shipment_id: string, options?: CallOptions): Call<Data<'shipments.read'>> {
    return this.#calls.read('shipments.read', { shipment_id }, options)
  }
}
