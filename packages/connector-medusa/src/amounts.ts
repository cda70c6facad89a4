import { minorUnits } from '@trade-gateway/connector'

/** The decimals of a minor unit that count when an amount is rounded. */
const fractionDigits = 6

/** Converts an amount of Medusa, a decimal in units of the currency, to minor units. */
export function toMinor(amount: number, currency: string): number {
  // Corrects what binary fractions lose, also in a sum: 1.005 * 100 is 100.49999999999999. Prices and rates have few decimals.
  return Math.round(Number((amount * minorUnits(currency)).toFixed(fractionDigits)))
}

/** Converts minor units to an amount of Medusa. */
export function toUnits(minor: number, currency: string): number {
  return minor / minorUnits(currency)
}
