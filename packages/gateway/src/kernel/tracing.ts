import { AsyncLocalStorage } from 'node:async_hooks'

/** One call of the gateway to the ERP. */
export interface UpstreamCall {
  readonly operation: string
  readonly duration_us: number
  /** `ok`, `rejected`, or why there is no result: `timeout`, `unreachable`, `failed`, `malformed`, `not_sent`. */
  readonly result: string
}

/** A request that records the calls to the ERP that were made for it. */
export interface Traced {
  upstreamCalls?: UpstreamCall[] | undefined
}

const maxUpstreamCalls = 50

/**
 * Remembers for which request the current code runs (`AsyncLocalStorage`), so that functions need not pass the request
 * on.
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
