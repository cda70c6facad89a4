import type { Caller } from '../contract/call.ts'
import { GatewayError, type Reason } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { sha256 } from '../kernel/crypto.ts'
import { toCanonicalJson } from '../kernel/json.ts'
import { minorUnits } from '../kernel/money.ts'

/**
 * A promise that a document with this content costs this total until the promise expires. The quote's id contains all
 * of this and a signature over it and its caller, so the gateway stores nothing. A quote is used up when its document
 * is placed. The id is short, because a model copies it.
 */
export interface Quote {
  readonly action: 'order' | 'dropship'
  readonly id: string
  /** The hash of everything that was quoted. */
  readonly content: string
  /** The hash of the fields that the ERP does not change, by which the placed document is recognised. */
  readonly goods: string
  /** The total in minor units. */
  readonly total: number
  readonly currency: string
  /** The expiry in epoch milliseconds. */
  readonly expires_at: number
}

const actionLetters = { order: 'o', dropship: 'd' } as const
const pattern =
  /^qt([od])-([a-z]+_[0-9a-z]{26})-([\w-]{16})([\w-]{8})-([0-9a-z]{1,11})([A-Z]{3})-([0-9a-z]{1,11})-([\w-]{22})$/

/** Creates the id of a quote for this caller. */
export function createQuoteId(gateway: Gateway, caller: Caller, quote: Quote): string {
  const { action, id, content, goods, total, currency, expires_at } = quote
  const amount = `${total.toString(36)}${currency}`
  const text = `qt${actionLetters[action]}-${id}-${content}${goods}-${amount}-${expires_at.toString(36)}`
  return `${text}-${gateway.secrets.sign(text, toSignaturePurpose(gateway, caller))}`
}

/**
 * Parses an id and verifies that it was created for this caller and action. Throws `VALIDATION_FAILED` with
 * `quote_invalid`.
 */
export function parseQuoteId(
  gateway: Gateway,
  caller: Caller,
  action: Quote['action'],
  quoteId: string,
): Quote {
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
    parts !== null && gateway.secrets.verify(signature, text, toSignaturePurpose(gateway, caller))
  if (!isOurs || letter !== actionLetters[action]) throw toQuoteError('quote_invalid')
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

/**
 * Builds the purpose of the signature. It binds the signature to installation, channel and account, so that no other
 * caller can use the quote.
 */
function toSignaturePurpose({ installation }: Gateway, { channel_code, account }: Caller): string {
  return JSON.stringify(['quote', installation, channel_code, account?.account_id ?? null])
}

/** Derives the idempotency key for placing the quoted order, which is the same for every attempt. */
export function toIdempotencyKey(quoteId: string): string {
  return `mcp-${sha256(quoteId).toString('base64url')}`
}

export function toQuoteError(reason: Extract<Reason, `quote_${string}`>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param: 'quote_id', reason, say: [reason] })
}

/** Throws `VALIDATION_FAILED` if the confirmed total differs from the quoted one. */
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

/** Hashes the whole content and the goods alone. */
export function hashContents(whole: unknown, goods: unknown): Pick<Quote, 'content' | 'goods'> {
  return { content: hashContent(whole, contentCharacters), goods: hashContent(goods, goodsCharacters) }
}

function hashContent(content: unknown, characters: number): string {
  return sha256(toCanonicalJson(content)).toString('base64url').slice(0, characters)
}
