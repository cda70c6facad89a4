import { minorUnits } from '@trade-gateway/connector'

/** Every kind of fault with its meaning. */
export const statementFaults = {
  amount: 'an amount is not a whole number of minor units',
  order: 'a transaction occurs twice, or is listed before a newer one',
  chain: 'a balance is not the previous balance plus the amount',
  page: 'the balances of a page do not match its rows',
  sum: 'the opening balance and the amounts do not sum to the closing balance',
  balance: 'the balance of the account is not that of its newest transaction',
  bill: 'a bill is not the sum of its transactions',
  refund: 'a refund and its transaction do not match',
  freight: 'a freight bill and its transaction do not match',
} as const

export type StatementFault = keyof typeof statementFaults

export interface Difference {
  readonly kind: StatementFault
  readonly subject: string
  readonly story: string
}

export function createDifference(kind: StatementFault, subject: string, story: string): Difference {
  return { kind, subject, story }
}

/** Converts an amount of the public API to minor units. */
export function toMinorUnits(amount: number, currency: string): number {
  return Math.round(amount * minorUnits(currency))
}
