/**
 * Events for logs, metrics and traces. They carry no token, no secret, no body and no message, because a message may
 * repeat a field of the body. What a listener throws does not disturb the call.
 */

import type { OperationId } from '../generated/operations.ts'
import type { Points } from './meta.ts'

interface Attempted {
  /** The endpoint; undefined for `client.request`. */
  readonly operation: OperationId | undefined
  readonly method: string
  /** The path without its query, which may hold numbers of customers. */
  readonly path: string
  /** 1 for the first request of a call. */
  readonly attempt: number
  readonly idempotencyKey: string | undefined
}

/** A request is about to be sent. */
export interface RequestEvent extends Attempted {
  readonly type: 'request'
}

/** A request ended. Without a response, `status` is undefined. */
export interface ResponseEvent extends Attempted {
  readonly type: 'response'
  readonly status: number | undefined
  /** The code of the failure; undefined after a success. */
  readonly code: string | undefined
  /** The `reason` of the failure, if the response has one. */
  readonly reason: string | undefined
  readonly durationMs: number
  readonly requestId: string | undefined
  readonly points: Points | undefined
}

/** A failed request will be repeated after `delayMs`. */
export interface RetryEvent extends Attempted {
  readonly type: 'retry'
  /** The status of the failure; undefined without a response. */
  readonly status: number | undefined
  readonly code: string
  readonly reason: string | undefined
  readonly delayMs: number
}

/** The gateway announces the end of something in use (RFC 9745 and RFC 8594), or the token store failed. */
export interface NoticeEvent {
  readonly type: 'notice'
  readonly message: string
  /** When it ends. */
  readonly sunset: string | undefined
  readonly link: string | undefined
}

export interface ClientEvents {
  readonly request: RequestEvent
  readonly response: ResponseEvent
  readonly retry: RetryEvent
  readonly notice: NoticeEvent
}

export type ClientEvent = ClientEvents[keyof ClientEvents]

/** Formats an event as one line for a log. */
export function formatEvent(event: ClientEvent): string {
  if (event.type === 'notice') return `notice ${event.message}`
  const { type, method, path, attempt } = event
  const start = `${type} ${method} ${path} attempt=${attempt}`
  if (event.type === 'request') return start
  if (event.type === 'retry') return `${start} code=${formatCode(event)} in=${Math.round(event.delayMs)}ms`
  const { status = '-', durationMs, requestId = '-', points } = event
  return `${start} status=${status} code=${formatCode(event)} took=${Math.round(durationMs)}ms request=${requestId} left=${points?.remaining ?? '-'}`
}

function formatCode({ code = 'OK', reason }: Pick<ResponseEvent, 'code' | 'reason'>): string {
  return reason === undefined ? code : `${code}/${reason}`
}
