import type { Costs } from '@trade-gateway/connector'
import { z } from 'zod'
import { price } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'
import { amountOf, minorUnits } from '../kernel/money.ts'

/** Costs in a response, with at most 2 decimals. `total` = goods + freight + handling + tax − discount. */
export const costsField = z
  .object({ goods: price, freight: price, handling: price, tax: price, discount: price, total: price })
  .meta({ id: 'Costs' })

const day = z.iso.date()
export const arrivalField = z
  .object({
    earliest_ship_date: day,
    latest_ship_date: day,
    earliest_arrival_date: day,
    latest_arrival_date: day,
  })
  .meta({ id: 'Arrival' })

/**
 * How far a client's sum in floating point may be from its decimals: at least, for a small difference of large amounts;
 * relative to it, for hundreds of lines; and at most.
 */
const sumNoise = { least: 1e-10, relative: 1e-13, most: 1e-5 }

function hasTwoDecimals(amount: number): boolean {
  const off = Math.abs(Math.round(amount * 100) / 100 - amount)
  return off <= Math.min(Math.max(sumNoise.least, amount * sumNoise.relative), sumNoise.most)
}

/** An amount in a request: at most 2 decimals, but for the noise of a sum such as 0.1 + 0.2. */
export const amountField = z
  .number()
  .min(0)
  .max(1_000_000_000_000)
  .refine(hasTwoDecimals)
  .meta({ description: 'At most 2 decimals' })

/** Converts costs from minor units to currency units. */
export function toCostsJson(costs: Costs, code: string): Costs {
  return {
    goods: amountOf(costs.goods, code),
    freight: amountOf(costs.freight, code),
    handling: amountOf(costs.handling, code),
    tax: amountOf(costs.tax, code),
    discount: amountOf(costs.discount, code),
    total: amountOf(costs.total, code),
  }
}

/**
 * Converts a request's amount to hundredths. A request does not specify its currency, so the minor unit is not known
 * yet.
 */
export function toHundredths(amount: number): number {
  return Math.round(amount * 100)
}

export function toHundredthsOrNull(amount: number | null): number | null {
  return amount === null ? null : toHundredths(amount)
}

/**
 * Converts a limit in hundredths to minor units. All allocations of one document share a currency, but the ERP chooses
 * their warehouse: if the currencies have different minor units, the lowest limit counts, so that it is never exceeded.
 */
export function toMinorBound(gateway: Gateway, hundredthsOf: number, warehouses: readonly string[]): number {
  const readCurrency = (code: string) => gateway.mirror.stock.warehouse(code)?.currency ?? 'AUD'
  const codes = warehouses.length === 0 ? [''] : warehouses
  return Math.min(...codes.map((code) => toMinorUnits(hundredthsOf, readCurrency(code))))
}

/** Converts hundredths to minor units, rounded down because the result limits what the ERP may charge. */
export function toMinorUnits(hundredthsOf: number, code: string): number {
  return Math.floor((hundredthsOf * minorUnits(code)) / 100)
}
