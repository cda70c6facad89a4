import { TestRunner } from 'vitest'
import type { PromiseId } from './list.ts'

/** A figure of one run, such as "20 kills; 0 violations". */
export interface Figure {
  readonly promises: readonly PromiseId[]
  readonly text: string
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figure[]
  }
}

/**
 * Prints a figure, and keeps it in the running test's `meta`, from which vitest's JSON reporter writes it for
 * `npm run promises`.
 */
export function reportFigure(promises: readonly PromiseId[], text: string): void {
  process.stdout.write(`${text}\n`)
  const meta = TestRunner.getCurrentTest()?.meta
  if (meta) meta.figures = [...(meta.figures ?? []), { promises, text }]
}
