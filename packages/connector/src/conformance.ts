import { listAccessChecks } from './conformance/access.ts'
import { listCallChecks } from './conformance/calls.ts'
import { type Check, ConformanceFailure, type ConformanceOptions } from './conformance/check.ts'
import { referenceChecks } from './conformance/describe.ts'
import { listDocumentChecks } from './conformance/documents.ts'
import { listHintChecks } from './conformance/hints.ts'
import { listHoldChecks } from './conformance/holds.ts'
import { listHttpChecks } from './conformance/http.ts'
import { listJourneyChecks } from './conformance/journeys.ts'
import { listLedgerChecks } from './conformance/ledger.ts'
import { productSubject, stockSubject } from './conformance/listing.ts'
import { listParallelChecks } from './conformance/parallel.ts'
import { productChecks } from './conformance/products.ts'
import { listReadChecks } from './conformance/read.ts'
import { listSettleChecks } from './conformance/settles.ts'
import { listSnapshotChecks } from './conformance/snapshot.ts'
import { stockChecks } from './conformance/stock.ts'
import { listSubmitChecks } from './conformance/submits.ts'
import type { Erp } from './erp.ts'

export { type Check, ConformanceFailure, type ConformanceOptions, type Skipped } from './conformance/check.ts'
export { watchedOrderNumber } from './conformance/journeys.ts'

const defaultPatienceMs = 5_000

/** The outcome of one check. `message` explains a failure or gives the reason of a skip. */
export interface Result {
  readonly id: string
  readonly states: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly message?: string
  /** How long the check took, in milliseconds: it shows which operations of an ERP are slow. */
  readonly took_ms: number
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
 * Lists the checks that every ERP must pass, in process or over HTTP: one for each guarantee. The checks are
 * independent and limit their calls, so a run takes about a minute for an ERP of any size. They tolerate that the ERP's
 * data change while they run. Checks write only if `ordering` is given: they create holds and orders of a few units and
 * cancel them.
 */
export function conformanceChecks(options: ConformanceOptions = {}): readonly Check[] {
  const { customer_code, credentials, http, now = () => Date.now() } = options
  const patience = {
    watch_ms: options.watch_ms ?? 0,
    patience_ms: options.patience_ms ?? defaultPatienceMs,
  }
  const { ordering, other_customer_code } = options
  const buyer = { credentials, ordering, other_customer_code, now, patience_ms: patience.patience_ms }
  return [
    ...referenceChecks,
    ...listSnapshotChecks(stockSubject),
    ...listReadChecks(stockSubject),
    ...stockChecks,
    ...listHintChecks(stockSubject, patience),
    ...listSnapshotChecks(productSubject),
    ...listReadChecks(productSubject),
    ...productChecks,
    ...listHintChecks(productSubject, patience),
    ...listAccessChecks({ customer_code, credentials, now }),
    ...listLedgerChecks(customer_code, patience.watch_ms),
    ...listHoldChecks(buyer),
    ...listSubmitChecks(buyer),
    ...listDocumentChecks(buyer),
    ...listSettleChecks(buyer),
    ...listParallelChecks(buyer),
    ...listJourneyChecks(buyer, patience.watch_ms),
    ...listCallChecks({ overHttp: http !== undefined }),
    ...listHttpChecks(http),
  ]
}

/** Runs all checks in sequence. A failing ERP does not make it throw. */
export async function conformance(erp: Erp, options: RunOptions = {}): Promise<Report> {
  const results: Result[] = []
  for (const check of conformanceChecks(options)) {
    options.onStart?.(check)
    const result = await runCheck(check, erp)
    results.push(result)
    options.onResult?.(result)
  }
  const countResults = (outcome: Result['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return {
    passed: countResults('passed'),
    failed: countResults('failed'),
    skipped: countResults('skipped'),
    results,
  }
}

async function runCheck(check: Check, erp: Erp): Promise<Result> {
  const { id, states } = check
  const began = performance.now()
  const outcome = await judge(check, erp)
  return { id, states, ...outcome, took_ms: Math.round(performance.now() - began) }
}

async function judge(check: Check, erp: Erp): Promise<Pick<Result, 'outcome' | 'message'>> {
  try {
    const skipped = await check.run(erp)
    return skipped ? { outcome: 'skipped', message: skipped.skipped } : { outcome: 'passed' }
  } catch (error) {
    const message =
      error instanceof ConformanceFailure
        ? error.message
        : `The check stopped with an exception: ${String(error)}`
    return { outcome: 'failed', message }
  }
}
