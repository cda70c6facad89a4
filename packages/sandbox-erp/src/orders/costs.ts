import type { Costs } from '@trade-gateway/connector'
import type { Allocated, AllocatedLine } from './allocate.ts'
import { Refusal } from './desk.ts'
import type { Understood } from './request.ts'

/** Above this, sums in minor units would no longer be exact where they are multiplied. */
const mostGoods = 10 ** 13
const discountFrom = 500_000
const discountPercent = 2
const agreedPercent = 95
const dropshipHandling = 200
const taxPercent: Readonly<Record<string, number>> = { AUD: 10, CNY: 13 }
/** Where the method does not say it: what a parcel costs, and each started kilogram of it, in minor units. */
const parcel = { normal: 900, express: 1_900 } as const
const kilogram = { normal: 150, express: 350 } as const
const abroadFactor = 3
const gramsPerKilogram = 1_000

/** What an account pays for one unit: even accounts have agreed on 5 % under the list. */
export function unitPrice(list: number, rank: number): number {
  return rank % 2 === 1 ? list : percentOf(list, agreedPercent)
}

/** A line's price and total: of what it is allocated, or of all that was ordered. */
export function pricesOf(
  line: AllocatedLine,
  rank: number,
  allowPartial: boolean,
): { unit_price: number; line_total: number } {
  const unit_price = unitPrice(line.list_price, rank)
  const line_total = unit_price * (allowPartial ? line.quantity_allocated : line.quantity)
  if (line_total > mostGoods)
    throw new Refusal('invalid_field', `The line ${line.sku} costs more than can be ordered.`)
  return { unit_price, line_total }
}

/** What an order costs: of what is allocated with `allowPartial`, else of all that was ordered. */
export function costsOf(understood: Understood, allocated: Allocated, allowPartial: boolean): Costs {
  const { account, request } = understood
  const charged = allocated.lines.map((line) => ({
    units: allowPartial ? line.quantity_allocated : line.quantity,
    weight_g: line.good.weight_g,
    total: pricesOf(line, account.rank, allowPartial).line_total,
  }))
  const goods = charged.reduce((sum, { total }) => sum + total, 0)
  if (goods > mostGoods) throw new Refusal('invalid_field', 'The order costs more than can be ordered.')
  const weight = charged.reduce((sum, { units, weight_g }) => sum + units * weight_g, 0)
  const isNothing = charged.every(({ units }) => units === 0)
  const freight = isNothing ? 0 : freightOf(understood, allocated, Math.ceil(weight / gramsPerKilogram))
  const handling = request.order_type === 'dropship' && !isNothing ? dropshipHandling : 0
  const isDiscounted = request.order_type === 'wholesale' && goods >= discountFrom
  const discount = isDiscounted ? percentOf(goods, discountPercent) : 0
  const tax = percentOf(goods - discount + freight + handling, taxPercent[allocated.currency] ?? 0)
  return { goods, freight, handling, tax, discount, total: goods + freight + handling + tax - discount }
}

function freightOf(
  { journey }: Understood,
  { currency, country_code }: Allocated,
  kilograms: number,
): number {
  if (journey.kind !== 'delivery') return 0
  const service = journey.is_express ? 'express' : 'normal'
  const base = journey.price?.currency === currency ? journey.price.amount : parcel[service]
  const inside = base + kilograms * kilogram[service]
  const freight = journey.country_code === country_code ? inside : inside * abroadFactor
  if (freight > mostGoods) throw new Refusal('invalid_field', 'The order is too heavy to be sent.')
  return freight
}

/** Rounded half up. */
function percentOf(amount: number, percent: number): number {
  const whole = 100
  return Math.floor((amount * percent + whole / 2) / whole)
}
