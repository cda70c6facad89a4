import { randomBytes, randomFillSync } from 'node:crypto'

/** Where randomness comes from. */
export interface Ids {
  /** A type prefix, an underscore and 26 characters of lower-case Crockford base32 of 16 random bytes. */
  next(prefix: string): string
  bytes(count: number): Buffer
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const idBytes = 16
/** Randomness is taken from the system for many ids at once: one call costs as much as sixteen bytes or thousands. */
const pool = Buffer.alloc(4096)
let used = pool.length

function idRandomness(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.subarray(used - idBytes, used)
}

export const randomIds: Ids = {
  next: (prefix) => `${prefix}_${base32(idRandomness())}`,
  bytes: randomBytes,
}

/** Crockford base32, lower case, most significant bit first. */
export function base32(bytes: Uint8Array): string {
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
