import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { encodeBase32 } from '../kernel/ids.ts'
import { readOrigin } from '../store/restores.ts'

const nameBytes = 10

type Naming = Pick<Gateway, 'installation' | 'memory'>

/**
 * Derives the reference by which the ERP knows a document: `TG` and 16 characters. It is derived from the business
 * operation, so every process derives the same reference, even after a crash. After a restore from a backup it is another
 * one (`store/restores.ts`).
 */
export function deriveReference(gateway: Naming, ...parts: readonly string[]): string {
  return toReference(gateway, readOrigin(gateway.memory), parts)
}

/** Derives the reference that takes the place of one which the ERP refuses from now on. */
export function deriveNextReference(gateway: Naming, reference: string): string {
  return deriveReference(gateway, 'after', reference)
}

/** The number of former times in which a document is looked up, newest first. */
const maxFormerOrigins = 4

/** Derives the references that a document would have had before the database was restored, newest first. */
export function listFormerReferences(gateway: Naming, ...parts: readonly string[]): string[] {
  const { restores } = gateway.memory
  const origins = restores.map((_, index) => restores[index - 1]?.origin)
  return origins
    .slice(-maxFormerOrigins)
    .reverse()
    .map((origin) => toReference(gateway, origin, parts))
}

/** Derives the references that took the place of one before the database was restored, if the ERP refused it. */
export function listFormerNextReferences(gateway: Naming, reference: string): string[] {
  return listFormerReferences(gateway, 'after', reference)
}

function toReference({ installation }: Naming, origin: string | undefined, parts: readonly string[]): string {
  const digest = sha256(JSON.stringify([installation, ...(origin === undefined ? [] : [origin]), ...parts]))
  return `TG${encodeBase32(digest.subarray(0, nameBytes)).toUpperCase()}`
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

/**
 * Derives the id of a new document from what its channel calls it. Unlike `deriveId`, nobody without `SECRETS_KEY` can
 * compute it: who guessed another channel's number would learn that the order exists.
 */
export function deriveSecretId(
  { secrets }: Pick<Gateway, 'secrets'>,
  prefix: string,
  ...parts: readonly string[]
): string {
  const signature = Buffer.from(secrets.sign(JSON.stringify(parts), `id ${prefix}`), 'base64url')
  return `${prefix}_${encodeBase32(signature.subarray(0, idBytes))}`
}
