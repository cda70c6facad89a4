import type { ApiResponse, Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import type { Span, SpanEnd } from '../kernel/spans.ts'

/** Starts the span of a call and makes it the call's place in the trace, if spans are recorded. */
export function startRequestSpan({ memory }: Gateway, call: Call): Span | undefined {
  const span = memory.tracing.spans.start({ name: call.method, kind: 'server', parent: call.trace })
  if (span) call.trace = span.context
  return span
}

/** Describes a call that ended. Neither the path nor the query is part of it, because both may have personal data. */
export function describeRequest(
  { method, route, requestId, caller, cost = 0 }: Call,
  { status, code }: ApiResponse,
): SpanEnd {
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      request_id: requestId,
      'http.request.method': method,
      'http.response.status_code': status,
      points: cost,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(caller ? { channel_code: caller.channel_code } : {}),
      ...(code === undefined ? {} : { code }),
    },
    // By OpenTelemetry's convention, a mistake of the client is no error of the server.
    error: status >= 500 ? (code ?? String(status)) : undefined,
  }
}
