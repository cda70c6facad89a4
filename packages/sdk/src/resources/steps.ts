import { OutcomeUnknownError, type RecoverOptions } from '../errors/outcome-unknown.ts'

/** What follows a step of several writes, which one call of a method performs. */
export interface Following<Done, Result> {
  /** The key of the whole: each step derives its own from it. */
  readonly idempotencyKey: string
  /** The signal of the call, or of the try to recover. */
  readonly given: RecoverOptions
  readonly next: (done: Done, given: RecoverOptions) => Promise<Result>
}

/**
 * Waits for a step, and performs the next ones. If the outcome of the step is not known, so is that of the whole: what
 * recovers the step then performs the next ones, too.
 */
export async function thenGoOn<Done, Result>(
  step: Promise<Done>,
  following: Following<Done, Result>,
): Promise<Result> {
  const { idempotencyKey, given, next } = following
  const done = await step.catch((error: unknown) => {
    if (!(error instanceof OutcomeUnknownError)) throw error
    throw new OutcomeUnknownError(error, {
      attempts: error.attempts,
      idempotencyKey,
      recover: (options) => thenGoOn(error.recover<Done>(options), { ...following, given: options }),
    })
  })
  return next(done, given)
}
