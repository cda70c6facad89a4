import { expect } from 'vitest'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Checks that only one spelling of a token is valid. The last character of a signature has unused bits, so several
 * characters decode to the same bytes. Only the spelling whose unused bits are zero may be accepted.
 */
export async function expectOneSpelling(
  token: string,
  codeOf: (token: string) => Promise<string | undefined>,
) {
  const decodeSignature = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex')
  const spellings = [...alphabet]
    .map((last) => token.slice(0, -1) + last)
    .filter((spelling) => spelling !== token && decodeSignature(spelling) === decodeSignature(token))
  expect(spellings.length).toBeGreaterThan(0)
  expect(await codeOf(token)).toBeUndefined()
  for (const spelling of spellings) expect(await codeOf(spelling)).toBe('AUTH_INVALID_TOKEN')
}
