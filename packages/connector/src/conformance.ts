import { accessChecks } from './conformance/access.ts'
import { callChecks } from './conformance/calls.ts'
import { type Check, ConformanceFailure, type ConformanceOptions } from './conformance/check.ts'
import { hintChecks } from './conformance/hints.ts'
import { holdChecks } from './conformance/holds.ts'
import { httpChecks } from './conformance/http.ts'
import { ledgerChecks } from './conformance/ledger.ts'
import { productSubject, stockSubject } from './conformance/listing.ts'
import { productChecks } from './conformance/products.ts'
import { readChecks } from './conformance/read.ts'
import { referenceChecks } from './conformance/reference.ts'
import { documentChecks } from './conformance/references.ts'
import { snapshotChecks } from './conformance/snapshot.ts'
import { stockChecks } from './conformance/stock.ts'
import { submitChecks } from './conformance/submits.ts'
import type { Erp } from './erp.ts'

export { type Check, ConformanceFailure, type ConformanceOptions, type Skipped } from './conformance/check.ts'

const defaultPatienceMs = 5_000

/** What came of one check. `message` is the sentence of a failure, or the reason of a skip. */
export interface Result {
  readonly id: string
  readonly states: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly message?: string
}

export interface Report {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly results: readonly Result[]
}

interface RunOptions extends ConformanceOptions {
  readonly onStart?: (check: Check) => void
  readonly onResult?: (result: Result) => void
}

/**
 * What every ERP must keep, in process or behind HTTP, one check for each guarantee. Each stands alone
 * and bounds its calls, so that an ERP of any size is looked at within about a minute. They allow for an ERP that is
 * at work meanwhile. Only with `ordering` do they write: holds and orders of a few units, which they take back.
 */
export function conformanceChecks(options: ConformanceOptions = {}): readonly Check[] {
  const { customer_code, credentials, http, now = () => Date.now() } = options
  const patience = {
    watch_ms: options.watch_ms ?? 0,
    patience_ms: options.patience_ms ?? defaultPatienceMs,
  }
  const buyer = { credentials, ordering: options.ordering, now, patience_ms: patience.patience_ms }
  return [
    ...referenceChecks,
    ...snapshotChecks(stockSubject),
    ...readChecks(stockSubject),
    ...stockChecks,
    ...hintChecks(stockSubject, patience),
    ...snapshotChecks(productSubject),
    ...readChecks(productSubject),
    ...productChecks,
    ...hintChecks(productSubject, patience),
    ...accessChecks({ customer_code, credentials, now }),
    ...ledgerChecks(customer_code),
    ...holdChecks(buyer),
    ...submitChecks(buyer),
    ...documentChecks(buyer),
    ...callChecks({ overHttp: http !== undefined }),
    ...httpChecks(http),
  ]
}

/** Runs every check, one after the other. Never throws for an ERP that fails. */
export async function conformance(erp: Erp, options: RunOptions = {}): Promise<Report> {
  const results: Result[] = []
  for (const check of conformanceChecks(options)) {
    options.onStart?.(check)
    const result = await resultOf(check, erp)
    results.push(result)
    options.onResult?.(result)
  }
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), results }
}

async function resultOf(check: Check, erp: Erp): Promise<Result> {
  const { id, states } = check
  try {
    const skipped = await check.run(erp)
    if (skipped) return { id, states, outcome: 'skipped', message: skipped.skipped }
    return { id, states, outcome: 'passed' }
  } catch (error) {
    const message =
      error instanceof ConformanceFailure ? error.message : `The check broke off: ${String(error)}`
    return { id, states, outcome: 'failed', message }
  }
}
