/** The largest running number that `inStoreBarcode` can write. */
export const mostBarcodes = 10 ** 10

/**
 * The EAN-13 of a running number, with the prefix 29. GS1 keeps 20 to 29 for numbers that mean something inside one
 * company only, so that an invented number can never be that of real goods (GS1 General Specifications).
 */
export function inStoreBarcode(number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= mostBarcodes) {
    throw new RangeError(`${number} does not fit into ten digits.`)
  }
  const digits = `29${String(number).padStart(10, '0')}`
  return `${digits}${checkDigit(digits)}`
}

/** The check digit of the first twelve digits of an EAN-13 (GS1 General Specifications). */
export function checkDigit(digits: string): number {
  let sum = 0
  for (let index = 0; index < 12; index++) sum += Number(digits.charAt(index)) * (index % 2 === 0 ? 1 : 3)
  return (10 - (sum % 10)) % 10
}
