import type { Caller } from '../contract/call.ts'
import { GatewayError, type Reason } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { sameText, sha256 } from '../kernel/crypto.ts'
import { canonicalJson } from '../kernel/json.ts'
import { minorUnits } from '../kernel/money.ts'

/**
 * A quote is a word that we gave: this document, with this content, costs this total until then. Its id carries all
 * of that and a signature over it and over whom it was given to, so that nothing is kept; it is spent with its
 * document, which can be placed once. It is short, because a model copies it.
 */
export interface Quote {
  readonly action: 'order' | 'dropship'
  readonly id: string
  /** Of everything that was quoted. */
  readonly content: string
  /** Of what the ERP leaves as it is, so that the placed document is known again. */
  readonly goods: string
  /** In minor units. */
  readonly total: number
  readonly currency: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}

const letterOf = { order: 'o', dropship: 'd' } as const
const pattern =
  /^qt([od])-([a-z]+_[0-9a-z]{26})-([\w-]{16})([\w-]{8})-([0-9a-z]{1,11})([A-Z]{3})-([0-9a-z]{1,9})-([\w-]{22})$/

/** The id of a quote for this caller. */
export function quoteIdFor(gateway: Gateway, caller: Caller, quote: Quote): string {
  const { action, id, content, goods, total, currency, expires_at } = quote
  const amount = `${total.toString(36)}${currency}`
  const text = `qt${letterOf[action]}-${id}-${content}${goods}-${amount}-${expires_at.toString(36)}`
  return `${text}-${gateway.secrets.sign(text, purposeFor(gateway, caller))}`
}

/** Reads an id that we made for this caller and this action. Throws `VALIDATION_FAILED`, `quote_invalid`. */
export function quoteFrom(gateway: Gateway, caller: Caller, action: Quote['action'], quoteId: string): Quote {
  const parts = pattern.exec(quoteId)
  const [
    ,
    letter,
    id = '',
    content = '',
    goods = '',
    total = '',
    currency = '',
    expires = '',
    signature = '',
  ] = parts ?? []
  const text = quoteId.slice(0, -signature.length - 1)
  const isOurs =
    parts !== null && sameText(signature, gateway.secrets.sign(text, purposeFor(gateway, caller)))
  if (!isOurs || letter !== letterOf[action]) throw quoteRefused('quote_invalid')
  return {
    action,
    id,
    content,
    goods,
    total: Number.parseInt(total, 36),
    currency,
    expires_at: Number.parseInt(expires, 36),
  }
}

/** Another installation's, channel's or account's quote has another signature. */
function purposeFor({ installation }: Gateway, { channel_code, account }: Caller): string {
  return JSON.stringify(['quote', installation, channel_code, account?.account_id ?? null])
}

/** The key under which a quote is placed: the same for every attempt. */
export function keyOfQuote(quoteId: string): string {
  return `mcp-${sha256(quoteId).toString('base64url')}`
}

export function quoteRefused(reason: Extract<Reason, `quote_${string}`>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param: 'quote_id', reason, say: [reason] })
}

/** Throws `VALIDATION_FAILED` where a total is not the quoted one. */
export function requireTotal({ total, currency }: Quote, confirmed: number) {
  const units = minorUnits(currency)
  if (confirmed * units === total || Math.abs(confirmed * units - total) < 1e-6) return
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'confirm_total',
    reason: 'invalid_field',
    say: ['total_differs', { confirmed, total: total / units, currency }],
  })
}

const contentCharacters = 16
const goodsCharacters = 8

/** Short names of two contents, the whole and what stays. */
export function contentNames(whole: unknown, goods: unknown): Pick<Quote, 'content' | 'goods'> {
  return { content: nameOf(whole, contentCharacters), goods: nameOf(goods, goodsCharacters) }
}

function nameOf(content: unknown, characters: number): string {
  return sha256(canonicalJson(content)).toString('base64url').slice(0, characters)
}
