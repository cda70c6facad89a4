import { type ErpResult, type RejectionReason, rejected, type Shortage } from '@trade-gateway/connector'
import type { Connector } from '../connector.ts'
import type { Chains } from '../ledger/chain.ts'
import type { SignIn } from '../sign-in.ts'
import type { Deadline, StepName } from '../steps.ts'
import type { Stock } from '../stock.ts'

export const internalModel = 'stock.shipment.internal'
export const outModel = 'stock.shipment.out'
export const saleModel = 'sale.sale'

/** What the operations of orders work with. */
export interface Orders {
  readonly connector: Connector
  readonly stock: Stock
  readonly signIn: SignIn
  readonly chains: Chains
}

/** The call of one write: its reference and its time limit. */
export interface Call {
  readonly reference: string
  readonly deadline: Deadline
}

/** A definite refusal of a call that has changed nothing. */
export class Refusal extends Error {
  readonly reason: RejectionReason
  readonly shortages: readonly Shortage[] | undefined

  constructor(reason: RejectionReason, message: string, shortages?: readonly Shortage[]) {
    super(message)
    this.reason = reason
    this.shortages = shortages
  }
}

/** Turns a `Refusal` into the result of its operation. */
export async function refuseBy<T>(work: () => Promise<T>): Promise<ErpResult<T>> {
  try {
    return { ok: await work() }
  } catch (error) {
    if (error instanceof Refusal) return rejected(error.reason, error.message, error.shortages)
    throw error
  }
}

/** Runs one named step of a write: inside its deadline, and again while Tryton reports a lock. */
export async function takeStep<T>(
  { connector }: Orders,
  { reference, deadline }: Call,
  { name, run }: { readonly name: StepName; readonly run: () => Promise<T> },
): Promise<T> {
  const result = await deadline.run(name, run)
  await connector.onStep(name, reference)
  return result
}
