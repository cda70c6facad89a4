import type { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { ActionContext } from './action-context.ts'

/**
 * A business action is a value, like an endpoint: its name, its texts, the schemas of its input and output, and the
 * function that runs it.
 */
export interface Action<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: Name
  /** The name that clients show to people. Its translations are in `actions.zh.ts` and `actions.ko.ts`. */
  readonly title: string
  /** Instructions for the model in at most 80 words: purpose, when to use another action, effects and cost. */
  readonly description: string
  readonly hints: ActionHints
  /** The endpoint that does the work. What it requires of a token is required before the input is read (contract §1). */
  readonly endpoint?: Endpoint
  readonly input: Input
  readonly output: Output
  run(context: ActionContext, input: z.output<Input>): Promise<ActionResult<z.input<Output>>>
}

/** Properties by which a client decides whether to ask a person before it calls the action. */
export interface ActionHints {
  readonly isReadOnly: boolean
  /** Whether the action spends money or ends something that cannot be restored. */
  readonly destructive: boolean
  readonly idempotent: boolean
}

export const readHints: ActionHints = { isReadOnly: true, destructive: false, idempotent: true }
/** The hints of actions that create a quote, which costs nothing and expires. */
export const quoteHints: ActionHints = { isReadOnly: false, destructive: false, idempotent: true }
export const commitHints: ActionHints = { isReadOnly: false, destructive: true, idempotent: true }

/** The result of an action: as data, and as text for clients that show only text. */
export interface ActionResult<T> {
  readonly data: T
  readonly text: string
  readonly links?: readonly ResourceLink[]
}

/** A content block of MCP (2025-06-18 and newer) that names a resource, which the client may read. */
export interface ResourceLink {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly mimeType: string
}

/** Declares an action; the compiler infers its input and checks its result. */
export function action<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  declaration: Action<Name, Input, Output>,
): Action<Name, Input, Output> {
  return declaration
}

/**
 * An action without its own types, for the list of all actions. The cast holds because `run` receives only input that
 * the action's own schema parsed.
 */
export function eraseActionTypes(value: unknown): Action {
  return value as Action
}
