import { type ErrorCode, errorTable } from './error-table.ts'
import type { SentenceId, Thing } from './texts/en.ts'

/** The closed list of machine-readable reasons that refine an error code. */
export const reasons = [
  'insufficient_stock',
  'insufficient_balance',
  'sku_blocked',
  'sku_unknown',
  'already_shipped',
  'already_cancelled',
  'hold_expired',
  'price_changed',
  'invalid_state',
  'invalid_field',
  'too_many_holds',
  'upstream_unknown',
  'switched_off',
  'quote_invalid',
  'quote_expired',
  'quote_used',
  'storage_full',
  'storage_unavailable',
  'overloaded',
] as const
export type Reason = (typeof reasons)[number]

/**
 * The values of the placeholders in a sentence, by name. A `thing` is replaced by its noun in the language of the
 * sentence. All values are cleaned and limited in length when they are inserted.
 */
export type Details = Readonly<Record<string, string | number | { readonly thing: Thing }>>

/** What is wrong with a field. */
export interface Problem {
  readonly param: string
  readonly say: readonly [SentenceId, Details?]
}

export interface ErrorFacts {
  /** The offending field, such as `lines[0].quantity`. */
  readonly param?: string
  readonly reason?: Reason
  /** A sentence that replaces the general message of the error code. */
  readonly say?: readonly [SentenceId, Details?]
  /** A sentence that replaces the general hint: what the client should do next. */
  readonly hint?: readonly [SentenceId, Details?]
  /** Every problem with a field. */
  readonly errors?: readonly Problem[]
  /**
   * The HTTP status, if it differs from the code's: 403, 404, 405, 408, 413, 414, 415, 417 or 431 for `BAD_REQUEST`,
   * 503 for `INTERNAL`.
   */
  readonly status?: number
  /** The time after which a retry makes sense, in whole seconds. */
  readonly retryAfter?: number
  readonly headers?: readonly string[]
  /** Further members of the error object, such as `required_capability` or `replacement`. */
  readonly more?: Readonly<Record<string, unknown>>
  /** The internal cause: logged, and never sent. */
  readonly cause?: unknown
}

/**
 * An error that is sent to the client: a stable code and the facts about it. The message is created with the response,
 * in the caller's language.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly facts: ErrorFacts

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    // A refusal is an expected response and needs no stack. Collecting stacks would help an attacker to use up CPU
    // time.
    const depth = Error.stackTraceLimit
    if (code !== 'INTERNAL') Error.stackTraceLimit = 0
    super(code, { cause: facts.cause })
    Error.stackTraceLimit = depth
    this.name = 'GatewayError'
    this.code = code
    this.facts = facts
  }

  /** The HTTP status of the response. */
  get status(): number {
    return this.facts.status ?? errorTable[this.code].status
  }
}
