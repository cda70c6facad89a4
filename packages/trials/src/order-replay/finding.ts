import type { ShownOrder } from './books.ts'
import type { ErpRecord, Figures } from './erp-desk.ts'
import type { Shelves } from './opening.ts'
import type { Entry } from './placing.ts'

/** What can be wrong, each with what it means. */
export const faultKinds = {
  lost: 'the client was told that it exists, and the ERP does not have it',
  duplicated: 'it exists more than once',
  contradicted: 'the client was told something else than what is true',
  mismatched: 'gateway and ERP show it differently',
  mispriced: 'preview, submit, gateway and ERP do not agree on the total',
  refused: 'it could have been placed and was refused',
  oversold: 'more was sold than there was',
  held: 'it is still held after everything was shipped',
  miscounted: 'the stock is not what was sold',
  unbalanced: 'the statement does not add up, or charges something else',
  unknown: 'it has no definite outcome',
} as const

export type FaultKind = keyof typeof faultKinds

/** Something that is wrong. */
export interface Finding {
  readonly kind: FaultKind
  readonly subject: string
  readonly story: string
}

/** The figures of every SKU, by warehouse. */
export type Stock = ReadonlyMap<string, ReadonlyMap<string, Figures>>

/** Everything that is compared. */
export interface Books {
  readonly opening: Shelves
  readonly entries: readonly Entry[]
  readonly gateway: { readonly orders: readonly ShownOrder[]; readonly stock: Stock }
  readonly erp: { readonly documents: readonly ErpRecord[]; readonly stock: Stock }
}

/** Says that something is wrong. */
export function finding(kind: FaultKind, subject: string, story: string): Finding {
  return { kind, subject, story }
}
