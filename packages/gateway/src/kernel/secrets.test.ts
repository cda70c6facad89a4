import { createDecipheriv, hkdfSync, scryptSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { deriveSecrets, parseRandomKey, type Secrets } from './secrets.ts'

const hex = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
const otherHex = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'
const passphrase = 'a passphrase of the time before, long enough'
const installation = 'installation-1'
const salt = `trade-gateway ${installation}`
const purpose = 'row 1'

/** Values that an earlier version of the gateway, without key ids, sealed for `purpose` and signed. */
const former = {
  [hex]: {
    sealed: 'AVhjzQpyJ5KP-f75mm8bOd65gtjl_LWIrFALN9x0yYxrPDA1upOnqp-ml_IhOHo',
    signature: 'bKWdxKwPstxYwx3PfCwahg',
  },
  [passphrase]: {
    sealed: 'AXnWDI_j46JyE3uLBMdKi4p_O6XuEh8CKp_QxBLkE-UPAiUQeDiQgFRNLicoY-Q',
    signature: 'n_pYQkkOJertyb6S5TOLNw',
  },
}

const findKeyId = async (present: string) => (await deriveSecrets({ present }, installation)).keyId
const deriveKeyId = (root: string | Buffer) =>
  Buffer.from(hkdfSync('sha256', root, salt, 'trade-gateway key id', 8)).toString('hex')

describe('a sealed value', () => {
  it('opens for its purpose, says which key sealed it, and differs each time', async () => {
    const secrets = await deriveSecrets({ present: hex }, installation)
    const sealed = secrets.seal('a secret', purpose)
    expect(secrets.open(sealed, purpose)).toEqual({ text: 'a secret', keyId: secrets.keyId })
    expect(Buffer.from(sealed, 'base64url').subarray(0, 9).toString('hex')).toBe(`02${secrets.keyId}`)
    expect(secrets.seal('a secret', purpose)).not.toBe(sealed)
  })

  it('opens for no other purpose, installation or key', async () => {
    const secrets = await deriveSecrets({ present: hex }, installation)
    const sealed = secrets.seal('a secret', purpose)
    expect(() => secrets.unseal(sealed, 'row 2')).toThrow()
    const elsewhere = await deriveSecrets({ present: hex }, 'installation-2')
    expect(() => elsewhere.unseal(sealed, purpose)).toThrow(/was not given/)
    const other = await deriveSecrets({ present: otherHex }, installation)
    expect(() => other.unseal(sealed, purpose)).toThrow(/was not given/)
  })

  it('is refused with any bit changed, version and key id included', async () => {
    const secrets = await deriveSecrets({ present: hex, previous: otherHex }, installation)
    const bytes = Buffer.from(secrets.seal('a secret', purpose), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => secrets.unseal(changed.toString('base64url'), purpose), `bit ${bit}`).toThrow()
    }
    expect(() => secrets.unseal('', purpose)).toThrow(/unknown version/)
    expect(() => secrets.unseal(bytes.subarray(0, 20).toString('base64url'), purpose)).toThrow()
  })

  it('authenticates its version and key id', async () => {
    const { keyId, seal } = await deriveSecrets({ present: hex }, installation)
    const bytes = Buffer.from(seal('a secret', purpose), 'base64url')
    const root = Buffer.from(hex, 'hex')
    const key = Buffer.from(hkdfSync('sha256', root, salt, 'trade-gateway sealing', 32))
    const openWith = (aad: Buffer) => {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(9, 21)).setAAD(aad)
      decipher.setAuthTag(bytes.subarray(21, 37))
      return decipher.update(bytes.subarray(37), undefined, 'utf8') + decipher.final('utf8')
    }
    const header = Buffer.concat([Buffer.of(2), Buffer.from(keyId, 'hex')])
    expect(openWith(Buffer.concat([header, Buffer.from(purpose)]))).toBe('a secret')
    expect(() => openWith(Buffer.from(purpose))).toThrow()
  })

  it('of the previous key opens, and new values are of the present one', async () => {
    const before = await deriveSecrets({ present: hex }, installation)
    const rotating = await deriveSecrets({ present: otherHex, previous: hex }, installation)
    const sealed = before.seal('a secret', purpose)
    expect(rotating.open(sealed, purpose)).toEqual({ text: 'a secret', keyId: before.keyId })
    const again = rotating.seal('a secret', purpose)
    expect(rotating.open(again, purpose).keyId).toBe(rotating.keyId)
    expect(() => before.unseal(again, purpose)).toThrow(/was not given/)
  })
})

