import { AsyncLocalStorage } from 'node:async_hooks'

/** One call of the gateway to the ERP. */
export interface UpstreamCall {
  readonly operation: string
  readonly duration_us: number
  /** `ok`, `rejected`, or why there is no result: `timeout`, `unreachable`, `failed`, `malformed`, `not_sent`. */
  readonly result: string
}

/** The owner of a list of the calls to the ERP that were made on its behalf. */
export interface Traced {
  upstreamCalls?: UpstreamCall[] | undefined
}

const maxUpstreamCalls = 50

/**
 * Knows on whose behalf the current code runs, however many functions are in between, so that no function has to pass
 * it on.
 */
export class Tracing {
  readonly #storage = new AsyncLocalStorage<Traced>()

  run<T>(traced: Traced, work: () => T): T {
    return this.#storage.run(traced, work)
  }

  /** Adds a call to the ERP to the running request. The calls of a worker belong to no request. */
  note(call: UpstreamCall) {
    const traced = this.#storage.getStore()
    if (!traced) return
    traced.upstreamCalls ??= []
    if (traced.upstreamCalls.length < maxUpstreamCalls) traced.upstreamCalls.push(call)
  }
}
