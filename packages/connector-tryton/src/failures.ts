/**
 * What went wrong in a call of Tryton. Tryton returns most failures with HTTP status 200 and an array whose first item
 * is either a class name (`UserError`) or the text of a Python exception.
 */

export type FailureKind =
  /** A rule of Tryton refused the call (`UserError`). Its transaction was rolled back: nothing happened. */
  | 'refused'
  /** Tryton asks for confirmation (`UserWarning`). Its transaction was rolled back: nothing happened. */
  | 'warning'
  /** Another transaction holds a lock. Nothing happened, and the call can be repeated. */
  | 'locked'
  /** The user has no right to the model, button or field, or the module that declares it is not active. */
  | 'forbidden'
  /** Nothing was sent, because no connection could be opened. */
  | 'unreachable'
  /** The call was sent, and nobody knows whether it took effect. */
  | 'unknown'
  /** The response is none that Tryton gives to the call. Whether it took effect is as little known. */
  | 'unexpected'
  /** The session is not valid. Nothing happened. */
  | 'session'
  /** The name or the password of the user is wrong. */
  | 'login'

/** A failed call. `message` contains the method and the text of Tryton. */
export class TrytonFailure extends Error {
  readonly kind: FailureKind
  readonly method: string
  /** The text of Tryton alone. */
  readonly text: string

  constructor(kind: FailureKind, method: string, text: string) {
    super(`${method}: ${text}`)
    this.name = 'TrytonFailure'
    this.kind = kind
    this.method = method
    this.text = text
  }
}

const maxTextCharacters = 600
const lockTexts =
  /could not (?:obtain lock|serialize access)|deadlock detected|canceling statement due to lock/
/** PostgreSQL ended or refused the connection. A statement that was sent on it may have been committed. */
const databaseTexts = /connection|server closed|terminating|shutting down|starting up|timeout|SSL SYSCALL/i

/**
 * Classifies the `error` of a response. An unknown text of a Python exception means that the transaction was rolled
 * back, except if the connection to PostgreSQL broke: its commit may have happened.
 */
export function classifyError(method: string, error: unknown): TrytonFailure {
  const [name, detail] = Array.isArray(error) ? error : [error]
  const text = String(Array.isArray(detail) ? detail[0] : (name ?? 'no text')).slice(0, maxTextCharacters)
  if (name === 'UserWarning') {
    const message = Array.isArray(detail) ? String(detail[1] ?? detail[0]) : text
    return new TrytonFailure('warning', method, message.slice(0, maxTextCharacters))
  }
  if (name === 'UserError')
    return new TrytonFailure(isRightsText(text) ? 'forbidden' : 'refused', method, text)
  if (name === 'LoginException') return new TrytonFailure('login', method, 'the password is wrong')
  const cause = String(name).slice(0, maxTextCharacters)
  if (lockTexts.test(cause)) return new TrytonFailure('locked', method, cause.trim())
  if (databaseTexts.test(cause)) return new TrytonFailure('unknown', method, cause.trim())
  return new TrytonFailure(
    'forbidden',
    method,
    `${cause.trim()} (a model, field or method that is not there)`,
  )
}

function isRightsText(text: string): boolean {
  return /not allowed to (?:access|execute|use|call)|not allowed to \S+ (?:the )?field/i.test(text)
}

/**
 * Classifies a response with another status than 200. Tryton makes logins wait with 429; a proxy says by 408 and 5xx that
 * it has no response of Tryton.
 */
export function classifyStatus(method: string, status: number, body: string): TrytonFailure {
  const text = `HTTP ${status} ${body.replaceAll(/<[^>]*>|\s+/g, ' ').trim()}`.slice(0, maxTextCharacters)
  if (status === 401) return new TrytonFailure('session', method, text)
  if (status === 403 || status === 404) return new TrytonFailure('forbidden', method, text)
  const isPassing = status === 408 || status === 429 || status >= 500
  return new TrytonFailure(isPassing ? 'unknown' : 'unexpected', method, text)
}

/** Classifies an exception of `fetch`. Only a refused connection proves that nothing was sent. */
export function classifyException(method: string, error: unknown): TrytonFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const text = cause instanceof Error ? cause.message : String(cause)
  const isUnsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)
  return new TrytonFailure(isUnsent ? 'unreachable' : 'unknown', method, text.slice(0, maxTextCharacters))
}

/** Whether an error is a failure of Tryton of one of the given kinds. */
export function isFailure(error: unknown, ...kinds: readonly FailureKind[]): error is TrytonFailure {
  return error instanceof TrytonFailure && kinds.includes(error.kind)
}
