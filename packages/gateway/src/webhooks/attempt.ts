/** One delivery attempt: builds, signs and sends the body, and converts the result to an outcome. */

import type { Gateway } from '../gateway.ts'
import { formatTraceParent, parseTraceParent, type TraceContext } from '../kernel/trace-context.ts'
import type { PostError, PostResult, Sender } from './egress.ts'
import { parseInboxName, receiveDelivery } from './inbox.ts'
import { buildBody, findReasonToWithhold } from './payload.ts'
import type { Due, Outcome, Target } from './queue.ts'
import { findRetryDelay, maxAttempts } from './schedule.ts'
import { buildSignatureHeaders, isSigned, listSigningKeys } from './sign.ts'

/** The time limit of an attempt. */
export const attemptTimeoutMs = 15_000
const userAgent = 'TradeGateway-Webhooks/1.4'
const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/

interface AttemptContext {
  readonly gateway: Gateway
  readonly egress: Sender
}

/** Attempts a delivery. If the endpoint may no longer receive the event, cancels the delivery. Never throws. */
export async function attemptDelivery(context: AttemptContext, target: Target, due: Due): Promise<Outcome> {
  const outcome = await attempt(context, target, due)
  context.gateway.memory.metrics.deliveries.inc({
    type: due.event_type,
    outcome: outcome.status === 'pending' ? 'failed' : outcome.status,
    attempt: String(Math.min(due.attempts + 1, maxAttempts)),
  })
  return outcome
}

async function attempt({ gateway, egress }: AttemptContext, target: Target, due: Due): Promise<Outcome> {
  try {
    const reason = await findReasonToWithhold(gateway, target, due)
    if (reason)
      return { ...toOutcome(gateway, due, toUnsentResult(reason)), status: 'cancelled', due_at: null }
    return toOutcome(gateway, due, await measureDelivery({ gateway, egress }, target, due))
  } catch (error) {
    gateway.log.error(
      { error, subject: due.delivery_id },
      'a delivery failed inside; the gateway retries it on the usual schedule',
    )
    return toOutcome(gateway, due, toUnsentResult('internal'))
  }
}

function toUnsentResult(error: PostError): PostResult {
  return { status: undefined, error, excerpt: null }
}

/** Sends the delivery, measures its duration, and records it as a part of the trace of the event's cause. */
async function measureDelivery(context: AttemptContext, target: Target, due: Due): Promise<PostResult> {
  const { clock, memory } = context.gateway
  const { metrics, tracing } = memory
  const parent = parseTraceParent([due.trace_parent])
  const span = parent && tracing.spans.start({ name: `webhook ${due.event_type}`, kind: 'client', parent })
  const began = clock.monotonic()
  const result = await postDelivery(context, target, { ...due, trace: span?.context ?? parent })
  metrics.delivery.observe((clock.monotonic() - began) / 1000)
  const { delivery_id, event_id, attempts } = due
  const attributes = { delivery_id, event_id, attempt: attempts + 1 }
  const status = result.status === undefined ? {} : { 'http.response.status_code': result.status }
  span?.end({ attributes: { ...attributes, ...status }, error: result.error })
  return result
}

function postDelivery(
  { gateway, egress }: AttemptContext,
  target: Target,
  due: Due & { readonly trace: TraceContext | undefined },
): Promise<PostResult> | PostResult {
  const { event_id, trace } = due
  const body = buildBody(gateway, target, due)
  const keys = listSigningKeys(gateway, target)
  const signature = buildSignatureHeaders(keys, { event_id, epochMs: gateway.clock.now(), body })
  const request_id =
    due.request_id !== null && requestIdPattern.test(due.request_id) ? due.request_id : event_id
  const headers = [
    'Content-Type',
    'application/json',
    'User-Agent',
    userAgent,
    'X-Request-Id',
    request_id,
    ...signature,
    ...(trace ? ['traceparent', formatTraceParent(trace)] : []),
  ]
  const name = parseInboxName(gateway, target.url)
  if (name === undefined) return egress.post({ url: target.url, headers, body, timeoutMs: attemptTimeoutMs })
  const verified = keys.every((key) => isSigned(key, headers, body))
  return receiveDelivery(gateway, name, {
    channel_code: target.channel_code,
    event_id,
    headers,
    body,
    verified,
  })
}

function toOutcome(gateway: Gateway, due: Due, { status, error, excerpt }: PostResult): Outcome {
  const { delivery_id, endpoint_id, attempts } = due
  const delay = findRetryDelay(attempts + 1)
  return {
    delivery_id,
    endpoint_id,
    attempts,
    status: error === undefined ? 'delivered' : delay === undefined ? 'dead_letter' : 'pending',
    last_status: status ?? null,
    last_error: error ?? null,
    last_response: excerpt,
    attempted_at: gateway.clock.now(),
    due_at: error === undefined ? null : (delay ?? null),
  }
}
