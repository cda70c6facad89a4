import type { Call } from '../transport/call.ts'
import type { CallOptions, WriteOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Query, Row, Sent } from './shapes.ts'

/** Requests for another plan. */
export class PlanRequests {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Requests the plan `reader`, `trader` or `full`. It takes effect when the operator approves it. Throws
   * `VALIDATION_FAILED` if a request is pending.
   *
   * @see `/reference/plan_requests.create`
   */
  create(body: Sent<'plan_requests.create'>, options?: WriteOptions): Call<Data<'plan_requests.create'>> {
    return this.#calls.write('plan_requests.create', {}, body, options)
  }

  /**
   * Lists the requests of the channel, newest first.
   *
   * @see `/reference/plan_requests.list`
   */
  list(
    filters?: Filters<'plan_requests.list'>,
    options?: CallOptions,
  ): Pages<Row<'plan_requests.list'>, ListPage<'plan_requests.list'>> {
    return this.#calls.list('plan_requests.list', filters, (row) => row.plan_request_id, { options })
  }
}

/** What the gateway knows of earlier requests. */
export class Requests {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Reads the requests with this id, newest first: timeline, points and outcome. Throws `NOT_FOUND` for an id of
   * another channel, and for a successful read, which is only counted.
   *
   * @see `/reference/requests.read`
   */
  read(request_id: string, options?: CallOptions): Call<Data<'requests.read'>> {
    return this.#calls.read('requests.read', { request_id }, options)
  }
}

/** The state of writes by their keys. */
export class IdempotencyKeys {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Finds what became of the writes with this key: `running`, `completed`, `in_doubt` or `failed`.
   *
   * @see `/reference/idempotency_keys.list`
   */
  list(query: Query<'idempotency_keys.list'>, options?: CallOptions): Call<Data<'idempotency_keys.list'>> {
    return this.#calls.read('idempotency_keys.list', {}, options, query)
  }
}

/** The catalogue of error codes. These calls need no token. */
export class Errors {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists every code with its status, its texts and whether a retry may succeed.
   *
   * @see `/reference/errors.list`
   */
  list(options?: CallOptions): Call<Data<'errors.list'>> {
    return this.#calls.read('errors.list', {}, options)
  }

  /**
   * Reads one code. Throws `NOT_FOUND` for an unknown code.
   *
   * @see `/reference/errors.read`
   */
  read(code: string, options?: CallOptions): Call<Data<'errors.read'>> {
    return this.#calls.read('errors.read', { code }, options)
  }
}
