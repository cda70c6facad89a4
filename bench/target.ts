export type Verdict = 'met' | 'stretch met' | 'missed' | 'not judged' | 'no target'

/** The limit that a figure must keep. A figure without a limit is reported and not judged. */
export interface Bound {
  readonly is: 'at least' | 'at most'
  readonly must: number
  readonly stretch?: number
}

/**
 * A figure to report and, if it has a bound, to compare with its target. Its values come from paired rounds or repeated
 * runs.
 */
export interface Judged {
  readonly subject: string
  readonly target: string
  readonly unit: '×' | 'µs' | 'ms' | 's' | 'MB'
  readonly values: readonly number[]
  /** The difference between two series of the figure, as a share. If absent, the even and odd `values` are compared. */
  readonly repeat?: number
  readonly bound?: Bound
  /** The absolute figures behind a ratio, or the parts of the figure. */
  readonly detail?: string
}

export interface Compared extends Omit<Judged, 'unit' | 'values' | 'repeat'> {
  /** The names of the contenders in the numerator and in the denominator of the ratio. */
  readonly of: string
  readonly over: string
  /** `rate` is the inverse ratio of CPU times (higher is better), `cost` the ratio of CPU times (lower is better). */
  readonly by: 'rate' | 'cost' | 'throughput'
}

export interface Line extends Judged {
  readonly value: number
  readonly interval: readonly [number, number]
  readonly verdict: Verdict
}
