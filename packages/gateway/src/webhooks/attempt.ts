/** One delivery attempt: builds, signs and sends the body, and converts the result to an outcome. */

import type { Gateway } from '../gateway.ts'
import type { Egress, PostError, PostResult } from './egress.ts'
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
  readonly egress: Egress
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
    const reason = findReasonToWithhold(gateway, target, due)
    if (reason)
      return { ...toOutcome(gateway, due, toUnsentResult(reason)), status: 'cancelled', due_at: null }
    const began = gateway.clock.monotonic()
    const result = await postDelivery({ gateway, egress }, target, due)
    gateway.memory.metrics.delivery.observe((gateway.clock.monotonic() - began) / 1000)
    return toOutcome(gateway, due, result)
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

function postDelivery(
  { gateway, egress }: AttemptContext,
  target: Target,
  due: Due,
): Promise<PostResult> | PostResult {
  const { event_id } = due
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
