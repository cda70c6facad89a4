import type { WebhookEvent } from './event.ts'
import { computeSignature, decodeSecrets } from './secret.ts'

/** A signed webhook as the gateway sends it. */
export interface SignedWebhook {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Signs an event as the gateway does, for tests of a receiver. Throws `WebhookError` for a secret of another kind. */
export async function sign(
  event: WebhookEvent,
  secret: string | readonly string[],
  now: () => number = Date.now,
): Promise<SignedWebhook> {
  const body = JSON.stringify(event)
  const bytes = new TextEncoder().encode(body)
  const seconds = String(Math.floor(now() / 1000))
  const keys = decodeSecrets(secret)
  const signatures = await Promise.all(
    keys.map((key) => computeSignature(key, { eventId: event.event_id, seconds, body: bytes })),
  )
  const hex = signatures.map((each) =>
    Array.from(each, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  )
  const base64 = signatures.map((each) => btoa(String.fromCharCode(...each)))
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': [`t=${seconds}`, ...hex.map((each) => `v1=${each}`)].join(','),
      'webhook-id': event.event_id,
      'webhook-timestamp': seconds,
      'webhook-signature': base64.map((each) => `v1,${each}`).join(' '),
    },
  }
}
