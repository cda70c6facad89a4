import type { TraceContext } from './trace-context.ts'

export interface SpanStart {
  readonly name: string
  readonly kind: 'server' | 'client'
  /** The cause; undefined begins a trace. */
  readonly parent: TraceContext | undefined
}

export interface SpanEnd {
  /** A better name, if it was not known at the start. */
  readonly name?: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** Why the work failed; undefined if it succeeded. */
  readonly error?: string | undefined
}

/** A piece of work that is being recorded. */
export interface Span {
  readonly context: TraceContext
  end(end: SpanEnd): void
}

/** Records spans and exports them. */
export interface Spans {
  /** Starts a span. Returns undefined if spans are not recorded. */
  start(start: SpanStart): Span | undefined
  /** Exports what waits, and stops. */
  close(): Promise<void>
}

/** Records nothing. */
export const noSpans: Spans = {
  start: () => undefined,
  close: async () => {},
}
