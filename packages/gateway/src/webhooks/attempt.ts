import type { Gateway } from '../gateway.ts'
import type { Egress, PostError, Posted } from './egress.ts'
import { inboxNamed, receive } from './inbox.ts'
import { bodyOf, withheld } from './payload.ts'
import type { Due, Outcome, Target } from './queue.ts'
import { delayAfter } from './schedule.ts'
import { isSigned, signatureHeaders, signingKeys } from './sign.ts'

/** One attempt: what is sent is made, signed and sent now, and what comes of it is decided here. */
export const attemptTimeoutMs = 15_000
const userAgent = 'TradeGateway-Webhooks/1.4'
const soundRequestId = /^[A-Za-z0-9._-]{8,128}$/

/** Tries to deliver; what is not to be seen any more is not sent. Never throws. */
export async function attempt(gateway: Gateway, egress: Egress, target: Target, due: Due): Promise<Outcome> {
  try {
    const reason = withheld(gateway, target, due)
    if (reason) return { ...outcomeOf(gateway, due, unsent(reason)), status: 'cancelled', due_at: null }
    return outcomeOf(gateway, due, await sent(gateway, egress, target, due))
  } catch (error) {
    gateway.log.error(
      { error, subject: due.delivery_id },
      'a delivery failed inside; it is tried again as any other',
    )
    return outcomeOf(gateway, due, unsent('internal'))
  }
}

function unsent(error: PostError): Posted {
  return { status: undefined, error, said: null }
}

function sent(gateway: Gateway, egress: Egress, target: Target, due: Due): Promise<Posted> | Posted {
  const { event_id } = due
  const body = bodyOf(gateway, target, due)
  const keys = signingKeys(gateway, target)
  const signature = signatureHeaders(keys, event_id, gateway.clock.now(), body)
  const request_id =
    due.request_id !== null && soundRequestId.test(due.request_id) ? due.request_id : event_id
  const headers = [
    'Content-Type',
    'application/json',
    'User-Agent',
    userAgent,
    'X-Request-Id',
    request_id,
    ...signature,
  ]
  const name = inboxNamed(gateway, target.url)
  if (name === undefined) return egress.post(target.url, headers, body, attemptTimeoutMs)
  const verified = keys.every((key) => isSigned(key, headers, body))
  return receive(gateway, name, { channel_code: target.channel_code, event_id, headers, body, verified })
}

function outcomeOf(gateway: Gateway, due: Due, { status, error, said }: Posted): Outcome {
  const { delivery_id, endpoint_id, attempts } = due
  const delay = delayAfter(attempts + 1)
  return {
    delivery_id,
    endpoint_id,
    attempts,
    status: error === undefined ? 'delivered' : delay === undefined ? 'dead_letter' : 'pending',
    last_status: status ?? null,
    last_error: error ?? null,
    last_response: said,
    attempted_at: gateway.clock.now(),
    due_at: error === undefined ? null : (delay ?? null),
  }
}
