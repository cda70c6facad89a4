import type { Erp } from '../erp.ts'

/** A check that does not apply to this ERP, with the reason. */
export interface Skipped {
  readonly skipped: string
}

/** One guarantee of the protocol and the code that checks it. */
export interface Check {
  readonly id: string
  /** The guarantee in one sentence. */
  readonly states: string
  /** Throws a `ConformanceFailure` if the ERP breaks the guarantee. */
  run(erp: Erp): Promise<Skipped | undefined>
}

/** What the checks must know about the ERP, and their time limits. */
export interface ConformanceOptions {
  /** A customer that the ERP knows. If it is missing, the checks of known customers are skipped. */
  readonly customer_code?: string
  /** An account that can sign in. If it is missing, the checks of a successful sign-in are skipped. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /**
   * What the account can order: a SKU of which 50 are available in the warehouse. The checks create holds and orders of
   * at most 7 units each, or for a moment of all that is available, and cancel them. If it is missing, these checks are skipped.
   */
  readonly ordering?: { readonly warehouse_code: string; readonly sku: string }
  /**
   * A customer that the ERP knows and to which the account does not belong: what the account orders for it must be refused.
   * If it is missing, only a code that no customer has is tried.
   */
  readonly other_customer_code?: string
  /** Where the ERP is served. If it is missing, the checks of the HTTP protocol are skipped. */
  readonly http?: { readonly url: string; readonly token: string }
  /**
   * The time in milliseconds for which the suite watches the stock, to check that the ERP reports each change. With 0
   * (the default) it compares two reads without a pause.
   */
  readonly watch_ms?: number
  /** The maximum time in milliseconds until the ERP reports a change; default 5000. */
  readonly patience_ms?: number
  /** The current time in epoch milliseconds, for the expiry of sessions; default: the system's clock. */
  readonly now?: () => number
}

interface Failure {
  readonly expected: string
  readonly actual: string
  /** What to do about the failure, as a sentence. */
  readonly remedy: string
}

/**
 * The error for a guarantee that the ERP breaks. Its message says what was expected, what happened instead, and what to
 * do.
 */
export class ConformanceFailure extends Error {
  constructor({ expected, actual, remedy }: Failure, options: { cause?: unknown } = {}) {
    // What happened may be the sentence of an error, with a full stop of its own.
    super(`Expected ${expected}; got ${actual.replace(/\.$/, '')}. ${remedy}`, options)
    this.name = 'ConformanceFailure'
  }
}

/** Returns a skipped outcome with its reason. */
export function skip(reason: string): Skipped {
  return { skipped: reason }
}

/** Joins items to a text for a sentence: the first three, and the number of the others. */
export function joinSome(words: Iterable<string>): string {
  const shown = 3
  const all = [...words]
  const rest = all.length > shown ? ` and ${all.length - shown} more` : ''
  return all.slice(0, shown).join(', ') + rest
}
