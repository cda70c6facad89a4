import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway.ts'
import type { WebhookEndpointRow } from '../store/tables.ts'

/**
 * Signatures. Ours (`X-Service-Signature: t=…,v1=<hex>`) and the one of Standard Webhooks (`webhook-signature:
 * v1,<base64>`) are the same HMAC-SHA256 over `{event_id}.{t}.{raw body}`, written in two ways; the key is what stands
 * after `whsec_`, base64-decoded. After a rotation there are several of each.
 */
const prefix = 'whsec_'
const secretBytes = 32
/** How long the secret before a rotation signs too. */
const rotationMs = 24 * 60 * 60_000
/** Secrets before the present one that sign: rotations that are repeated within a day end none that a receiver may know. */
const mostFormers = 4

interface Former {
  readonly sealed: string
  readonly until: number
}

/** Former secrets that still sign, the newest first. */
export function formersOf({ formers }: Pick<WebhookEndpointRow, 'formers'>, now: number): Former[] {
  const all: Former[] = JSON.parse(formers)
  return all.filter(({ until }) => now < until)
}

/** What is kept of former secrets once the present one makes way for another. */
export function formersAfter(
  row: Pick<WebhookEndpointRow, 'secret_sealed' | 'formers'>,
  now: number,
): string {
  const left = { sealed: row.secret_sealed, until: now + rotationMs }
  return JSON.stringify([left, ...formersOf(row, now)].slice(0, mostFormers))
}

export function newSecret({ ids }: Gateway): string {
  return `${prefix}${ids.bytes(secretBytes).toString('base64')}`
}

/** What the sealed secret of an endpoint is bound to. */
function purposeOf({
  endpoint_id,
  channel_code,
}: Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code'>): string {
  return `webhook secret ${endpoint_id} ${channel_code}`
}

type Owner = Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code'>

export function sealedSecret({ secrets }: Gateway, owner: Owner, secret: string): string {
  return secrets.seal(secret, purposeOf(owner))
}

/** Keys that were unsealed, by what they are sealed as. */
const mostKnownKeys = 5_000
const knownKeys = new LRUCache<string, KeyObject>({ max: mostKnownKeys })

export type Sealed = Owner & Pick<WebhookEndpointRow, 'secret_sealed' | 'formers'>

/** The keys that sign now, the newest first. */
export function signingKeys(gateway: Gateway, endpoint: Sealed): KeyObject[] {
  const formers = formersOf(endpoint, gateway.clock.now()).map(({ sealed }) => sealed)
  return [endpoint.secret_sealed, ...formers].map((sealed) => {
    const known = knownKeys.get(sealed)
    if (known) return known
    const secret = gateway.secrets.unseal(sealed, purposeOf(endpoint))
    const key = createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'))
    knownKeys.set(sealed, key)
    return key
  })
}

/** The headers that sign a body: a flat list of names and values. */
export function signatureHeaders(
  keys: readonly KeyObject[],
  event_id: string,
  epochMs: number,
  body: Uint8Array,
): string[] {
  const t = String(Math.floor(epochMs / 1000))
  const base64 = keys.map((key) =>
    createHmac('sha256', key).update(`${event_id}.${t}.`).update(body).digest('base64'),
  )
  const hex = base64.map((each) => Buffer.from(each, 'base64').toString('hex'))
  return [
    'X-Service-Signature',
    [`t=${t}`, ...hex.map((each) => `v1=${each}`)].join(','),
    'webhook-id',
    event_id,
    'webhook-timestamp',
    t,
    'webhook-signature',
    base64.map((each) => `v1,${each}`).join(' '),
  ]
}

/** Whether a body carries both signatures of a key, as a receiver checks it. */
export function isSigned(key: KeyObject, headers: readonly string[], body: Uint8Array): boolean {
  const named = (name: string) => headers[headers.indexOf(name) + 1] ?? ''
  const id = named('webhook-id')
  const t = named('webhook-timestamp')
  const digest = createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest()
  const ours = named('X-Service-Signature').split(',')
  return (
    ours.includes(`t=${t}`) &&
    ours.includes(`v1=${digest.toString('hex')}`) &&
    named('webhook-signature')
      .split(' ')
      .includes(`v1,${digest.toString('base64')}`)
  )
}
