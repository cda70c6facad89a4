/**
 * Verifies webhooks in both forms of the contract: `X-Service-Signature: t=…,v1=<hex>`, and the headers of Standard
 * Webhooks. Both carry the same HMAC-SHA256 over `{event_id}.{t}.{raw body}`. After a rotation there is a signature for
 * each secret, and one match is enough.
 */

import { WebhookError } from './errors.ts'
import type { WebhookEvent } from './event.ts'
import { areEqual, computeSignature, decodeBase64, decodeSecrets, type SignedParts } from './secret.ts'

/** Headers as frameworks have them: an object, lists of values, or `Headers`. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far the time of the signature may be from this machine's. Default 300 seconds. */
  readonly toleranceSeconds?: number
  /** The present time in milliseconds since 1970, for tests. */
  readonly now?: () => number
}

const defaultToleranceSeconds = 300
/** More signatures than five secrets make. A longer header is not the gateway's. */
const maxSignatures = 20

/**
 * Verifies the raw body of a webhook and returns its event. `secret` may be a list while a secret is rotated. Throws
 * `WebhookError`, whose `code` says why.
 *
 * @example const event = await verify(await request.text(), request.headers, process.env.WEBHOOK_SECRET)
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = readRawBody(rawBody)
  const keys = decodeSecrets(secret)
  const { eventId, seconds, signatures } = readSignatures(headers)
  checkTime(Number(seconds), now() / 1000, toleranceSeconds)
  for (const key of keys) {
    const wanted = await computeSignature(key, { eventId, seconds, body })
    if (signatures.some((given) => areEqual(given, wanted))) return parseEvent(body, eventId)
  }
  throw new WebhookError(
    'MISMATCH',
    'No signature matches. Is this the secret of this endpoint, and are these the bytes that came? ' +
      'A body that was parsed and written again has other bytes.',
  )
}

/** The body of a request, or what a parser has made of it. */
export function readRawBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  const kind = body === undefined || body === null ? 'missing' : 'a parsed object'
  throw new WebhookError(
    'BODY_PARSED',
    `The body is ${kind}, and the signature covers the bytes that came. Read them before a parser does. ` +
      'Express: put the route before express.json(), with express.raw({ type: "application/json" }). ' +
      'Fastify: register the plugin of @trade-gateway/sdk/fastify. Hono: await c.req.text(). ' +
      'Next: await request.text() in a route handler, or bodyParser: false in pages/api.',
  )
}

interface Signatures extends Omit<SignedParts, 'body'> {
  readonly signatures: readonly Uint8Array[]
}

function readSignatures(headers: HeadersLike): Signatures {
  const eventId = readHeader(headers, 'webhook-id')
  const own = readHeader(headers, 'x-service-signature')
  const standard = readHeader(headers, 'webhook-signature')
  const missing =
    eventId === undefined ? 'webhook-id' : (own ?? standard) === undefined ? 'x-service-signature' : undefined
  if (eventId === undefined || missing !== undefined)
    throw new WebhookError('MISSING_HEADER', `The header ${missing} is missing. A proxy may have removed it.`)
  const found = own === undefined ? readStandard(headers, standard ?? '') : readOwn(own)
  if (!/^\d{1,12}$/.test(found.seconds) || found.signatures.length === 0)
    throw new WebhookError(
      'MALFORMED_HEADER',
      `The signature headers do not have the form t=<seconds>,v1=<hex>.`,
    )
  return { eventId, ...found }
}

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>…]` */
function readOwn(header: string): Omit<Signatures, 'eventId'> {
  const parts = header.split(',', maxSignatures).map((part) => part.trim())
  const seconds = parts.find((part) => part.startsWith('t='))?.slice('t='.length) ?? ''
  const signatures = parts
    .filter((part) => /^v1=[0-9a-f]{64}$/i.test(part))
    .map((part) => decodeHex(part.slice('v1='.length)))
  return { seconds, signatures }
}

/** `v1,<base64> [v1,<base64>…]`, with the time in a header of its own */
function readStandard(headers: HeadersLike, header: string): Omit<Signatures, 'eventId'> {
  const signatures = header
    .split(' ', maxSignatures)
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => decodeBase64(part.slice('v1,'.length)) ?? [])
  return { seconds: readHeader(headers, 'webhook-timestamp') ?? '', signatures }
}

function checkTime(seconds: number, nowSeconds: number, toleranceSeconds: number): void {
  const age = Math.round(nowSeconds - seconds)
  if (Math.abs(age) <= toleranceSeconds) return
  const side = age > 0 ? `${age} seconds old` : `${-age} seconds in the future`
  throw new WebhookError(
    'STALE',
    `The signature is ${side}. Synchronise the clock of this machine, and do not verify deliveries that were stored.`,
  )
}

function parseEvent(body: Uint8Array, eventId: string): WebhookEvent {
  const event = parseJson(body)
  if (isEvent(event) && event.event_id === eventId) return event
  throw new WebhookError('NOT_AN_EVENT', 'The signature is right, and the body is no event of this contract.')
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** The gateway signed it, so its members are those of the contract. */
function isEvent(value: unknown): value is WebhookEvent {
  return (
    typeof value === 'object' && value !== null && 'event_id' in value && 'type' in value && 'data' in value
  )
}

function readHeader(headers: HeadersLike, name: string): string | undefined {
  if (hasGet(headers)) return headers.get(name) ?? undefined
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === 'string' ? value : value?.[0]
}

function hasGet(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function decodeHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
