/**
 * Idempotency keys. A press that follows a lost response sends the same call under the same key: the gateway then acts
 * once, and sends its first response again.
 */

/** Returns the key of a call of one attempt: the same one for the same call. */
export type KeyOf = (sent: string) => string

const keyBytes = 16

/** Creates the keys of one attempt. */
export function createKeys(): KeyOf {
  const keys = new Map<string, string>()
  return (sent) => {
    const key = keys.get(sent) ?? generateKey()
    keys.set(sent, key)
    return key
  }
}

/** Generates a key. `crypto.randomUUID` is not there in a page that came over HTTP from another machine. */
function generateKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(keyBytes))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
