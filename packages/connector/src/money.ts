import { z } from 'zod'

/** The number of decimals of nearly all currencies. Unknown codes get it too, such as HRK in an old statement. */
const usualDecimals = 2

/**
 * The currencies of ISO 4217 that do not have two decimals. `Intl` is not used because it follows common practice
 * instead of ISO 4217: it reports no decimals for HUF and IDR. The test beside this file compares the list with
 * dinero.js, which saves a production dependency and detects outdated entries.
 */
const unusualDecimals = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const

const decimals: ReadonlyMap<string, number> = new Map(
  unusualDecimals.flatMap(([count, codes]) => codes.split(' ').map((code) => [code, count])),
)
/** Amounts in the public API have at most two decimals. */
const maxDecimals = 2

/** Returns the number of minor units in one unit of a currency. */
export function minorUnits(currency: string): number {
  return 10 ** lookUpDecimals(currency)
}

/** Converts minor units to the JSON number of the public API: at most two decimals, exact up to 2^53 minor units. */
export function amountOf(minor: number, currency: string): number {
  return minor / minorUnits(currency)
}

/**
 * The code of a currency in which an ERP may give amounts. A currency with three or four decimals is not valid, because
 * the public API would have to round it.
 */
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine((code) => lookUpDecimals(code) <= maxDecimals, {
    error: ({ input }) =>
      `${input} has ${lookUpDecimals(String(input))} decimals; amounts have at most ${maxDecimals}`,
  })

function lookUpDecimals(currency: string): number {
  return decimals.get(currency) ?? usualDecimals
}
