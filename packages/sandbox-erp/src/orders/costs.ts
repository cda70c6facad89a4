import type { Costs } from '@trade-gateway/connector'
import type { AllocatedLine, Allocation } from './allocate.ts'
import { Refusal } from './context.ts'
import type { CheckedRequest } from './request.ts'

/** The maximum amount in minor units. With larger amounts, multiplications would no longer be exact. */
const maxAmount = 10 ** 13
const discountFrom = 500_000
const discountPercent = 2
const agreedPercent = 95
const dropshipHandling = 200
const taxPercent: Readonly<Record<string, number>> = { AUD: 10, CNY: 13 }
/**
 * The tariff if the shipping method has no price in the order's currency: an amount for each parcel and one for each
 * kilogram of the weight, which is rounded up, in minor units.
 */
const parcel = { normal: 900, express: 1_900 } as const
const kilogram = { normal: 150, express: 350 } as const
const abroadFactor = 3
const gramsPerKilogram = 1_000

/**
 * Computes the unit price for an account. Accounts with an even `rank` (their position in order of creation) pay 5 %
 * less than the list price.
 */
export function computeUnitPrice(list: number, rank: number): number {
  return rank % 2 === 1 ? list : computePercentage(list, agreedPercent)
}

/** Computes the price and total of a line, for the allocated units if `allowPartial`, else for all ordered units. */
export function priceLine(
  line: AllocatedLine,
  rank: number,
  allowPartial: boolean,
): { unit_price: number; line_total: number } {
  const unit_price = computeUnitPrice(line.list_price, rank)
  const line_total = unit_price * (allowPartial ? line.quantity_allocated : line.quantity)
  if (line_total > maxAmount)
    throw new Refusal('invalid_field', `The line ${line.sku} costs more than can be ordered.`)
  return { unit_price, line_total }
}

/** Computes the costs of an order, for the allocated units if `allowPartial`, else for all ordered units. */
export function computeCosts(checked: CheckedRequest, allocated: Allocation, allowPartial: boolean): Costs {
  const { account, request } = checked
  const charged = allocated.lines.map((line) => ({
    units: allowPartial ? line.quantity_allocated : line.quantity,
    weight_g: line.good.weight_g,
    total: priceLine(line, account.rank, allowPartial).line_total,
  }))
  const goods = charged.reduce((sum, { total }) => sum + total, 0)
  if (goods > maxAmount) throw new Refusal('invalid_field', 'The order costs more than can be ordered.')
  const weight = charged.reduce((sum, { units, weight_g }) => sum + units * weight_g, 0)
  const isNothing = charged.every(({ units }) => units === 0)
  const freight = isNothing ? 0 : computeFreight(checked, allocated, Math.ceil(weight / gramsPerKilogram))
  const handling = request.order_type === 'dropship' && !isNothing ? dropshipHandling : 0
  const isDiscounted = request.order_type === 'wholesale' && goods >= discountFrom
  const discount = isDiscounted ? computePercentage(goods, discountPercent) : 0
  const tax = computePercentage(goods - discount + freight + handling, taxPercent[allocated.currency] ?? 0)
  return { goods, freight, handling, tax, discount, total: goods + freight + handling + tax - discount }
}

function computeFreight(
  { journey }: CheckedRequest,
  { currency, country_code }: Allocation,
  kilograms: number,
): number {
  if (journey.kind !== 'delivery') return 0
  const service = journey.is_express ? 'express' : 'normal'
  const base = journey.price?.currency === currency ? journey.price.amount : parcel[service]
  const inside = base + kilograms * kilogram[service]
  const freight = journey.country_code === country_code ? inside : inside * abroadFactor
  if (freight > maxAmount) throw new Refusal('invalid_field', 'The order is too heavy to be sent.')
  return freight
}

/** Computes a percentage of an amount, rounded half up. */
function computePercentage(amount: number, percent: number): number {
  const whole = 100
  return Math.floor((amount * percent + whole / 2) / whole)
}
