import { sha256 } from '../kernel/crypto.ts'
import type { Recipient } from '../store/tables.ts'
import type { RecipientBody } from './body.ts'

/** Converts the recipient to the form that the connector expects. */
export function toErpRecipient({ state, postal_code, ...same }: RecipientBody) {
  return { ...same, state: state ?? null, postal_code: postal_code ?? null }
}

/**
 * Normalises a recipient, to find duplicates: the letters and digits of name, address, country, state, city and postal
 * code, and the last nine digits of the phone number. Case, width, accents and punctuation do not matter.
 */
export function toRecipientText(to: Recipient): string {
  const words = [to.name, to.address, to.country_code, to.state ?? '', to.city, to.postal_code ?? '']
  return JSON.stringify([...words.map(normalizeText), toPhoneKey(to.phone)])
}

/** Normalises name and phone, by which a person is found wherever the parcels went. */
export function toPersonText({ name, phone }: Pick<Recipient, 'name' | 'phone'>): string {
  return JSON.stringify([normalizeText(name), toPhoneKey(phone)])
}

/** Computes the key of a recipient for rows that processes of the version before must be able to read. */
export function toRecipientKey(to: Recipient): string {
  return sha256(toRecipientText(to)).toString('hex')
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
