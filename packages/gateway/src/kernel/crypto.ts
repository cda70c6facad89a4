import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Whether two texts are equal, in a time that depends on neither. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}

/**
 * Seals short secrets for the database: AES-256-GCM, a fresh 96-bit nonce, one byte of key version in front. The
 * purpose (which row, which channel) is authenticated too, so that a sealed value cannot be moved to another row.
 */
export interface Secrets {
  seal(text: string, purpose: string): string
  /** Throws where the value was sealed with another key, for another purpose, or changed. */
  unseal(sealed: string, purpose: string): string
  /** 22 characters that only we can make of this text for this purpose (HMAC-SHA-256, cut to 128 bits). */
  sign(text: string, purpose: string): string
}

const keyVersion = 1
const nonceBytes = 12
const tagBytes = 16
const signatureBytes = 16

/** Secrets under a key that is derived from `SECRETS_KEY`. */
export function secretsWith(secretsKey: string): Secrets {
  // As key objects: bytes are made into one at each use, which takes five times as long as the sealing.
  const key = createSecretKey(sha256(`trade-gateway sealing ${secretsKey}`))
  const signingKey = createSecretKey(sha256(`trade-gateway signing ${secretsKey}`))
  return {
    seal(text, purpose) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(keyVersion), nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    unseal(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes[0] !== keyVersion) throw new Error('The value was sealed with an unknown version of the key.')
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag)
      const body = decipher.update(bytes.subarray(1 + nonceBytes + tagBytes))
      return Buffer.concat([body, decipher.final()]).toString('utf8')
    },
    sign(text, purpose) {
      const hmac = createHmac('sha256', signingKey).update(JSON.stringify([purpose, text]))
      return hmac.digest().subarray(0, signatureBytes).toString('base64url')
    },
  }
}
