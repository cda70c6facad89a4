import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { base32 } from '../kernel/ids.ts'

const nameBytes = 10

/**
 * The name under which a document is known to the ERP: `TG` and 16 characters that follow from what it is for, so that
 * the same business operation has the same name in every process, after every crash and every restored backup.
 */
export function referenceOf(gateway: Pick<Gateway, 'installation'>, ...parts: readonly string[]): string {
  const digest = sha256(JSON.stringify([gateway.installation, ...parts]))
  return `TG${base32(digest.subarray(0, nameBytes)).toUpperCase()}`
}

const idBytes = 16

/**
 * The id of something that has no row here: it follows from what names it at the ERP, and looks like any other id.
 * It says nothing of that name to whoever does not know it.
 */
export function derivedId(
  gateway: Pick<Gateway, 'installation'>,
  prefix: string,
  ...parts: readonly string[]
): string {
  const digest = sha256(JSON.stringify([gateway.installation, prefix, ...parts]))
  return `${prefix}_${base32(digest.subarray(0, idBytes))}`
}
