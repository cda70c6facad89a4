import { createHmac, createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Ids } from '../kernel/ids.ts'
import { deriveSecrets } from '../kernel/secrets.ts'
import {
  addFormer,
  buildSignatureHeaders,
  createSecret,
  findRotationPause,
  isSigned,
  listActiveFormers,
  listSigningKeys,
  sealedFormers,
  sealedSecrets,
  sealSecret,
} from './sign.ts'

const key = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
const secrets = await deriveSecrets({ present: key }, 'installation-1')
const start = Date.UTC(2026, 10, 21)
const day = 24 * 60 * 60_000
const owner = { endpoint_id: 'whe_1', channel_code: 'shop' }
const at = (now: number) => ({ secrets, clock: { now: () => now, monotonic: () => 0, machine: () => 0 } })

/** Creates a secret whose bytes are all the same, as a receiver has it. */
function createOwnSecret(byte: number): string {
  const ids: Ids = { next: (prefix) => prefix, bytes: (count) => Buffer.alloc(count, byte) }
  return createSecret({ ids })
}

const seal = (byte: number, by = owner) => sealSecret({ secrets }, by, createOwnSecret(byte))
const readBytes = (keys: ReturnType<typeof listSigningKeys>) => keys.map((each) => each.export()[0])

describe('the secret of an endpoint', () => {
  it('is whsec_ and 32 random bytes in base64', () => {
    expect(createOwnSecret(7)).toBe(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
  })

  it('is sealed for its endpoint and its channel, also if it signed for these before', () => {
    const sealed = seal(7)
    listSigningKeys(at(start), { ...owner, secret_sealed: sealed, formers: '[]' })
    expect(secrets.unseal(sealed, 'webhook secret whe_1 shop')).toBe(createOwnSecret(7))
    for (const other of [
      { ...owner, endpoint_id: 'whe_2' },
      { ...owner, channel_code: 'other' },
    ])
      expect(() => listSigningKeys(at(start), { ...other, secret_sealed: sealed, formers: '[]' })).toThrow()
  })

  it('signs with its bytes, not with its text', () => {
    const keys = listSigningKeys(at(start), { ...owner, secret_sealed: seal(7), formers: '[]' })
    expect(keys.map((each) => each.export())).toEqual([Buffer.alloc(32, 7)])
  })

  it('is found again by those who seal all secrets with another key', () => {
    expect(sealedSecrets.name).toBe('webhook_endpoints.secret_sealed')
    expect(sealedFormers.name).toBe('webhook_endpoints.formers')
    const formers = [
      { sealed: 'a', until: 1 },
      { sealed: 'b', until: 2 },
    ]
    const mapped = sealedFormers.mapValues(JSON.stringify(formers), (each) => each.toUpperCase())
    expect(JSON.parse(mapped)).toEqual([
      { sealed: 'A', until: 1 },
      { sealed: 'B', until: 2 },
    ])
  })
})

describe('a former secret', () => {
  it('signs beside the new one for a day, and not at its end', () => {
    const formers = addFormer({ secret_sealed: seal(1), formers: '[]' }, start)
    const endpoint = { ...owner, secret_sealed: seal(2), formers }
    expect(readBytes(listSigningKeys(at(start), endpoint))).toEqual([2, 1])
    expect(readBytes(listSigningKeys(at(start + day - 1), endpoint))).toEqual([2, 1])
    expect(readBytes(listSigningKeys(at(start + day), endpoint))).toEqual([2])
    expect(listActiveFormers({ formers }, start)).toEqual([
      { sealed: JSON.parse(formers)[0].sealed, until: start + day },
    ])
  })

  it('goes on to sign through further rotations of the same day, newest first', () => {
    let formers = '[]'
    for (const byte of [1, 2, 3, 4]) formers = addFormer({ secret_sealed: seal(byte), formers }, start + byte)
    const endpoint = { ...owner, secret_sealed: seal(5), formers }
    expect(readBytes(listSigningKeys(at(start + 10), endpoint))).toEqual([5, 4, 3, 2, 1])
  })

  it('is one of at most four, and the next rotation waits for the end of the oldest', () => {
    let formers = '[]'
    for (const byte of [1, 2, 3, 4]) {
      expect(findRotationPause({ formers }, start + byte)).toBeUndefined()
      formers = addFormer({ secret_sealed: seal(byte), formers }, start + byte)
    }
    expect(findRotationPause({ formers }, start + day)).toBe(start + 1 + day)
    expect(findRotationPause({ formers }, start + 1 + day)).toBeUndefined()
  })

  it('is forgotten by the next rotation after its end', () => {
    const formers = addFormer({ secret_sealed: seal(1), formers: '[]' }, start)
    const later = addFormer({ secret_sealed: seal(2), formers }, start + day)
    expect(JSON.parse(later)).toHaveLength(1)
  })
})

describe('a signed body', () => {
  const keys = [createSecretKey(Buffer.alloc(32, 1)), createSecretKey(Buffer.alloc(32, 2))] as const
  const body = Buffer.from('{"a":1}')
  const message = { event_id: 'evt_1', epochMs: 1_700_000_000_999, body }
  const signWith = (byte: number, encoding: 'base64' | 'hex') =>
    createHmac('sha256', Buffer.alloc(32, byte)).update('evt_1.1700000000.{"a":1}').digest(encoding)

  it('has both headers, each with one signature per secret over id, whole seconds and body', () => {
    expect(buildSignatureHeaders(keys, message)).toEqual([
      'X-Service-Signature',
      `t=1700000000,v1=${signWith(1, 'hex')},v1=${signWith(2, 'hex')}`,
      'webhook-id',
      'evt_1',
      'webhook-timestamp',
      '1700000000',
      'webhook-signature',
      `v1,${signWith(1, 'base64')} v1,${signWith(2, 'base64')}`,
    ])
  })

  it('verifies with each of its secrets and with no other', () => {
    const headers = buildSignatureHeaders(keys, message)
    for (const each of keys) expect(isSigned(each, headers, body)).toBe(true)
    expect(isSigned(createSecretKey(Buffer.alloc(32, 3)), headers, body)).toBe(false)
  })

  const changes: readonly (readonly [string, (text: string) => string])[] = [
    ['the time of the first header', (text) => text.replace('t=1700000000', 't=1700000001')],
    ['the signature of the first header', (text) => text.replace('v1=', 'v1=0')],
    ['the version of the first header', (text) => text.replace('v1=', 'v2=')],
    ['the id', (text) => (text === 'evt_1' ? 'evt_2' : text)],
    ['the time', (text) => (text === '1700000000' ? '1700000001' : text)],
    ['the signature of the second header', (text) => text.replace('v1,', 'v1,0')],
    ['the version of the second header', (text) => text.replace('v1,', 'v2,')],
    ['the name of a header', (text) => text.replace('webhook-signature', 'signature')],
  ]
  it.each(changes)('no longer verifies after a change of %s', (_name, change) => {
    const [only] = keys
    const headers = buildSignatureHeaders([only], message)
    expect(isSigned(only, headers, body)).toBe(true)
    expect(isSigned(only, headers.map(change), body)).toBe(false)
  })

  it('no longer verifies after a change of its body', () => {
    const headers = buildSignatureHeaders(keys, message)
    expect(isSigned(keys[0], headers, Buffer.from('{"a":2}'))).toBe(false)
  })
})
