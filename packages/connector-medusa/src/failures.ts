/** What went wrong in a call of Medusa. */

export type FailureKind =
  /** Medusa refused the call with a sentence. Its workflow was not begun, or was taken back. */
  | 'refused'
  /** There is nothing with the given id. */
  | 'missing'
  /** The key of the connector or the token of a customer is not accepted. Nothing happened. */
  | 'unauthorised'
  /** Nothing was sent, because no connection could be opened. */
  | 'unreachable'
  /** The call was sent, and nobody knows whether it took effect. */
  | 'unknown'
  /** The response is none that Medusa gives to the call. Whether it took effect is as little known. */
  | 'unexpected'

const maxTextCharacters = 400

/** A failed call. The message contains the method, the path and the text of Medusa. */
export class MedusaFailure extends Error {
  readonly kind: FailureKind
  /** The text of Medusa alone. */
  readonly text: string

  constructor(kind: FailureKind, call: string, text: string) {
    super(`${call}: ${text}`)
    this.name = 'MedusaFailure'
    this.kind = kind
    this.text = text
  }
}

/** Whether an error is a failure of Medusa of one of the given kinds. */
export function isFailure(error: unknown, ...kinds: readonly FailureKind[]): error is MedusaFailure {
  return error instanceof MedusaFailure && kinds.includes(error.kind)
}

/**
 * Classifies a response with another status than 2xx. Medusa takes back a workflow whose step failed, but it does so
 * step by step and not in one transaction. So only the statuses that Medusa uses for its own refusals prove that nothing
 * happened; after 409 (a lock or an idempotency key is taken), 429, 5xx and any other the outcome is read again.
 */
export function classifyStatus(call: string, status: number, body: string): MedusaFailure {
  const text = `HTTP ${status} ${readMessage(body)}`.slice(0, maxTextCharacters)
  if (status === 401 || status === 403) return new MedusaFailure('unauthorised', call, text)
  if (status === 404) return new MedusaFailure('missing', call, text)
  if (status === 400 || status === 422) return new MedusaFailure('refused', call, text)
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500
  return new MedusaFailure(isPassing ? 'unknown' : 'unexpected', call, text)
}

const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/** Classifies an exception of `fetch`. Only a refused connection proves that nothing was sent. */
export function classifyException(call: string, error: unknown): MedusaFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const text = cause instanceof Error ? cause.message : String(cause)
  const kind = unsentCodes.includes(code) ? 'unreachable' : 'unknown'
  return new MedusaFailure(kind, call, text.slice(0, maxTextCharacters))
}

function readMessage(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message)
  } catch {
    // A proxy in front of Medusa answers with a page.
  }
  return body.replaceAll(/(?:<[^>]*>|\s)+/g, ' ').trim()
}
