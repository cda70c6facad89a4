/** A decimal number in a file: an optional minus sign, at most twelve integer digits and ten decimals. */
const decimalPattern = /^(-?)(\d{1,12})(?:\.(\d{1,10}))?$/

/**
 * Converts a decimal in major units to an integer in minor units, with two decimals and halves rounded away from zero:
 * `"2.555"` is 256. It works on the digits, because floating-point arithmetic would round 1.005 to 1.00. Undefined if
 * the text does not match `decimalPattern`.
 */
export function parseMinorUnits(decimal: string): number | undefined {
  const match = decimalPattern.exec(decimal)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = ''] = match
  const cents = Number(whole + fraction.padEnd(2, '0').slice(0, 2)) + (fraction.charAt(2) >= '5' ? 1 : 0)
  return sign === '-' && cents > 0 ? -cents : cents
}

/** Counts the digits after the decimal point. */
export function countDecimals(decimal: string): number {
  return decimal.includes('.') ? decimal.length - decimal.indexOf('.') - 1 : 0
}

/** Formats a non-negative integer of minor units with two decimals: 255 is `"2.55"`. */
export function formatDecimal(minor: number): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
