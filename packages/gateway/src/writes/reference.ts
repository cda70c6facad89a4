import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { encodeBase32 } from '../kernel/ids.ts'

const nameBytes = 10

/**
 * Derives the reference by which the ERP knows a document: `TG` and 16 characters. It is derived from the business
 * operation, so every process derives the same reference, even after a crash or from a restored backup.
 */
export function deriveReference(gateway: Pick<Gateway, 'installation'>, ...parts: readonly string[]): string {
  const digest = sha256(JSON.stringify([gateway.installation, ...parts]))
  return `TG${encodeBase32(digest.subarray(0, nameBytes)).toUpperCase()}`
}

/** Derives the reference that takes the place of one which the ERP refuses from now on. */
export function deriveNextReference(gateway: Pick<Gateway, 'installation'>, reference: string): string {
  return deriveReference(gateway, 'after', reference)
}

const idBytes = 16

/**
 * Derives the id of an ERP record that has no row in the gateway. It is derived from the record's number at the ERP,
 * looks like any other id, and does not reveal that number.
 */
export function deriveId(
  gateway: Pick<Gateway, 'installation'>,
  prefix: string,
  ...parts: readonly string[]
): string {
  const digest = sha256(JSON.stringify([gateway.installation, prefix, ...parts]))
  return `${prefix}_${encodeBase32(digest.subarray(0, idBytes))}`
}
