import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Whether a webhook has a valid signature and a time within five minutes of now. Checks the raw body before parsing it,
 * as a receiver would.
 */
export function verifyWebhook(rawBody: string | Uint8Array, headers: Record<string, string>, secret: string) {
  const [, t = '', signatures = ''] = /^t=(\d+),(.+)$/.exec(headers['x-service-signature'] ?? '') ?? []
  if (Math.abs(Date.now() / 1000 - Number(t)) > 300) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${t}.`).update(rawBody).digest()
  return signatures.split(',').some((part) => {
    const given = Buffer.from(part.replace('v1=', ''), 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
