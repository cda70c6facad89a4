/** Every kind of anomaly with its meaning. */
export const anomalies = {
  lost: 'an order that was confirmed is not in the ERP’s books',
  duplicated: 'an order is in the ERP’s books more than once',
  order: 'what clients and books say of an order cannot have happened in any order of time',
  stock: 'what was taken of a SKU cannot have been there',
  hold: 'an order was refused for want of stock that a hold had for it',
  G0: 'transactions wrote each other’s rows in a circle',
  G1a: 'a transaction read what a refused transaction wrote',
  G1b: 'a transaction read a version that its writer replaced itself',
  G1c: 'transactions depend on each other in a circle of writes and reads',
  'G-single': 'a transaction read one row before and another one after the same write: read skew',
  G2: 'transactions read what the other one replaced, in a circle',
  'lost-update': 'two transactions replaced the same version of a row',
  unwritten: 'a client read a version that no transaction wrote',
  'two-values': 'a version has two values',
  'version-back': 'a client read an older version after a newer one',
  'stale-read': 'a client did not read its own write',
  'event-missing': 'an event never reached an inbox',
  'event-order': 'events of one subject reached an inbox in the wrong order',
  'event-untrue':
    'there is an event for something that did not happen, or none or two for something that did',
  undecided: 'the search was given up at its bound, so nothing is known',
} as const

export type Anomaly = keyof typeof anomalies

/** A violation, with the lines of the smallest part of the history that shows it. */
export interface Violation {
  readonly anomaly: Anomaly
  /** The order, SKU, warehouse or inbox. */
  readonly key: string
  readonly story: string
  /** The operations concerned, in their order, as sentences. */
  readonly witness: readonly string[]
}
