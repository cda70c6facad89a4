import type { Shortage } from './documents.ts'
import { type Input, type OperationId, type Output, operations, type rejectionReasons } from './operations.ts'

export type RejectionReason = (typeof rejectionReasons)[number]

/** A definite refusal: this call created and changed nothing. `message` is the ERP's own sentence. */
export interface Rejection {
  readonly reason: RejectionReason
  readonly message: string
  /** With `insufficient_stock`: what there is of each short SKU. */
  readonly shortages?: readonly Shortage[]
}

/** What an ERP says of a call. Anything else (a thrown error, a timeout) is an unknown outcome. */
export type Answer<T> = { readonly ok: T } | { readonly rejected: Rejection }

export interface CallOptions {
  readonly signal?: AbortSignal
  /** A fault that the sandbox ERP is asked to show on this call; every other ERP ignores it. */
  readonly fault?: string
}

/** An ERP: one function per operation. In process it is the object itself, over HTTP the same behind `erpServer`. */
export type Erp = {
  readonly [Id in OperationId]: (input: Input<Id>, options?: CallOptions) => Promise<Answer<Output<Id>>>
}

/**
 * The ERP's answer is not known. A read may be asked again; a write may or may not have happened and is settled
 * by a look-up. `sent` is false only where the request provably never left.
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
 * The connection to the ERP broke in the middle of this answer. Thrown on purpose, by an ERP that shows faults:
 * `erpServer` then sends half of the answer and breaks off.
 */
export class CutConnection extends UnknownOutcome {
  readonly answer: Answer<unknown>

  constructor(answer: Answer<unknown>) {
    super('unreachable', 'The connection to the ERP broke in the middle of the answer.')
    this.answer = answer
  }
}

export function ok<T>(value: T): Answer<T> {
  return { ok: value }
}

export function rejected(
  reason: RejectionReason,
  message: string,
  shortages?: readonly Shortage[],
): Answer<never> {
  return { rejected: { reason, message, ...(shortages ? { shortages } : {}) } }
}

type OrderOperation =
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'documents.changed'
  | 'documents.read'

const noOrdersHere = async () => rejected('not_supported', 'This ERP takes no orders.')

/** The order operations of an ERP that takes no orders. */
export const withoutOrders: Pick<Erp, OrderOperation> = {
  quote: noOrdersHere,
  hold: noOrdersHere,
  release: noOrdersHere,
  submit: noOrdersHere,
  void: noOrdersHere,
  lookup: noOrdersHere,
  'documents.changed': noOrdersHere,
  'documents.read': noOrdersHere,
}

type StatementOperation = 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'

const noLedgerHere = async () => rejected('not_supported', 'This ERP keeps no accounts of customers.')

/** The statement operations of an ERP without a ledger. */
export const withoutLedger: Pick<Erp, StatementOperation> = {
  balances: noLedgerHere,
  transactions: noLedgerHere,
  bills: noLedgerHere,
  refunds: noLedgerHere,
  freight_bills: noLedgerHere,
}

/** Whether the word is the id of an operation. */
export function isOperationId(word: string): word is OperationId {
  return Object.hasOwn(operations, word)
}

export const operationIds: readonly OperationId[] = Object.keys(operations).filter(isOperationId)

/** One function for all operations, as wrappers and transports see it. */
export type AnyCall = (id: OperationId, input: unknown, options?: CallOptions) => Promise<Answer<unknown>>

/**
 * Builds an `Erp` from one function for all operations. The cast holds where `call` answers for each id what that
 * operation's output schema describes: `erpClient` parses it, wrappers pass through what an `Erp` answered.
 */
export function erpFrom(call: AnyCall): Erp {
  const entries = operationIds.map((id) => [
    id,
    (input: unknown, options?: CallOptions) => call(id, input, options),
  ])
  return Object.fromEntries(entries) as Erp
}

/** Calls one operation of an `Erp` by id, for transports and wrappers that treat all operations alike. */
export function callAny(
  erp: Erp,
  id: OperationId,
  input: unknown,
  options?: CallOptions,
): Promise<Answer<unknown>> {
  const run = erp[id] as (input: unknown, options?: CallOptions) => Promise<Answer<unknown>>
  return run(input, options)
}

/** A caller had no use for a refusal; the message is the ERP's. */
export class Refused extends Error {
  readonly rejection: Rejection

  constructor(rejection: Rejection) {
    super(`The ERP refused: ${rejection.reason}: ${rejection.message}`)
    this.name = 'Refused'
    this.rejection = rejection
  }
}

/** The value of an answer. Throws `Refused`. */
export function accepted<T>(answer: Answer<T>): T {
  if ('ok' in answer) return answer.ok
  throw new Refused(answer.rejected)
}

/** Options of a call that must be answered within `ms`. */
export function within(ms: number): CallOptions {
  return { signal: AbortSignal.timeout(ms) }
}
