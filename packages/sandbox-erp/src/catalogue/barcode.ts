/** `createInStoreBarcode` accepts running numbers below this one. */
export const maxBarcodes = 10 ** 10

/**
 * Creates the EAN-13 of a running number with the prefix 29. GS1 reserves 20 to 29 for numbers inside one company, so
 * the barcode can never belong to real goods (GS1 General Specifications).
 */
export function createInStoreBarcode(number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= maxBarcodes) {
    throw new RangeError(`${number} does not fit into ten digits.`)
  }
  const digits = `29${String(number).padStart(10, '0')}`
  return `${digits}${computeCheckDigit(digits)}`
}

/** Computes the check digit of the first twelve digits of an EAN-13 (GS1 General Specifications). */
export function computeCheckDigit(digits: string): number {
  let sum = 0
  for (let index = 0; index < 12; index++) sum += Number(digits.charAt(index)) * (index % 2 === 0 ? 1 : 3)
  return (10 - (sum % 10)) % 10
}
