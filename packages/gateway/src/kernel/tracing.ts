import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log, LogFields } from './log.ts'
import { noSpans, type Spans } from './spans.ts'
import { formatTraceParent, type TraceContext } from './trace-context.ts'

/** One call of the gateway to the ERP. */
export interface UpstreamCall {
  readonly operation: string
  readonly duration_us: number
  /** `ok`, `rejected`, or why there is no result: `timeout`, `unreachable`, `failed`, `malformed`, `not_sent`. */
  readonly result: string
  /** Why the ERP refused: a reason of the connector's protocol. The ERP's own text may name a recipient. */
  readonly rejection_reason?: string
}

/** A request that records the calls to the ERP that were made for it. */
export interface Traced {
  /** The place in a trace of what is done now; undefined if there is no trace. */
  readonly trace?: TraceContext | undefined
  upstreamCalls?: UpstreamCall[] | undefined
}

const maxUpstreamCalls = 50

/**
 * Remembers for which request the current code runs (`AsyncLocalStorage`), so that functions need not pass the request
 * on.
 */
export class Tracing {
  /** Records the spans of requests, of their calls to the ERP and of the deliveries that they caused. */
  readonly spans: Spans
  readonly #storage = new AsyncLocalStorage<Traced>()

  constructor(spans: Spans = noSpans) {
    this.spans = spans
  }

  /** The place in a trace of the running request. */
  get trace(): TraceContext | undefined {
    return this.#storage.getStore()?.trace
  }

  run<T>(traced: Traced, work: () => T): T {
    return this.#storage.run(traced, work)
  }

  /** The running request's place in a trace as a `traceparent`, to store with what it causes; null if it has none. */
  get traceParent(): string | null {
    const { trace } = this
    return trace ? formatTraceParent(trace) : null
  }

  /** Wraps a log so that the lines of a request in a trace have its `trace_id`. */
  traceLog(log: Log): Log {
    const add = (fields: LogFields): LogFields => {
      const { trace } = this
      return trace ? { trace_id: trace.traceId, ...fields } : fields
    }
    return {
      debug: (fields, message) => log.debug(add(fields), message),
      info: (fields, message) => log.info(add(fields), message),
      warn: (fields, message) => log.warn(add(fields), message),
      error: (fields, message) => log.error(add(fields), message),
    }
  }

  /** Adds a call to the ERP to the running request. The calls of a worker belong to no request. */
  note(call: UpstreamCall) {
    const traced = this.#storage.getStore()
    if (!traced) return
    traced.upstreamCalls ??= []
    if (traced.upstreamCalls.length < maxUpstreamCalls) traced.upstreamCalls.push(call)
  }
}
