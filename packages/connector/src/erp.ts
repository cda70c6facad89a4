import type { Shortage } from './documents.ts'
import { type Input, type OperationId, type Output, operations, type rejectionReasons } from './operations.ts'

export type RejectionReason = (typeof rejectionReasons)[number]

/** A definite refusal: the call created and changed nothing. `message` is the ERP's own text. */
export interface Rejection {
  readonly reason: RejectionReason
  readonly message: string
  /** For `insufficient_stock`: the available quantity of each short SKU. */
  readonly shortages?: readonly Shortage[]
}

/** The ERP's result of a call. A thrown error or a timeout means that the outcome is unknown. */
export type ErpResult<T> = { readonly ok: T } | { readonly rejected: Rejection }

export interface CallOptions {
  readonly signal?: AbortSignal
  /** A fault that the sandbox ERP injects into this call. Other ERPs ignore it. */
  readonly fault?: string
  /** The place of the call in a trace, as the W3C header `traceparent` writes it. */
  readonly traceparent?: string
}

/**
 * An ERP: one function for each operation. `erpServer` serves it over HTTP, and `erpClient` returns one whose functions
 * call the server.
 */
export type Erp = {
  readonly [Id in OperationId]: (input: Input<Id>, options?: CallOptions) => Promise<ErpResult<Output<Id>>>
}

/**
 * The error for a call whose outcome is not known. A read can be repeated. A write may or may not have happened; a
 * look-up of its reference shows which. `sent` is false only if the request certainly was not sent.
 */
export class UnknownOutcome extends Error {
  readonly kind: 'timeout' | 'unreachable' | 'failed' | 'malformed'
  readonly sent: boolean

  constructor(
    kind: UnknownOutcome['kind'],
    message: string,
    options: { sent?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'UnknownOutcome'
    this.kind = kind
    this.sent = options.sent ?? true
  }
}

/**
 * The error for a read whose input the connector does not accept (status 400). The connector responds, and would respond
 * the same again, so the error says nothing about the ERP's health.
 */
export class InputNotAccepted extends UnknownOutcome {
  constructor(operation: OperationId) {
    super('failed', `${operation}: the connector does not accept the input (status 400).`)
  }
}

/**
 * An error that simulates a connection that breaks in the middle of a response. A sandbox ERP throws it to inject the
 * fault, and `erpServer` then sends half of the response and closes the connection.
 */
export class CutConnection extends UnknownOutcome {
  readonly answer: ErpResult<unknown>

  constructor(answer: ErpResult<unknown>) {
    super('unreachable', 'The connection to the ERP broke in the middle of the response.')
    this.answer = answer
  }
}

export function ok<T>(value: T): ErpResult<T> {
  return { ok: value }
}

export function rejected(
  reason: RejectionReason,
  message: string,
  shortages?: readonly Shortage[],
): ErpResult<never> {
  return { rejected: { reason, message, ...(shortages ? { shortages } : {}) } }
}

type OrderOperation =
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'settle'
  | 'documents.changed'
  | 'documents.read'

const refuseOrders = async () => rejected('not_supported', 'This ERP takes no orders.')

/** The order operations for an ERP that takes no orders: each is refused with `not_supported`. */
export const withoutOrders: Pick<Erp, OrderOperation> = {
  quote: refuseOrders,
  hold: refuseOrders,
  release: refuseOrders,
  submit: refuseOrders,
  void: refuseOrders,
  lookup: refuseOrders,
  settle: refuseOrders,
  'documents.changed': refuseOrders,
  'documents.read': refuseOrders,
}

type StatementOperation = 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'

const refuseLedger = async () => rejected('not_supported', 'This ERP keeps no accounts of customers.')

/** The statement operations for an ERP without a ledger: each is refused with `not_supported`. */
export const withoutLedger: Pick<Erp, StatementOperation> = {
  balances: refuseLedger,
  transactions: refuseLedger,
  bills: refuseLedger,
  refunds: refuseLedger,
  freight_bills: refuseLedger,
}

/** Whether a string is the id of an operation. */
export function isOperationId(word: string): word is OperationId {
  return Object.hasOwn(operations, word)
}

export const operationIds: readonly OperationId[] = Object.keys(operations).filter(isOperationId)

/** A function that performs any operation by its id. Wrappers and transports of an `Erp` use it. */
export type AnyCall = (id: OperationId, input: unknown, options?: CallOptions) => Promise<ErpResult<unknown>>

/**
 * Creates an `Erp` from one function for all operations. The cast is safe if `call` returns for each id what the
 * operation's output schema describes: `erpClient` parses results with it, and wrappers pass on results of an `Erp`.
 */
export function createErp(call: AnyCall): Erp {
  const entries = operationIds.map((id) => [
    id,
    (input: unknown, options?: CallOptions) => call(id, input, options),
  ])
  return Object.fromEntries(entries) as Erp
}

/** Calls one operation of an `Erp` by id, for code that treats all operations alike. */
export function callOperation(
  erp: Erp,
  id: OperationId,
  input: unknown,
  options?: CallOptions,
): Promise<ErpResult<unknown>> {
  const run = erp[id] as (input: unknown, options?: CallOptions) => Promise<ErpResult<unknown>>
  return run(input, options)
}

/** The error that callers throw if they cannot handle a refusal. Its message contains the ERP's text. */
export class Refused extends Error {
  readonly rejection: Rejection

  constructor(rejection: Rejection) {
    super(`The ERP refused: ${rejection.reason}: ${rejection.message}`)
    this.name = 'Refused'
    this.rejection = rejection
  }
}

/** Returns the value of a successful result. Throws `Refused` for a refusal. */
export function unwrap<T>(result: ErpResult<T>): T {
  if ('ok' in result) return result.ok
  throw new Refused(result.rejected)
}

/** Creates call options with a timeout of `ms` milliseconds. */
export function withTimeout(ms: number): CallOptions {
  return { signal: AbortSignal.timeout(ms) }
}
