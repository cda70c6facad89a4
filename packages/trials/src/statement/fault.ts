/** What can be wrong, each with what it means. */
export const statementFaults = {
  amount: 'an amount is no whole number of minor units',
  order: 'a transaction comes twice, or an older one before a newer one',
  chain: 'a balance does not follow from the one before it',
  page: 'a page does not open and close with the balances of its rows',
  sum: 'opening balance, amounts and closing balance do not add up',
  balance: 'the account does not have what its newest transaction left',
  bill: 'a bill is not what its transactions come to',
  refund: 'a refund and its transaction do not match',
  freight: 'a freight bill and its transaction do not match',
} as const

export type StatementFault = keyof typeof statementFaults

export interface Difference {
  readonly kind: StatementFault
  readonly subject: string
  readonly story: string
}

/** Says that something is wrong. */
export function difference(kind: StatementFault, subject: string, story: string): Difference {
  return { kind, subject, story }
}

/** An amount of the wire in minor units. */
export function minorOf(amount: number, currency: string): number {
  return Math.round(amount * unitsOf(currency))
}

/** How many minor units make one unit of a currency. */
export function unitsOf(currency: string): number {
  return currency === 'KRW' || currency === 'JPY' ? 1 : 100
}
