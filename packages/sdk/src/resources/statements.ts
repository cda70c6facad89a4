import type { CallOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Filters, Row } from './shapes.ts'

/** Balances of the customer. */
export class Balances {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists the balance of each currency.
   *
   * @see `/reference/balances.list`
   */
  list(
    filters?: Filters<'balances.list'>,
    options?: CallOptions,
  ): Pages<Row<'balances.list'>, ListPage<'balances.list'>> {
    return this.#calls.list('balances.list', filters, (row) => row.currency, { options })
  }
}

/** Movements of the balance. */
export class Transactions {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists transactions, newest first, each with the balance after it.
   *
   * @see `/reference/transactions.list`
   */
  list(
    filters?: Filters<'transactions.list'>,
    options?: CallOptions,
  ): Pages<Row<'transactions.list'>, ListPage<'transactions.list'>> {
    return this.#calls.list('transactions.list', filters, (row) => row.transaction_id, { options })
  }
}

/** Bills of the customer. */
export class Bills {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists bills, newest first.
   *
   * @see `/reference/bills.list`
   */
  list(
    filters?: Filters<'bills.list'>,
    options?: CallOptions,
  ): Pages<Row<'bills.list'>, ListPage<'bills.list'>> {
    return this.#calls.list('bills.list', filters, (row) => row.bill_id, { options })
  }
}

/** Refunds of the customer. */
export class Refunds {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists refunds, newest first.
   *
   * @see `/reference/refunds.list`
   */
  list(
    filters?: Filters<'refunds.list'>,
    options?: CallOptions,
  ): Pages<Row<'refunds.list'>, ListPage<'refunds.list'>> {
    return this.#calls.list('refunds.list', filters, (row) => row.refund_id, { options })
  }
}

/** What parcels cost. */
export class FreightBills {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists freight bills, newest first.
   *
   * @see `/reference/freight_bills.list`
   */
  list(
    filters?: Filters<'freight_bills.list'>,
    options?: CallOptions,
  ): Pages<Row<'freight_bills.list'>, ListPage<'freight_bills.list'>> {
    return this.#calls.list('freight_bills.list', filters, (row) => row.freight_bill_id, { options })
  }
}
