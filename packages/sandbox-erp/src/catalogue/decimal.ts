/** A decimal as it stands in a file: a sign, at most twelve whole digits, at most ten behind the point. */
const decimalPattern = /^(-?)(\d{1,12})(?:\.(\d{1,10}))?$/

/**
 * A decimal in major units as an integer of minor units, two to the power of ten, halves away from zero:
 * `"2.555"` is 256. Digit by digit, because a floating-point number would turn 1.005 into 1.00. Undefined for a
 * text that is no such decimal.
 */
export function minorUnits(decimal: string): number | undefined {
  const match = decimalPattern.exec(decimal)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = ''] = match
  const cents = Number(whole + fraction.padEnd(2, '0').slice(0, 2)) + (fraction.charAt(2) >= '5' ? 1 : 0)
  return sign === '-' && cents > 0 ? -cents : cents
}

/** How many digits stand behind the point. */
export function decimalPlaces(decimal: string): number {
  return decimal.includes('.') ? decimal.length - decimal.indexOf('.') - 1 : 0
}

/** An integer of minor units, not negative, as a decimal in major units with two places: 255 is `"2.55"`. */
export function decimalText(minor: number): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
