import type { Offer } from '../src/offers.ts'

/** Creates a price for everybody and any quantity, apart from `more`. */
export function createOffer(amount: number, more: Partial<Offer> = {}): Offer {
  return { amount, min: null, max: null, rules: [], ...more }
}
