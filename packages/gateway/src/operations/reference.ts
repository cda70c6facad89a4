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
