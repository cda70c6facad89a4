import type { z } from 'zod'
import type { Visit } from './visit.ts'

/**
 * A business action is a value, as an endpoint is: its name, what a model reads of it, the shape of what goes in and
 * comes out, and the verb. Its title, for people, stands in `texts/`.
 */
export interface Action<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: Name
  /** For the model, at most 80 words: what, when, when not, what it costs and changes. */
  readonly description: string
  readonly hints: Hints
  readonly input: Input
  readonly output: Output
  run(visit: Visit, input: z.output<Input>): Promise<Done<z.input<Output>>>
}

/** What a client may believe of an action before it asks a person. */
export interface Hints {
  readonly reads: boolean
  /** Commits money or takes something away. */
  readonly destructive: boolean
  readonly idempotent: boolean
}

export const readHints: Hints = { reads: true, destructive: false, idempotent: true }
/** Makes what costs nothing and ends by itself. */
export const quoteHints: Hints = { reads: false, destructive: false, idempotent: true }
export const commitHints: Hints = { reads: false, destructive: true, idempotent: true }

/** A result, and what a model reads of it where its client shows text only. */
export interface Done<T> {
  readonly data: T
  readonly text: string
}

/** Declares an action; the compiler infers its input and checks its result. */
export function action<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  declaration: Action<Name, Input, Output>,
): Action<Name, Input, Output> {
  return declaration
}

/**
 * An action as the list of them sees it, its own types forgotten. The cast holds because `run` is handed only what
 * the action's own schema parsed.
 */
export function anyAction(value: unknown): Action {
  return value as Action
}
