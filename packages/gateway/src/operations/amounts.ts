import type { Costs } from '@trade-gateway/connector'
import { z } from 'zod'
import { price } from '../contract/fields.ts'
import type { Gateway } from '../gateway.ts'
import { amountOf, minorUnits } from '../kernel/money.ts'

/** Costs on the wire: numbers with at most 2 decimals; `total` = goods + freight + handling + tax − discount. */
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

/** An amount in a request: at most 2 decimals. */
export const amountField = z
  .number()
  .min(0)
  .max(1_000_000_000_000)
  .refine((amount) => Math.abs(Math.round(amount * 100) - amount * 100) < 1e-6)
  .meta({ description: 'At most 2 decimals' })

/** Costs from minor units to the wire. */
export function costsShown(costs: Costs, code: string): Costs {
  return {
    goods: amountOf(costs.goods, code),
    freight: amountOf(costs.freight, code),
    handling: amountOf(costs.handling, code),
    tax: amountOf(costs.tax, code),
    discount: amountOf(costs.discount, code),
    total: amountOf(costs.total, code),
  }
}

/** An amount of a request in minor units; a request names no currency, so it is kept in hundredths until one is known. */
export function hundredths(amount: number): number {
  return Math.round(amount * 100)
}

/** All allocations of one document are of one currency: that of its first warehouse bounds it well enough. */
export function boundIn(gateway: Gateway, hundredthsOf: number, warehouses: readonly string[]): number {
  return minorOf(hundredthsOf, gateway.mirror.stock.warehouse(warehouses[0] ?? '')?.currency ?? 'AUD')
}

/** Hundredths as minor units of a currency: rounded down, because they bound what is charged. */
export function minorOf(hundredthsOf: number, code: string): number {
  return Math.floor((hundredthsOf * minorUnits(code)) / 100)
}
