import { randomBytes, randomFillSync } from 'node:crypto'

/** The source of randomness. */
export interface Ids {
  /**
   * Returns a new id: the prefix, an underscore, and 16 random bytes as 26 characters of lower-case Crockford base32.
   */
  next(prefix: string): string
  bytes(count: number): Buffer
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const idBytes = 16
/**
 * A pool of random bytes, fetched for many ids at once, because one call costs the same for 16 bytes as for thousands.
 */
const pool = Buffer.alloc(4096)
let used = pool.length

function takeRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.subarray(used - idBytes, used)
}

export const randomIds: Ids = {
  next: (prefix) => `${prefix}_${encodeBase32(takeRandomBytes())}`,
  bytes: randomBytes,
}

/** Encodes bytes in Crockford base32, lower case, most significant bit first. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}
