/**
 * Where the gateway's references are in Tryton. An order is the sale with the reference as its `web_id`, which is unique
 * in the database. A hold is an internal shipment whose `reference` begins with it; this field is not unique, so holds
 * are created under a lock of this process. A cover is the stock of an order before its sale is confirmed.
 */
import { orderTypes } from '@trade-gateway/connector'

/** How a hold ended. `failed` marks an attempt that never held its stock, and is no document. */
export const holdMarks = ['consumed', 'released', 'expired', 'failed'] as const
export type HoldMark = (typeof holdMarks)[number]
type OrderType = (typeof orderTypes)[number]

export interface HoldText {
  readonly reference: string
  readonly orderType: OrderType
  readonly expiresAt: string
  /** The costs in minor units: goods, freight, tax and total. */
  readonly costs: readonly [goods: number, freight: number, tax: number, total: number]
  /** Tryton's id of the carrier; 0 without one. */
  readonly carrier: number
  /** The hold that this one replaces. */
  readonly replaces: string | undefined
  readonly mark: HoldMark | undefined
}

const holdPattern =
  /^([A-Za-z0-9-]{1,40}) (\w+) until (\S+) costs (\d+),(\d+),(\d+),(\d+) by (\d+)(?: instead of ([A-Za-z0-9-]{1,40}))?(?: (\w+))?$/

/** Formats the reference of an internal shipment: what the protocol says of a hold and Tryton has no field for. */
export function formatHoldText(text: HoldText): string {
  const { reference, orderType, expiresAt, costs, carrier, replaces, mark } = text
  const parts = [reference, orderType, 'until', expiresAt, 'costs', costs.join(), 'by', carrier]
  if (replaces !== undefined) parts.push('instead of', replaces)
  if (mark !== undefined) parts.push(mark)
  return parts.join(' ')
}

/** Parses what `formatHoldText` wrote; undefined for any other internal shipment. */
export function parseHoldText(text: string): HoldText | undefined {
  const match = holdPattern.exec(text)
  if (!match) return undefined
  const [, reference = '', type, expiresAt = '', goods, freight, tax, total, carrier, replaces, mark] = match
  const orderType = orderTypes.find((each) => each === type)
  const known = holdMarks.find((each) => each === mark)
  if (!orderType || (mark !== undefined && known === undefined)) return undefined
  const costs = [Number(goods), Number(freight), Number(tax), Number(total)] as const
  return { reference, orderType, expiresAt, costs, carrier: Number(carrier), replaces, mark: known }
}

const coverPrefix = 'cover '
export const formatCoverText = (reference: string) => `${coverPrefix}${reference}`
export const coverPattern = `${coverPrefix}%`
export function parseCoverText(text: string): string | undefined {
  return text.startsWith(coverPrefix) ? text.slice(coverPrefix.length) : undefined
}

/** Notes of the connector in a sale: the hold that the order consumes. */
const salePrefix = 'Trade Gateway'
export function formatSaleText(holdReference: string | null): string {
  return holdReference === null ? salePrefix : `${salePrefix}, from hold ${holdReference}`
}
export function parseSaleText(text: string | null | undefined): string | null {
  return /, from hold ([A-Za-z0-9-]{1,40})$/.exec(text ?? '')?.[1] ?? null
}

/** Whether a sale has the description that the connector gives it. Staff may change it. */
export function isSaleText(text: string | null | undefined): boolean {
  return text === salePrefix || text?.startsWith(`${salePrefix}, `) === true
}

/** The note of a line that was ordered with more units than were available, or with none of them. */
export const formatOrdered = (sku: string, productCode: string, quantity: number) =>
  `ordered ${quantity}: ${sku} of ${productCode}`
export function parseOrdered(
  text: string | null | undefined,
): { sku: string; productCode: string; quantity: number } | undefined {
  const match = /^ordered (\d+): (.+) of (.+)$/.exec(text ?? '')
  return match ? { quantity: Number(match[1]), sku: match[2] ?? '', productCode: match[3] ?? '' } : undefined
}
