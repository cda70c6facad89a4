import { sha256 } from '../kernel/crypto.ts'
import type { DropshipBody, RecipientBody } from './body.ts'

/** A recipient as the ERP is told of it. */
export function recipientFor({ state, postal_code, ...same }: RecipientBody) {
  return { ...same, state: state ?? null, postal_code: postal_code ?? null }
}

/**
 * What makes two recipients the same person at the same place: letters and digits of name, address, city, state and
 * code, and the last digits of the phone, whatever their case, width, accents and punctuation.
 */
export function recipientKey({ recipient: to }: Pick<DropshipBody, 'recipient'>): string {
  const words = [to.name, to.address, to.country_code, to.state ?? '', to.city, to.postal_code ?? '']
  return sha256(JSON.stringify([...words.map(plain), phoneOf(to.phone)])).toString('hex')
}

const phoneDigits = 9

function phoneOf(phone: string): string {
  return phone.normalize('NFKC').replace(/\D/g, '').slice(-phoneDigits)
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
