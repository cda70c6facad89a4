/**
 * What an order costs, by the calls that Tryton's own form makes while somebody fills it in. They compute and create
 * nothing, and their total is that of the order.
 */
import type { Costs } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import type { Carrier } from '../places.ts'
import type { Destination } from '../shipping.ts'
import { decimal, fromMinor, ids, toDecimal, toMinor } from '../values.ts'
import { Refusal } from './context.ts'
import type { RequestedLine } from './request.ts'

/** Tryton computes the lines of one order side by side, at most so many. */
const maxAtOnce = 4
/** Tryton keeps four decimals of a unit price. */
const unitPriceUnits = 10_000

const partyChange = z.looseObject({
  invoice_address: z.int().nullish(),
  payment_term: z.int().nullish(),
  price_list: z.int().nullish(),
})
const lineChange = z.looseObject({
  unit_price: decimal.nullish(),
  amount: decimal.nullish(),
  taxes: z.object({ add: z.array(z.tuple([z.int(), z.object({ id: z.int() })])) }).nullish(),
})
const totals = z.object({ untaxed_amount: decimal, tax_amount: decimal, total_amount: decimal })

/** The values of a sale that are the same for pricing and for creating it. */
export type Header = Readonly<Record<string, unknown>>

export interface PricedLine extends RequestedLine {
  /** A decimal with up to four places. */
  readonly unitPrice: string
  readonly amount: number
  readonly taxes: readonly number[]
}

export interface PricedOrder {
  readonly header: Header
  readonly lines: readonly PricedLine[]
  readonly costs: Costs
}

interface Parties {
  readonly customer: Customer
  readonly destination: Destination | null
}

export interface PriceableLine extends RequestedLine {
  /** The unit price that a hold keeps. */
  readonly heldPrice?: string | undefined
}

/** Prices the lines of an order. A line without units has its price, and costs nothing. */
export async function priceOrder(
  connector: Connector,
  header: Header,
  { lines, carrier }: { readonly lines: readonly PriceableLine[]; readonly carrier: Carrier | undefined },
): Promise<PricedOrder> {
  const { places } = connector
  const price = toMinor(carrier?.price ?? '0', places.minorUnits)
  const pricingFreight =
    carrier && price > 0 ? priceFreight(connector, header, carrier.product, price) : undefined
  // A failure of the lines comes first; that of the freight is awaited after them.
  pricingFreight?.catch(() => undefined)
  const priced: PricedLine[] = []
  for (let from = 0; from < lines.length; from += maxAtOnce) {
    const some = lines.slice(from, from + maxAtOnce)
    priced.push(...(await Promise.all(some.map((line) => priceLine(connector, header, line)))))
  }
  const freightLine = await pricingFreight
  const goods = priced.filter((line) => line.quantity > 0).map((line) => toFormLine(connector, line))
  const change = { ...header, lines: freightLine ? [...goods, freightLine] : goods }
  const [sums] = await connector.rpc.call('model.sale.sale.on_change', [change, ['lines']], z.array(totals))
  if (!sums) throw new Error('Tryton computed no total.')
  const toAmount = (text: string) => toMinor(text, places.minorUnits)
  const total = toAmount(sums.total_amount)
  const tax = toAmount(sums.tax_amount)
  const freight = freightLine ? price : 0
  const costs = { goods: total - tax - freight, freight, handling: 0, tax, discount: 0, total }
  return { header, lines: priced, costs }
}

/** Fills the header as the form does when the customer is chosen: payment term, price list and addresses. */
export async function fillHeader({ rpc, places }: Connector, parties: Parties): Promise<Header> {
  const { customer, destination } = parties
  const empty = {
    ...{ company: places.company, currency: places.currencyId, party: customer.id, warehouse: null },
    ...{ invoice_party: null, shipment_party: null, invoice_address: null, shipment_address: null },
    ...{ payment_term: null, price_list: null, sale_date: null, lines: [], shipment_cost_method: 'order' },
    carrier: destination?.carrier.id ?? null,
  }
  const [change] = await rpc.call('model.sale.sale.on_change', [empty, ['party']], z.array(partyChange))
  if (!change?.invoice_address)
    throw new Refusal('invalid_field', `The customer ${customer.code} has no address for invoices in Tryton.`)
  const { invoice_address, payment_term = null, price_list = null } = change
  return {
    ...empty,
    ...{ invoice_address, payment_term, price_list },
    shipment_address: destination?.address ?? invoice_address,
  }
}

async function priceLine(
  { rpc, places }: Connector,
  header: Header,
  line: PriceableLine,
): Promise<PricedLine> {
  const { sku, quantity, heldPrice } = line
  const values = {
    ...{ type: 'line', product: sku.id, unit: sku.unit, unit_price: null, taxes: [], sale: header },
    quantity: Math.max(1, quantity),
  }
  const [change] = await rpc.call('model.sale.line.on_change', [values, ['product']], z.array(lineChange))
  const unitPrice = heldPrice ?? change?.unit_price
  if (unitPrice === undefined || unitPrice === null)
    throw new Refusal('invalid_field', `Tryton has no price of ${sku.code} for this customer.`)
  const taxes = ids.parse((change?.taxes?.add ?? []).map(([, tax]) => tax.id))
  const amount = multiply(unitPrice, quantity, places.minorUnits)
  return { ...line, unitPrice, amount, taxes }
}

/** Multiplies a unit price, and rounds to minor units, half to even, as Tryton rounds amounts. */
export function multiply(unitPrice: string, quantity: number, minorUnits: number): number {
  const scaled = BigInt(toMinor(unitPrice, unitPriceUnits)) * BigInt(quantity)
  const divisor = BigInt(unitPriceUnits / minorUnits)
  const [whole, rest] = [scaled / divisor, scaled % divisor]
  const isUp = rest * 2n > divisor || (rest * 2n === divisor && whole % 2n === 1n)
  return Number(isUp ? whole + 1n : whole)
}

function toFormLine({ places }: Connector, { sku, quantity, unitPrice, amount, taxes }: PricedLine) {
  return {
    ...{ type: 'line', product: sku.id, unit: sku.unit, quantity, taxes },
    unit_price: toDecimal(unitPrice),
    amount: fromMinor(amount, places.minorUnits),
  }
}

/** Freight is a line of the carrier's product, at the carrier's price instead of the customer's. */
async function priceFreight({ rpc, places }: Connector, header: Header, product: number, price: number) {
  const values = { type: 'line', product, quantity: 1, unit_price: null, taxes: [], sale: header, unit: null }
  const [change] = await rpc.call('model.sale.line.on_change', [values, ['product']], z.array(lineChange))
  const amount = fromMinor(price, places.minorUnits)
  const taxes = (change?.taxes?.add ?? []).map(([, tax]) => tax.id)
  return { type: 'line', product, quantity: 1, unit_price: amount, amount, taxes }
}
