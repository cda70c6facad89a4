import type { ApiResponse, Call } from '../contract/call.ts'
import { mcpPath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import { countFreeRefusal, isRefusedOperator, recordRequest } from '../requests/record.ts'

/** The duration in milliseconds from which a read counts as slow and is logged. */
const slowMs = 250

/**
 * Logs writes, slow reads and failures of the gateway. Other calls are only counted in the metrics. `TokenGuard` reports
 * calls without the right admin token, once a minute for all of them. Of a flood of refusals without a token, only those
 * that have a row in the request log are logged.
 */
export function logCall(gateway: Gateway, call: Call, response: ApiResponse, ms: number) {
  const isRead = call.method === 'GET' || call.method === 'HEAD' || call.route === mcpPath
  const isNotable = !isRead || response.status >= 400 || ms >= slowMs
  const isSurplus = countFreeRefusal(gateway, call, response)
  recordRequest(gateway, { call, response, ms, isNotable, isSurplus })
  if (isSurplus && !call.caller) return
  if (isRead && response.status < 500 && ms < slowMs) return
  if (isRefusedOperator(call, response)) return
  gateway.log.info(
    {
      request_id: call.requestId,
      method: call.method,
      route: call.route ?? 'none',
      status: response.status,
      ms: Math.round(ms * 10) / 10,
      ...(call.trace ? { trace_id: call.trace.traceId } : {}),
      ...(response.code === undefined ? {} : { code: response.code }),
      ...(call.caller ? { channel_code: call.caller.channel_code } : {}),
      ...(call.cost === undefined ? {} : { points: call.cost }),
    },
    'answered',
  )
}
