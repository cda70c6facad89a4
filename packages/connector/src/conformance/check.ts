import type { Erp } from '../erp.ts'

/** A check that does not apply here, and why. */
export interface Skipped {
  readonly skipped: string
}

/** One guarantee of the protocol, and how it is tried. */
export interface Check {
  readonly id: string
  /** The guarantee in one sentence. */
  readonly states: string
  /** Throws a `ConformanceFailure` where the ERP does not keep the guarantee. */
  run(erp: Erp): Promise<Skipped | undefined>
}

/** What a run of the suite may know of the ERP, and how patient it is. */
export interface ConformanceOptions {
  /** A customer that the ERP knows; without one the checks of known customers are skipped. */
  readonly customer_code?: string
  /** An account that may sign in; without one the checks of a right sign-in are skipped. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /**
   * What the account may order: a SKU of which 50 are available in the warehouse. With it, holds and orders of at most
   * 7 units at a time are made and taken back; without it those checks are skipped.
   */
  readonly ordering?: { readonly warehouse_code: string; readonly sku: string }
  /** Where the ERP is served; without it the checks of the wire are skipped. */
  readonly http?: { readonly url: string; readonly token: string }
  /** How long a change is waited for that the hints must tell; 0 (the default) looks twice without a pause. */
  readonly watch_ms?: number
  /** How long a hint may come after the change it tells of; default 5000. */
  readonly patience_ms?: number
  /** The time in epoch milliseconds by which sessions expire; default: the system's. */
  readonly now?: () => number
}

interface Failure {
  readonly expected: string
  readonly came: string
  /** What to do about it, as a sentence. */
  readonly remedy: string
}

/** The ERP does not keep a guarantee. The message says what was expected, what came, and what to do. */
export class ConformanceFailure extends Error {
  constructor({ expected, came, remedy }: Failure, options: { cause?: unknown } = {}) {
    super(`Expected ${expected}; came ${came}. ${remedy}`, options)
    this.name = 'ConformanceFailure'
  }
}

/** Skips a check for a reason. */
export function skip(reason: string): Skipped {
  return { skipped: reason }
}

/** At most three of many words, for a sentence. */
export function someOf(words: Iterable<string>): string {
  const shown = 3
  const all = [...words]
  const rest = all.length > shown ? ` and ${all.length - shown} more` : ''
  return all.slice(0, shown).join(', ') + rest
}
