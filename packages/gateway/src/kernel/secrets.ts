/**
 * Seals short secrets for the database and signs texts, with keys derived from `SECRETS_KEY`.
 *
 * A sealed value is base64url of: version byte 2, id of the key (8 bytes), nonce (12), tag (16), AES-256-GCM
 * ciphertext. The version, the id and the purpose are authenticated. The purpose specifies the row and the owner, so
 * that a sealed value cannot be moved to another row. Version 1 had no key id and hashed `SECRETS_KEY` once. Such
 * values can still be opened, but no new ones are created.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto'
import { isSameText, sha256 } from './crypto.ts'

/** A value that was opened, and the id of the key that had sealed it. */
export interface Opened {
  readonly text: string
  readonly keyId: string
}

export interface Secrets {
  /** The id of the key that seals and signs. */
  readonly keyId: string
  /** The ids of the keys derived from `SECRETS_KEY` and `SECRETS_KEY_PREVIOUS`, in the present version. */
  readonly givenIds: readonly string[]
  /** The ids of all keys that decrypt and verify: `givenIds` and the keys of version 1. */
  readonly keyIds: readonly string[]
  seal(text: string, purpose: string): string
  /** Throws if the value was changed, or sealed with a key that was not given, or for another purpose. */
  unseal(sealed: string, purpose: string): string
  /** Does the same as `unseal`, and also returns the id of the key. */
  open(sealed: string, purpose: string): Opened
  /** Creates a signature of 22 characters: HMAC-SHA-256 of text and purpose, truncated to 128 bits. */
  sign(text: string, purpose: string): string
  /** Creates the signatures of a text with each of the keys in `givenIds`, for values that are searched by it. */
  listSignatures(text: string, purpose: string): readonly string[]
  /** Whether one of the keys signed the text for the purpose. */
  verify(signature: string, text: string, purpose: string): boolean
}

/** `SECRETS_KEY`, and `SECRETS_KEY_PREVIOUS` if it is set. */
export interface GivenKeys {
  readonly present: string
  readonly previous?: string | undefined
}

const version = 2
const formerVersion = 1
const keyBytes = 32
const keyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const signatureBytes = 16
/** Version byte and key id. */
const headerBytes = 1 + keyIdBytes

/**
 * The cost of stretching a passphrase (RFC 7914). One guess takes 128 MiB of memory and about 0.4 s. OWASP recommends
 * these values as the minimum.
 */
const passphraseCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }

/** A key with its id. It decrypts only values of its version. */
interface Key {
  readonly version: number
  readonly id: string
  readonly sealing: KeyObject
  readonly signing: KeyObject
}

/**
 * Derives the keys. The installation's id is the salt, which all processes of one database share. 32 random bytes are
 * used directly as the input of HKDF. Everything else counts as a passphrase and is stretched by scrypt first.
 */
export async function deriveSecrets(
  { present, previous }: GivenKeys,
  installation: string,
): Promise<Secrets> {
  const given = previous === undefined ? [present] : [present, previous]
  const keys: Key[] = []
  // One after another, because each scrypt takes 128 MiB.
  for (const each of given) keys.push(...(await deriveKeys(each, installation)))
  return createSecrets(keys)
}

async function deriveKeys(secretsKey: string, installation: string): Promise<Key[]> {
  const salt = `trade-gateway ${installation}`
  const root = parseRandomKey(secretsKey) ?? (await stretchPassphrase(secretsKey, salt))
  const derive = (label: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', root, salt, `trade-gateway ${label}`, bytes))
  // Key objects are created once: converting the bytes on each call takes five times as long as sealing itself.
  return [
    {
      version,
      id: derive('key id', keyIdBytes).toString('hex'),
      sealing: createSecretKey(derive('sealing', keyBytes)),
      signing: createSecretKey(derive('signing', keyBytes)),
    },
    {
      version: formerVersion,
      // The id is derived from the stretched passphrase, unlike the keys of version 1 themselves: an id of the bare
      // passphrase would make the passphrase faster to guess.
      id: derive('key id of version 1', keyIdBytes).toString('hex'),
      sealing: createSecretKey(sha256(`trade-gateway sealing ${secretsKey}`)),
      signing: createSecretKey(sha256(`trade-gateway signing ${secretsKey}`)),
    },
  ]
}

/**
 * Parses 32 bytes in hex, base64 or base64url, in the exact spelling that an encoder produces. Returns undefined for
 * every other text.
 */
export function parseRandomKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== keyBytes) return undefined
  const base64 = bytes.toString('base64')
  return [base64, base64.slice(0, -1), bytes.toString('base64url')].includes(text) ? bytes : undefined
}

function stretchPassphrase(passphrase: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, keyBytes, passphraseCost, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

/** Creates the functions that use the keys. The first key seals and signs. */
function createSecrets(keys: readonly Key[]): Secrets {
  const [present] = keys
  if (!present) throw new Error('There is no key.')
  const header = Buffer.concat([Buffer.of(version), Buffer.from(present.id, 'hex')])
  const open = (sealed: string, purpose: string) => openWith(keys, sealed, purpose)
  return {
    keyId: present.id,
    givenIds: keys.filter((key) => key.version === version).map(({ id }) => id),
    keyIds: keys.map(({ id }) => id),
    seal(text, purpose) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', present.sealing, nonce)
      cipher.setAAD(Buffer.concat([header, Buffer.from(purpose)]))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([header, nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open,
    unseal: (sealed, purpose) => open(sealed, purpose).text,
    sign: (text, purpose) => signWith(present, text, purpose),
    listSignatures: (text, purpose) =>
      keys.filter((key) => key.version === version).map((key) => signWith(key, text, purpose)),
    verify: (signature, text, purpose) =>
      keys.some((key) => isSameText(signature, signWith(key, text, purpose))),
  }
}

function openWith(keys: readonly Key[], sealed: string, purpose: string): Opened {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes[0] === formerVersion) return openVersion1(keys, bytes, purpose)
  if (bytes[0] !== version) throw new Error('The value was sealed in an unknown version.')
  const header = bytes.subarray(0, headerBytes)
  const keyId = header.subarray(1).toString('hex')
  const key = keys.find((each) => each.version === version && each.id === keyId)
  if (!key) throw new Error(`The value was sealed with the key ${keyId}, which was not given.`)
  const aad = Buffer.concat([header, Buffer.from(purpose)])
  return { text: decrypt(key.sealing, bytes.subarray(headerBytes), aad), keyId }
}

/** Opens a value of version 1. It does not contain the id of its key, so each key is tried. */
function openVersion1(keys: readonly Key[], bytes: Buffer, purpose: string): Opened {
  let failure: unknown
  for (const { id, sealing } of keys.filter((each) => each.version === formerVersion)) {
    try {
      return { text: decrypt(sealing, bytes.subarray(1), Buffer.from(purpose)), keyId: id }
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Decrypts nonce, tag and ciphertext. Throws if they are not authentic. */
function decrypt(key: KeyObject, bytes: Buffer, aad: Buffer): string {
  const nonce = bytes.subarray(0, nonceBytes)
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(aad)
    .setAuthTag(tag)
  const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
  return Buffer.concat([body, decipher.final()]).toString('utf8')
}

function signWith({ signing }: Key, text: string, purpose: string): string {
  const hmac = createHmac('sha256', signing).update(JSON.stringify([purpose, text]))
  return hmac.digest().subarray(0, signatureBytes).toString('base64url')
}
