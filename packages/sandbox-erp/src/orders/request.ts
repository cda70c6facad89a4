import type { ErpWarehouse, Input } from '@trade-gateway/connector'
import { findAccount, type SessionAccount } from '../accounts.ts'
import { type OrderContext, Refusal } from './context.ts'
import { type OrderedSku, readGoods } from './goods.ts'
import { type Journey, planJourney } from './journey.ts'

/** The common fields of quote, hold and submit. */
export type Request = Omit<Input<'quote'>, 'allow_partial' | 'hold_reference'>

/** A validated request with the data that it refers to. */
export interface CheckedRequest {
  readonly request: Request
  readonly account: SessionAccount
  /** The usable warehouses, the most preferred first. */
  readonly warehouses: readonly ErpWarehouse[]
  readonly goods: ReadonlyMap<string, OrderedSku>
  readonly journey: Journey
}

/**
 * Validates a request. Throws a `Refusal`: `session_expired`; `not_found` for another customer and for unknown SKUs,
 * methods, addresses and warehouses; `sku_blocked`; `invalid_field` for fields that contradict each other.
 */
export function checkRequest(context: OrderContext, request: Request): CheckedRequest {
  const { store, clock } = context
  const account = findAccount(store, clock, request.session)
  if (!account) throw new Refusal('session_expired', 'The session is unknown or has expired: sign in again.')
  const { customer_code } = account
  if (customer_code !== request.customer_code) {
    throw new Refusal('not_found', `The account has no customer ${request.customer_code}.`)
  }
  const skus = request.lines.map(({ sku }) => sku)
  const twice = skus.find((sku, index) => skus.indexOf(sku) !== index)
  if (twice !== undefined) throw new Refusal('invalid_field', `${twice} is on two lines.`)
  requireMatchingDelivery(request)
  const journey = planJourney(store, customer_code, request.delivery)
  const all = readWarehouses(store)
  const codes = all.map(({ warehouse_code }) => warehouse_code)
  const goods = readGoods(store, { customer: customer_code, skus, warehouses: codes })
  const warehouses = selectWarehouses(request, journey, sortByPreference(all, account.rank))
  return { request, account, warehouses, goods, journey }
}

/** Reads the warehouses of the ERP, sorted by code. */
export function readWarehouses(store: OrderContext['store']): ErpWarehouse[] {
  return store.all('select * from warehouses order by warehouse_code').map((row) => ({
    warehouse_code: String(row.warehouse_code),
    name: String(row.name),
    country_code: String(row.country_code),
    timezone: String(row.timezone),
    currency: String(row.currency),
    status: row.status === 'closed' ? 'closed' : 'active',
  }))
}

/** Requires that the delivery matches the order type: to an address, to a recipient, or none. */
function requireMatchingDelivery({ order_type, delivery }: Request) {
  const wanted = { wholesale: 'address', dropship: 'recipient', reservation: undefined }[order_type]
  if (delivery?.to === wanted) return
  const sentence = wanted === undefined ? 'has no delivery' : `requires delivery.to = "${wanted}"`
  throw new Refusal('invalid_field', `A ${order_type} order ${sentence}.`)
}

/**
 * Sorts warehouses by the account's preference. Accounts with an odd rank use the warehouses of each country in order
 * of their codes, those with an even rank in reverse. The country of the first warehouse comes first.
 */
function sortByPreference(warehouses: readonly ErpWarehouse[], rank: number): ErpWarehouse[] {
  const countries = Map.groupBy(warehouses, ({ country_code }) => country_code)
  return [...countries.values()].flatMap((inCountry) => (rank % 2 === 1 ? inCountry : inCountry.toReversed()))
}

function selectWarehouses(
  request: Request,
  journey: Journey,
  inOrder: readonly ErpWarehouse[],
): ErpWarehouse[] {
  const requested = new Set(request.warehouse_codes)
  const allowed = inOrder.filter(({ warehouse_code }) => requested.has(warehouse_code))
  if (allowed.length === 0) {
    throw new Refusal('not_found', `There is no warehouse ${request.warehouse_codes.slice(0, 5).join(', ')}.`)
  }
  const { warehouse_codes } = journey
  const serving = allowed.filter(
    ({ warehouse_code, status }) =>
      status === 'active' && (warehouse_codes === null || warehouse_codes.includes(warehouse_code)),
  )
  if (serving.length > 0) return serving
  const names = allowed.map(({ warehouse_code }) => warehouse_code).join(', ')
  throw new Refusal('invalid_field', `The shipping method does not leave from ${names}.`)
}
