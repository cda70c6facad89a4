import { sha256 } from '../kernel/crypto.ts'
import type { DropshipBody, RecipientBody } from './body.ts'

/** Converts the recipient to the form that the connector expects. */
export function toErpRecipient({ state, postal_code, ...same }: RecipientBody) {
  return { ...same, state: state ?? null, postal_code: postal_code ?? null }
}

/**
 * Computes the key of a recipient, to find duplicates: a hash of the letters and digits of name, address, country,
 * state, city and postal code, and of the last nine digits of the phone number. Case, width, accents and punctuation do
 * not matter.
 */
export function toRecipientKey({ recipient: to }: Pick<DropshipBody, 'recipient'>): string {
  const words = [to.name, to.address, to.country_code, to.state ?? '', to.city, to.postal_code ?? '']
  return sha256(JSON.stringify([...words.map(normalizeText), toPhoneKey(to.phone)])).toString('hex')
}

const phoneDigits = 9

function toPhoneKey(phone: string): string {
  return phone.normalize('NFKC').replace(/\D/g, '').slice(-phoneDigits)
}

function normalizeText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
