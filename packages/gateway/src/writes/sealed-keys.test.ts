import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiResponse, Keyed } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { deriveSecrets } from '../kernel/secrets.ts'
import type { IdempotencyRow } from '../store/tables.ts'
import {
  isSameRequest,
  sealedFingerprints,
  sealedResponses,
  sealResponse,
  toFingerprintAtRest,
  unsealResponse,
} from './sealed-keys.ts'

const scope = 'CH POST /orders key-1'
const fingerprint = 'ab12'.repeat(16)
const sealingFrom = 1_000
const response: ApiResponse = { status: 201, headers: ['Location', '/orders/1'], body: '{"data":{}}' }

/** A gateway at a time, which seals fingerprints from `sealingFrom` on. */
let at: (now: number) => Gateway
beforeAll(async () => {
  const secrets = await deriveSecrets({ present: '0123456789abcdef'.repeat(4) }, 'one')
  at = (now) =>
    ({
      secrets,
      clock: { now: () => now },
      memory: { recipientsSealedFrom: sealingFrom },
    }) as unknown as Gateway
})

const toRow = (row: Partial<IdempotencyRow>) => ({ scope, ...row }) as IdempotencyRow
const keyed = { scope, fingerprint } as Keyed

describe('the response kept for a key', () => {
  it('is unsealed with its status, headers and body, and nothing else of it is kept', () => {
    const answer_sealed = sealResponse(at(0), scope, { ...response, code: 'NOT_FOUND' })
    expect(answer_sealed).not.toContain('data')
    expect(unsealResponse(at(0), toRow({ answer_sealed }))).toStrictEqual(response)
  })

  it('is not unsealed for another key, and neither is a missing one', () => {
    const answer_sealed = sealResponse(at(0), scope, response)
    expect(() => unsealResponse(at(0), toRow({ scope: 'another', answer_sealed }))).toThrow()
    expect(() => unsealResponse(at(0), toRow({ answer_sealed: null }))).toThrow()
  })
})

describe('the fingerprint of a request', () => {
  it('rests as a hash while processes of the version before may run, and sealed after that', () => {
    expect(toFingerprintAtRest(at(sealingFrom - 1), keyed)).toBe(fingerprint)
    const sealed = toFingerprintAtRest(at(sealingFrom), keyed)
    expect(sealed).not.toContain(fingerprint)
    expect(at(0).secrets.unseal(sealed, `idempotency fingerprint ${scope}`)).toBe(fingerprint)
  })

  it.each([
    ['as a hash', sealingFrom - 1],
    ['sealed', sealingFrom],
  ])('that rests %s is recognised, and no other one', (_how, now) => {
    const row = toRow({ fingerprint: toFingerprintAtRest(at(now), keyed) })
    expect(isSameRequest(at(now), row, fingerprint)).toBe(true)
    expect(isSameRequest(at(now), row, fingerprint.replace('a', 'c'))).toBe(false)
  })

  it('is a hash only as a whole', () => {
    for (const stored of [
      `${fingerprint}0`,
      `0${fingerprint}`,
      fingerprint.slice(1),
      fingerprint.toUpperCase(),
    ])
      expect(() => isSameRequest(at(0), toRow({ fingerprint: stored }), stored)).toThrow()
  })
})

describe('sealing with another key', () => {
  const reverse = (sealed: string) => [...sealed].reverse().join('')

  it('applies to responses and sealed fingerprints, and leaves hashes as they are', () => {
    expect([sealedResponses.name, sealedFingerprints.name]).toEqual([
      'idempotency_keys.answer_sealed',
      'idempotency_keys.fingerprint',
    ])
    expect(sealedResponses.mapValues('sealed', reverse)).toBe('delaes')
    expect(sealedFingerprints.mapValues('sealed', reverse)).toBe('delaes')
    expect(sealedFingerprints.mapValues(fingerprint, reverse)).toBe(fingerprint)
  })
})
