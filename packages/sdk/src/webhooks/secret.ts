import { WebhookError } from './errors.ts'

const prefix = 'whsec_'
/** The gateway's secrets have 32 bytes. Standard Webhooks allows 24 to 64. */
const minBytes = 24

/** What a text probably is, by its beginning. */
const otherKinds: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^eyJ/, 'an access token'],
  [/^whe_/, 'the id of a webhook endpoint'],
  [/^evt_/, 'the id of an event'],
  [/^v1[,=]/, 'a signature'],
]

/** Reads the keys of one or several secrets. Throws `WebhookError`, also for a variable that is not set. */
export function decodeSecrets(secret: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  return (Array.isArray(secret) ? secret : [secret]).map(decodeSecret)
}

/** Reads the key of a secret: the base64-decoded bytes after `whsec_`. Throws `WebhookError`. */
function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string') throw refuse(describeKind(''))
  const given = secret.trim()
  if (!given.startsWith(prefix)) throw refuse(describeKind(given))
  const bytes = decodeBase64(given.slice(prefix.length))
  if (!bytes || bytes.length < minBytes) throw refuse('a secret that was cut or changed')
  return bytes
}

function describeKind(given: string): string {
  if (given === '') return 'an empty text; is its environment variable set?'
  return (
    otherKinds.find(([pattern]) => pattern.test(given))?.[1] ??
    'another kind of secret, such as a client secret'
  )
}

function refuse(what: string): WebhookError {
  return new WebhookError(
    'WRONG_SECRET_KIND',
    `The given secret is ${what}. Use the one that POST /webhook-endpoints returned, which begins with ${prefix}.`,
  )
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text)
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Computes the HMAC-SHA256 of `{event_id}.{t}.{raw body}`. */
export async function computeSignature(
  key: Uint8Array<ArrayBuffer>,
  { eventId, seconds, body }: SignedParts,
): Promise<Uint8Array<ArrayBuffer>> {
  const head = new TextEncoder().encode(`${eventId}.${seconds}.`)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

export interface SignedParts {
  readonly eventId: string
  /** The time of the signature in Unix seconds, as in the header. */
  readonly seconds: string
  readonly body: Uint8Array
}

/** Compares without telling by its duration how much was equal. */
export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0)
  return difference === 0
}
