/**
 * Signs webhook bodies in two forms: the gateway's own (`X-Service-Signature: t=…,v1=<hex>`) and that of Standard
 * Webhooks (`webhook-signature: v1,<base64>`). Both encode the same HMAC-SHA256 over `{event_id}.{t}.{raw body}`. The
 * key is the base64-decoded part of the secret after `whsec_`. After a rotation each header has one signature per
 * active secret.
 */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { WebhookEndpointRow } from '../store/tables.ts'

/** The prefix of a secret. */
const prefix = 'whsec_'
const secretBytes = 32
/** How long a former secret still signs after a rotation. */
const rotationMs = 24 * 60 * 60_000
/** The largest number of former secrets that still sign. */
const maxFormers = 4
/** The largest number of secrets that sign: the present one and its former ones. */
export const maxSigning = maxFormers + 1

interface Former {
  readonly sealed: string
  readonly until: number
}

/** Lists the former secrets that still sign, newest first. */
export function listActiveFormers({ formers }: Pick<WebhookEndpointRow, 'formers'>, now: number): Former[] {
  const all: Former[] = JSON.parse(formers)
  return all.filter(({ until }) => now < until)
}

/**
 * Returns when the oldest former secret ends, if there is no place for another one until then. A further rotation would
 * end a secret that a receiver still uses.
 */
export function findRotationPause(
  endpoint: Pick<WebhookEndpointRow, 'formers'>,
  now: number,
): number | undefined {
  return listActiveFormers(endpoint, now)[maxFormers - 1]?.until
}

/** Builds the stored former secrets after a rotation. `findRotationPause` keeps their number within its limit. */
export function addFormer(row: Pick<WebhookEndpointRow, 'secret_sealed' | 'formers'>, now: number): string {
  const former = { sealed: row.secret_sealed, until: now + rotationMs }
  return JSON.stringify([former, ...listActiveFormers(row, now)])
}

export function createSecret({ ids }: Pick<Gateway, 'ids'>): string {
  return `${prefix}${ids.bytes(secretBytes).toString('base64')}`
}

/**
 * Builds the text that binds an encrypted secret to its endpoint. The secret can be decrypted only with the same text.
 */
function toSealPurpose({
  endpoint_id,
  channel_code,
}: Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code'>): string {
  return `webhook secret ${endpoint_id} ${channel_code}`
}

type Owner = Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code'>

export function sealSecret({ secrets }: Pick<Gateway, 'secrets'>, owner: Owner, secret: string): string {
  return secrets.seal(secret, toSealPurpose(owner))
}

const sealedOf = {
  table: 'webhook_endpoints',
  key: 'endpoint_id',
  owner: 'channel_code',
  purposeOf: (endpoint_id: string, channel_code: string) => toSealPurpose({ endpoint_id, channel_code }),
} as const

/** The columns of encrypted secrets, for `reseal.ts`. */
export const sealedSecrets = describeSealedColumn({ ...sealedOf, column: 'secret_sealed' })
export const sealedFormers = describeSealedColumn({
  ...sealedOf,
  column: 'formers',
  mapValues(stored, each) {
    const formers: Former[] = JSON.parse(stored)
    return JSON.stringify(formers.map((former) => ({ ...former, sealed: each(former.sealed) })))
  },
})

/** The largest number of unsealed keys that are cached, so that not every delivery must unseal its keys again. */
const maxKnownKeys = 5_000
const knownKeys = new LRUCache<string, KeyObject>({ max: maxKnownKeys })

export type Sealed = Owner & Pick<WebhookEndpointRow, 'secret_sealed' | 'formers'>

/** Lists the keys that currently sign, newest first. */
export function listSigningKeys(gateway: Pick<Gateway, 'clock' | 'secrets'>, endpoint: Sealed): KeyObject[] {
  const formers = listActiveFormers(endpoint, gateway.clock.now()).map(({ sealed }) => sealed)
  const purpose = toSealPurpose(endpoint)
  return [endpoint.secret_sealed, ...formers].map((sealed) => {
    // With its purpose, because a secret copied into another endpoint's row must not sign there.
    const name = `${purpose} ${sealed}`
    const known = knownKeys.get(name)
    if (known) return known
    const secret = gateway.secrets.unseal(sealed, purpose)
    const key = createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'))
    knownKeys.set(name, key)
    return key
  })
}

interface SignedMessage {
  readonly event_id: string
  readonly epochMs: number
  readonly body: Uint8Array
}

/** Builds the headers that sign a body, as a flat list of names and values. */
export function buildSignatureHeaders(
  keys: readonly KeyObject[],
  { event_id, epochMs, body }: SignedMessage,
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

/** Whether both signatures with a key are right, checked as a receiver checks them. */
export function isSigned(key: KeyObject, headers: readonly string[], body: Uint8Array): boolean {
  const headerValue = (name: string) => headers[headers.indexOf(name) + 1] ?? ''
  const id = headerValue('webhook-id')
  const t = headerValue('webhook-timestamp')
  const digest = createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest()
  const ours = headerValue('X-Service-Signature').split(',')
  return (
    ours.includes(`t=${t}`) &&
    ours.includes(`v1=${digest.toString('hex')}`) &&
    headerValue('webhook-signature')
      .split(' ')
      .includes(`v1,${digest.toString('base64')}`)
  )
}
