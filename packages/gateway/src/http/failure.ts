import type { Answer } from '../contract/call.ts'
import { type ErrorCode, type ErrorFacts, errorTable, GatewayError, type Reason } from '../contract/errors.ts'
import type { Language } from '../contract/language.ts'
import type { SentenceId } from '../contract/texts/en.ts'
import { cleaned, sentence, texts } from '../contract/texts/texts.ts'

/** The only place that writes an error response. */
const mostMessageCharacters = 600

interface ErrorContext {
  readonly requestId: string
  readonly language: Language
  /** The caller's `Idempotency-Key`, where one was sent. */
  readonly key?: unknown
}

/** The answer for anything that was thrown. What is not a `GatewayError` is `INTERNAL` and told to `onFault`. */
export function failureAnswer(error: unknown, call: ErrorContext, onFault: (error: unknown) => void): Answer {
  if (error instanceof GatewayError) {
    // 503 is said on purpose: it is no fault.
    if (error.code === 'INTERNAL' && error.facts.status === undefined) onFault(error.cause ?? error)
    return answerOf(error, call)
  }
  onFault(error)
  return answerOf(new GatewayError('INTERNAL'), call)
}

function answerOf(error: GatewayError, { requestId, language, key }: ErrorContext): Answer {
  const { code, facts } = error
  const { status, retryable } = errorTable[code]
  const text = texts[language].errors[code]
  const isKeyless = facts.say?.[0] === 'outcome_unknown' && key === undefined
  const said = isKeyless ? (['outcome_unknown_keyless'] as const) : facts.say
  const body = {
    error: {
      code,
      message: cleaned(said ? sentence(language, ...said) : text.message, mostMessageCharacters),
      hint: facts.hint
        ? sentence(language, ...facts.hint)
        : (hintOfReason(facts.reason, language, key !== undefined) ?? text.hint),
      request_id: requestId,
      doc_url: `/errors/${code}`,
      ...(facts.param === undefined ? {} : { param: cleaned(facts.param) }),
      ...(facts.reason === undefined ? {} : { reason: facts.reason }),
      retryable: retryable || facts.retryAfter !== undefined,
      ...(facts.errors === undefined ? {} : { errors: facts.errors.map(cleanedProblem) }),
      ...facts.more,
    },
  }
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Language',
    language,
    'Vary',
    'Accept-Language, Accept-Encoding',
    'Cache-Control',
    'no-store',
  ]
  if (needsChallenge(code)) headers.push('WWW-Authenticate', challenge(code))
  if (facts.retryAfter !== undefined) headers.push('Retry-After', String(facts.retryAfter))
  if (facts.headers) headers.push(...facts.headers)
  return { status: facts.status ?? status, headers, body: JSON.stringify(body), code }
}

/** What to do next may depend on the reason more than on the code. */
export function hintOfReason(
  reason: Reason | undefined,
  language: Language,
  hasKey = true,
): string | undefined {
  // Who sent no key has none to retry with: sent again, it would be done twice.
  if (reason === 'upstream_unknown' && !hasKey) return sentence(language, 'hint_upstream_unknown_keyless')
  const id = reason === undefined ? undefined : hintIds[reason]
  return id === undefined ? undefined : sentence(language, id)
}

const hintIds: Readonly<Partial<Record<Reason, SentenceId>>> = {
  insufficient_stock: 'hint_insufficient_stock',
  insufficient_balance: 'hint_insufficient_balance',
  sku_blocked: 'hint_sku_blocked',
  sku_unknown: 'hint_sku_unknown',
  already_shipped: 'hint_already_shipped',
  already_cancelled: 'hint_already_cancelled',
  hold_expired: 'hint_hold_expired',
  price_changed: 'hint_price_changed',
  invalid_state: 'hint_invalid_state',
  too_many_holds: 'hint_too_many_holds',
  upstream_unknown: 'hint_upstream_unknown',
  switched_off: 'hint_switched_off',
  quote_invalid: 'hint_quote_again',
  quote_expired: 'hint_quote_again',
  quote_used: 'hint_quote_used',
}

/** A field's name may be the caller's own invention. */
function cleanedProblem({ param, message }: NonNullable<ErrorFacts['errors']>[number]) {
  return { param: cleaned(param), message: cleaned(message, mostMessageCharacters) }
}

function needsChallenge(code: ErrorCode): boolean {
  return errorTable[code].status === 401
}

/** RFC 6750 §3: an error word only where a token was sent. */
function challenge(code: ErrorCode): string {
  if (code === 'ADMIN_UNAUTHORIZED') return 'AdminToken realm="trade-gateway"'
  const invalid = code === 'AUTH_INVALID_TOKEN' || code === 'AUTH_EXPIRED'
  return `Bearer realm="trade-gateway"${invalid ? ', error="invalid_token"' : ''}`
}
