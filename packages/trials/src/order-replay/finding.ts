import type { GatewayOrder } from './gateway-orders.ts'
import type { Entry } from './place-order.ts'
import type { ErpRecord, Figures, StockByWarehouse } from './replay-erp.ts'

/** Every kind of finding with its meaning. */
export const findingKinds = {
  lost: 'the client received a confirmation of the order, but the ERP does not have it',
  duplicated: 'the order exists more than once',
  contradicted: 'the client got a response that is not true',
  mismatched: 'the gateway and the ERP show different data',
  mispriced: 'preview, submit, gateway and ERP do not agree on the total',
  refused: 'the order was refused although it could have been placed',
  oversold: 'more was sold than was in stock',
  held: 'stock is still held after everything was shipped',
  miscounted: 'the stock does not match the sales',
  unbalanced: 'the statement is inconsistent or charges another amount',
  missed: 'a follower missed a change of the stock or an event',
  ran_back: 'a cursor of the change feed went back',
  resynced: 'a follower had to read everything again',
  impossible: 'the history of calls and books cannot have happened in any order',
  unknown: 'the outcome is unknown',
} as const

export type FindingKind = keyof typeof findingKinds

/** An inconsistency that the reconciliation found. */
export interface Finding {
  readonly kind: FindingKind
  readonly subject: string
  readonly story: string
}

/** The figures of every SKU, by warehouse. */
export type Stock = ReadonlyMap<string, ReadonlyMap<string, Figures>>

/** All records that are compared. */
export interface Books {
  readonly opening: StockByWarehouse
  readonly entries: readonly Entry[]
  readonly gateway: { readonly orders: readonly GatewayOrder[]; readonly stock: Stock }
  readonly erp: { readonly documents: readonly ErpRecord[]; readonly stock: Stock }
}

export function createFinding(kind: FindingKind, subject: string, story: string): Finding {
  return { kind, subject, story }
}
