/** How many minor units make one unit of a currency (ISO 4217). */
export function minorUnits(currency: string): number {
  return currency === 'KRW' || currency === 'JPY' ? 1 : 100
}

/** An amount in minor units as the JSON number of the wire: at most two decimals, exact up to 2^53 minor units. */
export function amountOf(minor: number, currency: string): number {
  return minor / minorUnits(currency)
}
