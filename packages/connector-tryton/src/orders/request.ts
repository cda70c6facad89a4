/** Checks what an order or a hold asks for, before anything is written. */
import type { Input } from '@trade-gateway/connector'
import type { Sku } from '../catalogue.ts'
import { findWarehouse } from '../connector.ts'
import { type Customer, countsUnbilled, requireShop } from '../customers.ts'
import type { Warehouse } from '../places.ts'
import { type Destination, findDestination } from '../shipping.ts'
import { type Orders, Refusal } from './context.ts'

export type Request = Pick<
  Input<'quote'>,
  'order_type' | 'customer_code' | 'session' | 'lines' | 'warehouse_codes' | 'delivery' | 'payment_method'
>

export interface RequestedLine {
  readonly sku: Sku
  readonly quantity: number
}

export interface CheckedRequest {
  readonly request: Request
  readonly customer: Customer
  readonly lines: readonly RequestedLine[]
  readonly warehouses: readonly Warehouse[]
  /** Null for a reservation, which goes nowhere yet. */
  readonly destination: Destination | null
  readonly isServed: boolean
}

/** The largest order. On two busy cores, 200 lines took 27 s, and a write begins its last call within 25 s. */
export const maxOrderLines = 100
const payments: readonly string[] = ['balance', 'invoice']

/** Throws `Refusal` for the first thing that is not valid. */
export async function checkRequest(orders: Orders, request: Request): Promise<CheckedRequest> {
  const { connector } = orders
  const customer = await requireCustomer(orders, request)
  if (request.lines.length > maxOrderLines)
    throw new Refusal(
      'invalid_field',
      `An order has at most ${maxOrderLines} lines, not ${request.lines.length}.`,
    )
  if (!payments.includes(request.payment_method))
    throw new Refusal(
      'invalid_field',
      `Tryton does not take ${request.payment_method}: use balance or invoice.`,
    )
  if (request.payment_method === 'balance' && !countsUnbilled(connector.places))
    throw new Refusal(
      'invalid_field',
      'Tryton cannot say what is left of a balance: activate its module sale_credit_limit, or use invoice.',
    )
  const warehouses = request.warehouse_codes.map((code) => {
    const found = findWarehouse(connector, code)
    if (!found) throw new Refusal('not_found', `There is no warehouse ${code}.`)
    return found
  })
  const [lines, found] = await Promise.all([
    requireLines(orders, customer, request),
    request.delivery === null ? undefined : findDestination(connector, customer, request.delivery),
  ])
  if (found === undefined) return { request, customer, lines, warehouses, destination: null, isServed: true }
  if (found === 'not served')
    return { request, customer, lines, warehouses, destination: null, isServed: false }
  if ('refused' in found) throw new Refusal('invalid_field', found.refused)
  return { request, customer, lines, warehouses, destination: found.destination, isServed: true }
}

async function requireCustomer({ signIn }: Orders, { session, customer_code }: Request): Promise<Customer> {
  const customer = await signIn.findCustomer(session)
  if (!customer) throw new Refusal('session_expired', 'The session is not open. Sign in again.')
  if (customer.code !== customer_code)
    throw new Refusal('not_found', `The account has no customer ${customer_code}.`)
  return customer
}

/** A SKU that occurs twice becomes one line, because its stock is taken once. */
async function requireLines(
  { connector, stock }: Orders,
  customer: Customer,
  { lines }: Request,
): Promise<RequestedLine[]> {
  const quantities = new Map<string, number>()
  for (const { sku, quantity } of lines) quantities.set(sku, (quantities.get(sku) ?? 0) + quantity)
  const codes = [...quantities.keys()]
  const { skus, sold } = await stock.catalogue.readOffered(codes, requireShop(connector, customer.code))
  const found = new Map(skus.map((sku) => [sku.code, sku]))
  return codes.map((code) => {
    const sku = found.get(code)
    if (!sku) throw new Refusal('not_found', `There is no SKU ${code}.`)
    if (!sold.has(sku.id)) throw new Refusal('sku_blocked', `${customer.code} may not order ${code}.`)
    return { sku, quantity: quantities.get(code) ?? 0 }
  })
}
