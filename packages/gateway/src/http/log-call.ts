import type { Answer, Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { mcpPath } from './headers.ts'

/** Reads that took longer are worth a line. */
const slowMs = 250

/** A line for writes, failures and slow reads; the rest is counted elsewhere. */
export function logCall(gateway: Gateway, call: Call, answer: Answer, ms: number) {
  const isRead = call.method === 'GET' || call.method === 'HEAD' || call.route === mcpPath
  if (isRead && answer.status < 500 && ms < slowMs) return
  gateway.log.info(
    {
      request_id: call.requestId,
      method: call.method,
      route: call.route ?? 'none',
      status: answer.status,
      ms: Math.round(ms * 10) / 10,
      ...(answer.code === undefined ? {} : { code: answer.code }),
      ...(call.caller ? { channel_code: call.caller.channel_code } : {}),
      ...(call.cost === undefined ? {} : { points: call.cost }),
    },
    'answered',
  )
}
