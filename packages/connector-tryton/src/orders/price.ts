/**
 * What an order costs, by the calls that Tryton's own form makes while somebody fills it in, and by the prices that it
 * computes. They create nothing, and their total is that of the order.
 */
import type { Costs } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import type { Header } from '../forms.ts'
import type { Carrier } from '../places.ts'
import type { Destination } from '../shipping.ts'
import { decimal, fromMinor, id, toDecimal, toMinor } from '../values.ts'
import { Refusal } from './context.ts'
import type { RequestedLine } from './request.ts'

/** The most calls of one order that Tryton computes side by side. */
const maxAtOnce = 4
/** Tryton keeps four decimals of a unit price. */
const unitPriceUnits = 10_000

const totals = z.object({ untaxed_amount: decimal, tax_amount: decimal, total_amount: decimal })

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
  const pricingFreight = carrier && priceFreight(connector, header, carrier)
  // A failure of the lines comes first; that of the freight is awaited after them.
  pricingFreight?.catch(() => undefined)
  const priced = await priceLines(connector, header, lines)
  const pricedFreight = await pricingFreight
  const goods = priced.filter((line) => line.quantity > 0).map((line) => toFormLine(connector, line))
  const change = { ...header, lines: pricedFreight ? [...goods, pricedFreight.line] : goods }
  const [sums] = await connector.rpc.call('model.sale.sale.on_change', [change, ['lines']], z.array(totals))
  if (!sums) throw new Error('Tryton computed no total.')
  const toAmount = (text: string) => toMinor(text, places.minorUnits)
  const total = toAmount(sums.total_amount)
  const tax = toAmount(sums.tax_amount)
  const freight = pricedFreight?.price ?? 0
  const costs = { goods: total - tax - freight, freight, handling: 0, tax, discount: 0, total }
  return { header, lines: priced, costs }
}

/** Fills the header as the form does when the customer is chosen: payment term, price list and addresses. */
export async function fillHeader({ forms, places }: Connector, parties: Parties): Promise<Header> {
  const { customer, destination } = parties
  const empty = {
    ...{ company: places.company, currency: places.currencyId, party: customer.id, warehouse: null },
    ...{ invoice_party: null, shipment_party: null, invoice_address: null, shipment_address: null },
    ...{ payment_term: null, price_list: null, sale_date: null, lines: [], shipment_cost_method: 'order' },
    carrier: destination?.carrier.id ?? null,
  }
  const change = await forms.fillParty(empty)
  if (!change?.invoice_address)
    throw new Refusal('invalid_field', `The customer ${customer.code} has no address for invoices in Tryton.`)
  const { invoice_address, payment_term = null, price_list = null } = change
  return {
    ...empty,
    ...{ invoice_address, payment_term, price_list },
    shipment_address: destination?.address ?? invoice_address,
  }
}

/**
 * Prices lines as the form of each would. Tryton takes 20 ms and more for the form of one line, and 2 to 3 ms for the price
 * of one of many products. So the prices are read together, with the context that the form has, and a form is filled in
 * for each accounting category only.
 */
async function priceLines(
  connector: Connector,
  header: Header,
  lines: readonly PriceableLine[],
): Promise<PricedLine[]> {
  const taxes = await readTaxes(connector, header, lines)
  const open = lines.filter(({ heldPrice }) => heldPrice === undefined)
  const prices = await readUnitPrices(connector, header, { lines: open, taxes })
  return lines.map((line) => {
    const { sku, quantity, heldPrice } = line
    const unitPrice = heldPrice ?? prices.get(sku.id)
    if (unitPrice === undefined)
      throw new Refusal('invalid_field', `Tryton has no price of ${sku.code} for this customer.`)
    const amount = multiply(unitPrice, quantity, connector.places.minorUnits)
    return { ...line, unitPrice, amount, taxes: taxes.get(sku.id) ?? [] }
  })
}

type TaxesOfSkus = ReadonlyMap<number, readonly number[]>

/** Finds the taxes of each SKU in this sale. They are those of the accounting category, by the customer's rule. */
async function readTaxes(
  { forms }: Connector,
  header: Header,
  lines: readonly PriceableLine[],
): Promise<TaxesOfSkus> {
  const groups = [...Map.groupBy(lines, ({ sku }) => sku.category).values()]
  const taxed = await mapInTurns(groups, async (group) => {
    const [first] = group
    if (!first) return []
    const { id: product, unit, category } = first.sku
    const taxes = await forms.readTaxes(header, { product, unit, taxedAs: `category ${category}` })
    return group.map(({ sku }) => [sku.id, taxes] as const)
  })
  return new Map(taxed.flat())
}

/** Reads the unit price of each SKU for its quantity, by Tryton's id. A SKU without a price is left out. */
async function readUnitPrices(
  { rpc }: Connector,
  header: Header,
  { lines, taxes }: { readonly lines: readonly PriceableLine[]; readonly taxes: TaxesOfSkus },
): Promise<ReadonlyMap<number, string>> {
  const { price_list, party: customer, currency } = header
  const row = z.object({ id, sale_price_uom: decimal.nullish() })
  const groups = Map.groupBy(lines, ({ sku, quantity }) => `${quantity}:${taxes.get(sku.id)}`)
  const found = await mapInTurns([...groups.values()], (group) => {
    const [{ sku, quantity } = { sku: { id: 0 }, quantity: 0 }] = group
    const context = {
      price_list,
      customer,
      currency,
      quantity: Math.max(1, quantity),
      taxes: taxes.get(sku.id),
    }
    const domain = [['id', 'in', group.map((line) => line.sku.id)]]
    return rpc.searchRead('product.product', domain, row, { fields: ['sale_price_uom'], context })
  })
  const prices = found
    .flat()
    .flatMap((each) => (each.sale_price_uom ? [[each.id, each.sale_price_uom] as const] : []))
  return new Map(prices.map(([product, price]) => [product, roundUnitPrice(price)]))
}

/** Works on all items, on a few of them at the same time. */
async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += maxAtOnce)
    results.push(...(await Promise.all(items.slice(from, from + maxAtOnce).map(work))))
  return results
}

/** Rounds a unit price to four decimals, half to even, as Tryton does. */
export function roundUnitPrice(price: string): string {
  const units = toMinor(price, unitPriceUnits)
  const isTie = /\.\d{4}50*$/.test(price)
  const isUp = isTie && units % 2 !== 0
  return fromMinor(isUp ? units - Math.sign(units) : units, unitPriceUnits).decimal
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

/**
 * Freight is a line of the carrier's product, at the carrier's price instead of the customer's. Undefined if it costs
 * nothing: Tryton adds no line then.
 */
async function priceFreight({ forms, places }: Connector, header: Header, { product }: Carrier) {
  const price = toMinor(await forms.readFreightPrice(product), places.minorUnits)
  if (price <= 0) return undefined
  const amount = fromMinor(price, places.minorUnits)
  const taxes = await forms.readTaxes(header, { product, unit: null, taxedAs: `product ${product}` })
  return { price, line: { type: 'line', product, quantity: 1, unit_price: amount, amount, taxes } }
}
