/**
 * How idempotency keys rest in the database: responses and fingerprints are sealed, because they have the recipients of
 * drop-ship orders.
 */

import type { ApiResponse, Keyed } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { isSealingRecipients } from '../memory.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import type { IdempotencyRow } from '../store/tables.ts'

/** Seals the response that is kept for a key. */
export function sealResponse(
  gateway: Gateway,
  scope: string,
  { status, headers, body }: ApiResponse,
): string {
  return gateway.secrets.seal(JSON.stringify({ status, headers, body }), toSealPurpose(scope))
}

/** Unseals the response that was stored with a key. */
export function unsealResponse(gateway: Gateway, { scope, answer_sealed }: IdempotencyRow): ApiResponse {
  const { status, headers, body }: ApiResponse = JSON.parse(
    gateway.secrets.unseal(answer_sealed ?? '', toSealPurpose(scope)),
  )
  return { status, headers, body }
}

function toSealPurpose(scope: string): string {
  return `idempotency answer ${scope}`
}

/** The column of encrypted responses, for `reseal.ts`. */
export const sealedResponses = describeSealedColumn({
  table: 'idempotency_keys',
  key: 'scope',
  column: 'answer_sealed',
  purposeOf: toSealPurpose,
})

/**
 * Seals a fingerprint: whoever guesses a recipient could otherwise confirm it by the hash of its request. It is a plain
 * hash while processes of the version before may run.
 */
export function toFingerprintAtRest(gateway: Gateway, { scope, fingerprint }: Keyed): string {
  if (!isSealingRecipients(gateway)) return fingerprint
  return gateway.secrets.seal(fingerprint, toFingerprintPurpose(scope))
}

/** Whether a key was used for the same request. */
export function isSameRequest(
  { secrets }: Gateway,
  { scope, fingerprint: stored }: IdempotencyRow,
  fingerprint: string,
): boolean {
  if (isPlainFingerprint(stored)) return stored === fingerprint
  return secrets.unseal(stored, toFingerprintPurpose(scope)) === fingerprint
}

function isPlainFingerprint(stored: string): boolean {
  return /^[0-9a-f]{64}$/.test(stored)
}

function toFingerprintPurpose(scope: string): string {
  return `idempotency fingerprint ${scope}`
}

/** The column of encrypted fingerprints, for `reseal.ts`. */
export const sealedFingerprints = describeSealedColumn({
  table: 'idempotency_keys',
  key: 'scope',
  column: 'fingerprint',
  purposeOf: toFingerprintPurpose,
  mapValues: (stored, each) => (isPlainFingerprint(stored) ? stored : each(stored)),
})
