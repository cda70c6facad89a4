import { minorUnits } from '@trade-gateway/connector'

/** Converts an amount of Medusa, a decimal in units of the currency, to minor units. */
export function toMinor(amount: number, currency: string): number {
  // Corrects what binary fractions lose: 1.005 * 100 is 100.49999999999999.
  return Math.round(Number((amount * minorUnits(currency)).toPrecision(15)))
}

/** Converts minor units to an amount of Medusa. */
export function toUnits(minor: number, currency: string): number {
  return minor / minorUnits(currency)
}