describe.each(Object.entries(former))(
  'a value of the former version under %s',
  (key, { sealed, signature }) => {
    let previous: Secrets
    beforeAll(async () => {
      previous = await deriveSecrets({ present: otherHex, previous: key }, installation)
    })

    it('opens with its key, present or previous, for its purpose', async () => {
      const present = await deriveSecrets({ present: key }, installation)
      expect(present.open(sealed, purpose).text).toBe('a secret of before')
      expect(() => present.open(sealed, 'row 2')).toThrow()
      expect(previous.open(sealed, purpose).keyId).toBe(present.open(sealed, purpose).keyId)
      expect(previous.open(sealed, purpose).keyId).not.toBe(present.keyId)
      const other = await deriveSecrets({ present: otherHex }, installation)
      expect(() => other.open(sealed, purpose)).toThrow()
    })

    it('verifies', () => {
      const { verify } = previous
      expect(verify(signature, 'a text', 'a purpose')).toBe(true)
      expect(verify(signature, 'another text', 'a purpose')).toBe(false)
      expect(verify(signature, 'a text', 'another purpose')).toBe(false)
    })
  },
)

describe('a signature', () => {
  it('is 22 characters and verifies with the present and the previous key', async () => {
    const before = await deriveSecrets({ present: hex }, installation)
    const rotating = await deriveSecrets({ present: otherHex, previous: hex }, installation)
    const after = await deriveSecrets({ present: otherHex }, installation)
    const signature = before.sign('a text', 'a purpose')
    expect(signature).toMatch(/^[\w-]{22}$/)
    expect(before.verify(signature, 'a text', 'a purpose')).toBe(true)
    expect(rotating.verify(signature, 'a text', 'a purpose')).toBe(true)
    expect(after.verify(signature, 'a text', 'a purpose')).toBe(false)
    expect(after.verify(rotating.sign('a text', 'a purpose'), 'a text', 'a purpose')).toBe(true)
  })
})

describe('SECRETS_KEY', () => {
  // Its base64 has both characters that base64url spells differently.
  const bytes = Buffer.from(`fbefff${'1f'.repeat(29)}`, 'hex')
  const base64 = bytes.toString('base64')

  it.each([
    ['hex', bytes.toString('hex')],
    ['upper-case hex', bytes.toString('hex').toUpperCase()],
    ['base64', base64],
    ['base64 without padding', base64.slice(0, -1)],
    ['base64url', bytes.toString('base64url')],
  ])('of 32 random bytes in %s is these bytes, derived by HKDF', async (_spelling, text) => {
    expect(base64).toMatch(/\+.*\/|\/.*\+/)
    expect(await findKeyId(text)).toBe(deriveKeyId(bytes))
  })

  it('that is a sentence passes scrypt before HKDF', async () => {
    const slow = scryptSync(passphrase, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })
    expect(await findKeyId(passphrase)).toBe(deriveKeyId(slow))
  })

  // Only whether they count as bytes, because each scrypt takes most of a second of a processor.
  it.each([
    ['a sentence', passphrase],
    ['31 bytes in hex', hex.slice(2)],
    ['33 bytes in hex', `${hex}00`],
    ['hex with a foreign letter', `${hex.slice(0, -1)}g`],
    ['base64 with unused bits set', `${base64.slice(0, -2)}9=`],
    ['base64 of both alphabets', base64.replace('+', '-')],
  ])('that is %s counts as a passphrase', (_what, text) => {
    expect(parseRandomKey(text)).toBeUndefined()
  })
})
