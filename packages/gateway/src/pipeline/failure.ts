/** Builds every error response of the gateway. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { LRUCache } from 'lru-cache'
import type { ApiResponse } from '../contract/call.ts'
import { type ErrorCode, errorTable } from '../contract/error-table.ts'
import { type ErrorFacts, GatewayError, type Problem, type Reason } from '../contract/errors.ts'
import type { Language } from '../contract/language.ts'
import type { SentenceId } from '../contract/texts/en.ts'
import { cleanText, formatSentence, texts } from '../contract/texts/texts.ts'
import { CommitUnanswered, findStorageTrouble, type StorageTrouble } from '../store/trouble.ts'

/** The largest number of characters of an error message. */
const maxMessageCharacters = 600

interface ErrorContext {
  readonly requestId: string
  readonly language: Language
  /** The caller's `Idempotency-Key`, if one was sent. */
  readonly key?: unknown
}

/**
 * Converts anything that was thrown to an error response. An error that is not a `GatewayError` becomes `INTERNAL`.
 * `onFault` gets every fault of the gateway itself.
 */
export function toFailureResponse(
  error: unknown,
  call: ErrorContext,
  onFault: (error: unknown) => void,
): ApiResponse {
  if (error instanceof GatewayError) {
    const fault = findFault(error)
    if (fault !== undefined) onFault(fault)
    return buildErrorResponse(error, call)
  }
  if (error instanceof CommitUnanswered) return buildErrorResponse(toCommitUnknownError(call), call)
  const trouble = findStorageTrouble(error)
  // `StorageState` logs storage trouble once, so that not every call adds a line.
  if (trouble) return buildErrorResponse(new GatewayError('INTERNAL', toStorageFacts(trouble)), call)
  onFault(error)
  return buildErrorResponse(new GatewayError('INTERNAL'), call)
}

/**
 * Finds the gateway's own fault behind an error; undefined if there is none. An `INTERNAL` with its own status, such as
 * 503, is a deliberate refusal. An ERP or a database in trouble is reported elsewhere, once for all calls.
 */
function findFault({ code, facts, cause }: GatewayError): unknown {
  if (code === 'INTERNAL') return facts.status === undefined ? (cause ?? code) : undefined
  const isExpected =
    !(cause instanceof Error) ||
    cause instanceof UnknownOutcome ||
    cause instanceof GatewayError ||
    cause instanceof CommitUnanswered ||
    findStorageTrouble(cause) !== undefined
  return isExpected ? undefined : cause
}

const storageRetrySeconds = 5

/**
 * Returns the facts of the error for a database that is full or does not respond. The refused call changed nothing,
 * because a write that may have reached the ERP gets another error (`toUnconfirmedWriteError`).
 */
export function toStorageFacts(reason: StorageTrouble): ErrorFacts {
  return { status: 503, reason, say: [reason], retryAfter: storageRetrySeconds }
}

/**
 * Creates the error for a commit to which the database did not respond: the rows may have been written or not. A retry
 * with the same `Idempotency-Key` finds out.
 */
function toCommitUnknownError({ key }: ErrorContext): GatewayError {
  return new GatewayError('INTERNAL', {
    status: 503,
    say: ['commit_unknown'],
    hint: [key === undefined ? 'hint_commit_unknown_keyless' : 'hint_storage'],
    retryAfter: storageRetrySeconds,
  })
}

/** A response of which only the request's id is missing: the parts of its body before and after the id. */
export interface Envelope {
  readonly status: number
  readonly headers: readonly string[]
  readonly before: string
  readonly after: string
}

/** The place of the request's id in a body that is prepared. */
const placeholder = 'REQUEST-ID'

/** Builds the response to an error once for all requests in a language. */
export function prepareEnvelope(error: GatewayError, language: Language): Envelope {
  const { status, headers, body } = composeResponse(error, { requestId: placeholder, language, key: '' })
  const [before = '', after = ''] = String(body).split(placeholder)
  return { status, headers, before, after }
}

