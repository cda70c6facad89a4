import { GatewayError } from './errors.ts'

/** The options of a try to recover. It does not obey the signal of the call, which may have ended long ago. */
export interface RecoverOptions {
  /** Ends the try. It then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

interface UnknownOutcome {
  readonly attempts: number
  /** The key of the write itself: the last failure may be that of a look-up, which has none. */
  readonly idempotencyKey: string | undefined
  readonly recover: (options: RecoverOptions) => Promise<unknown>
}

/**
 * A write whose outcome is not known: it was sent, and no response says whether it was performed. Never send it with
 * another `Idempotency-Key`. Call {@link OutcomeUnknownError.recover}, or repeat the call later with `idempotencyKey`.
 * `cause` is the last failure.
 */
export class OutcomeUnknownError extends GatewayError<'OUTCOME_UNKNOWN'> {
  override readonly name = 'OutcomeUnknownError'
  readonly #recover: (options: RecoverOptions) => Promise<unknown>

  constructor(last: GatewayError, { attempts, idempotencyKey, recover }: UnknownOutcome) {
    const cause = findCause(last)
    super({
      code: 'OUTCOME_UNKNOWN',
      message:
        `It is not known whether this write was performed: ${endSentence(cause.message)} ` +
        'Call recover(), or repeat it later with the same idempotencyKey.',
      status: cause.status,
      requestId: cause.requestId,
      retryable: true,
      retryAfterMs: cause.retryAfterMs,
      attempts,
      idempotencyKey,
      cause,
    })
    this.#recover = recover
  }

  /**
   * Finds the outcome, and returns what the call would have returned. Repeats the call under the same key, so that the
   * gateway looks the write up at the ERP and finishes it: it is performed exactly once. If this cannot be decided now,
   * reads the state of the key and the document.
   *
   * Throws the refusal, if it is certain that nothing was created, and `OutcomeUnknownError` if it is still not known.
   */
  async recover<T = unknown>(options: RecoverOptions = {}): Promise<T> {
    return asResult<T>(await this.#recover(options))
  }
}

/** A try to recover may fail with an unknown outcome itself, which says no more than its own cause. */
function findCause(last: GatewayError): GatewayError {
  return last instanceof OutcomeUnknownError && last.cause instanceof GatewayError ? last.cause : last
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** An error cannot have a type parameter for `instanceof`, so the caller names the type of the call's result. */
function asResult<T>(value: unknown): T {
  return value as T
}
