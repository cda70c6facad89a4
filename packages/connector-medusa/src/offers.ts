/**
 * Prices by quantity, chosen as Medusa chooses the price of a line in a cart. Medusa's Store API computes the price of
 * one unit only. Source: `calculatePrices` of Medusa's pricing module, 2.21.2. A quote proves the choice for one unit
 * against the price that Medusa itself computes (`toPriceAt`).
 */

/** A price that may be that of a line: of the variant itself, or of a price list. Its amount is in units of the currency. */
export interface Offer {
  readonly amount: number
  /** The least and the largest quantity that it is for, both inclusive; null is no limit. */
  readonly min: number | null
  readonly max: number | null
  /** The rules of the price and of its list. Each must have a value of the buyer's. */
  readonly rules: readonly Rule[]
  /** What its list does; undefined if it is of the variant itself. */
  readonly list?: 'sale' | 'override'
}

interface Rule {
  readonly attribute: string
  readonly values: readonly string[]
}

/** What Medusa's Store API knows of a customer when it computes a price. */
export interface Buyer {
  readonly regionId: string
  readonly groupIds: readonly string[]
}

/** How the attributes of rules that a quote knows are read. */
const readers = new Map<string, (buyer: Buyer) => readonly string[]>([
  ['region_id', ({ regionId }) => [regionId]],
  ['customer.groups.id', ({ groupIds }) => groupIds],
])

/** Whether an offer is for some quantities only. */
export function isTier({ min, max }: Offer): boolean {
  return (min ?? 0) > 1 || max !== null
}

/** Returns an attribute that a rule of the offers is about, and that no quote knows. */
export function findUnknownAttribute(offers: readonly Offer[]): string | undefined {
  return offers
    .flatMap(({ rules }) => rules)
    .map(({ attribute }) => attribute)
    .find((attribute) => !readers.has(attribute))
}

/** Chooses the price of a unit for a quantity. Undefined if none is for this buyer and quantity. */
export function chooseOffer(offers: readonly Offer[], quantity: number, buyer: Buyer): Offer | undefined {
  const open = offers
    .filter((offer) => isFor(offer, quantity) && offer.rules.every((rule) => isMet(rule, buyer)))
    .sort((one, other) => other.rules.length - one.rules.length || one.amount - other.amount)
  const own = open.find(({ list }) => list === undefined)
  const listed = open.find(({ list }) => list !== undefined)
  if (!listed || !own || listed.list === 'override') return listed ?? own
  return listed.amount <= own.amount ? listed : own
}

function isFor({ min, max }: Offer, quantity: number): boolean {
  return (min ?? 0) <= quantity && quantity <= (max ?? Number.POSITIVE_INFINITY)
}

function isMet({ attribute, values }: Rule, buyer: Buyer): boolean {
  return (
    readers
      .get(attribute)?.(buyer)
      .some((value) => values.includes(value)) ?? false
  )
}