const maxEnvelopes = 1_000
/** The envelopes of errors that many calls get, by all that decides them. */
const envelopes = new LRUCache<string, Envelope>({ max: maxEnvelopes })

function buildErrorResponse(error: GatewayError, context: ErrorContext): ApiResponse {
  const name = nameEnvelope(error, context.language)
  if (name === undefined) return composeResponse(error, context)
  let envelope = envelopes.get(name)
  if (!envelope) {
    envelope = prepareEnvelope(error, context.language)
    envelopes.set(name, envelope)
  }
  const { status, headers, before, after } = envelope
  return { status, headers, body: `${before}${context.requestId}${after}`, code: error.code }
}

/**
 * Names the envelope of an error. Undefined if few calls get the same one: errors that say more than their code, except
 * those about a limit, which say only numbers. A cause is not sent.
 */
function nameEnvelope({ code, facts }: GatewayError, language: Language): string | undefined {
  if (code === 'RATE_LIMITED') return `${code} ${language} ${JSON.stringify(facts)}`
  for (const name in facts) if (name !== 'cause') return undefined
  return `${code} ${language}`
}

function composeResponse(error: GatewayError, { requestId, language, key }: ErrorContext): ApiResponse {
  const { code, facts } = error
  const { retryable } = errorTable[code]
  const text = texts[language].errors[code]
  const isKeyless = facts.say?.[0] === 'outcome_unknown' && key === undefined
  const said = isKeyless ? (['outcome_unknown_keyless'] as const) : facts.say
  const body = {
    error: {
      code,
      message: cleanText(said ? formatSentence(language, ...said) : text.message, maxMessageCharacters),
      hint: facts.hint
        ? formatSentence(language, ...facts.hint)
        : (findHintOfReason(facts.reason, language, key !== undefined) ?? text.hint),
      request_id: requestId,
      doc_url: `/errors/${code}`,
      ...(facts.param === undefined ? {} : { param: cleanText(facts.param) }),
      ...(facts.reason === undefined ? {} : { reason: facts.reason }),
      retryable: retryable || facts.retryAfter !== undefined,
      ...(facts.errors === undefined
        ? {}
        : { errors: facts.errors.map((problem) => toProblemJson(problem, language)) }),
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
  if (needsChallenge(code)) headers.push('WWW-Authenticate', buildChallenge(code))
  if (facts.retryAfter !== undefined) headers.push('Retry-After', String(facts.retryAfter))
  if (facts.headers) headers.push(...facts.headers)
  return { status: error.status, headers, body: JSON.stringify(body), code }
}

/**
 * Finds the hint for a reason, which is more specific than the hint of the code. Returns undefined if the reason has
 * none.
 */
export function findHintOfReason(
  reason: Reason | undefined,
  language: Language,
  hasKey = true,
): string | undefined {
  // A client without a key cannot retry safely: the ERP might perform the write twice.
  if (reason === 'upstream_unknown' && !hasKey)
    return formatSentence(language, 'hint_upstream_unknown_keyless')
  const id = reason === undefined ? undefined : hintIds[reason]
  return id === undefined ? undefined : formatSentence(language, id)
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
  storage_full: 'hint_storage',
  storage_unavailable: 'hint_storage',
  overloaded: 'hint_storage',
}

/** Explains a problem with a field. Field names come from the client and may contain anything. */
function toProblemJson({ param, say }: Problem, language: Language) {
  const message = cleanText(formatSentence(language, ...say), maxMessageCharacters)
  return { param: cleanText(param), message }
}

function needsChallenge(code: ErrorCode): boolean {
  return errorTable[code].status === 401
}

/** Builds the `WWW-Authenticate` value. It has an `error` parameter only if a token was sent (RFC 6750 §3). */
function buildChallenge(code: ErrorCode): string {
  if (code === 'ADMIN_UNAUTHORIZED') return 'AdminToken realm="trade-gateway"'
  const invalid = code === 'AUTH_INVALID_TOKEN' || code === 'AUTH_EXPIRED'
  return `Bearer realm="trade-gateway"${invalid ? ', error="invalid_token"' : ''}`
}
