import { z } from 'zod'

/** The ways in which an operation can end, its beginning, and `observed` for what a record shows. */
export const entryTypes = ['invoke', 'ok', 'refused', 'unknown', 'observed'] as const

/**
 * One line of a history: an operation began or ended, or somebody observed a record. The lines stand in the order in
 * which they happened, so an operation that ends on an earlier line than another begins has preceded it.
 */
export interface HistoryEntry {
  /** Milliseconds since the run began, for people. The order of the lines decides. */
  readonly at: number
  /** Who sent or observed it. */
  readonly client: string
  /** Pairs the beginning of an operation with its end. */
  readonly id: number
  /**
   * `refused` says that nothing was changed. After `unknown`, or without an end, the operation may take effect at any
   * later time, once or never.
   */
  readonly type: 'invoke' | 'ok' | 'refused' | 'unknown' | 'observed'
  /** One of the names of `operations.ts`. */
  readonly operation: string
  readonly input?: unknown
  readonly output?: unknown
}

/** Parses a line of a history. */
export const historyEntry = z.strictObject({
  at: z.number().nonnegative(),
  client: z.string(),
  id: z.int().nonnegative(),
  type: z.enum(entryTypes),
  operation: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
})
