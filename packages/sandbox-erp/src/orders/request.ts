import type { ErpWarehouse, Input } from '@trade-gateway/connector'
import { accountOf, type SignedIn } from '../accounts.ts'
import { type Desk, Refusal } from './desk.ts'
import { type Good, goodsOf } from './goods.ts'
import { type Journey, journeyOf } from './journey.ts'

/** What quote, hold and submit have in common. */
export type Request = Omit<Input<'quote'>, 'allow_partial' | 'hold_reference'>

/** A request as the ERP understands it. */
export interface Understood {
  readonly request: Request
  readonly account: SignedIn
  /** The warehouses that may be used, the most preferred first. */
  readonly warehouses: readonly ErpWarehouse[]
  readonly goods: ReadonlyMap<string, Good>
  readonly journey: Journey
}

/**
 * Understands a request. Throws a `Refusal`: `session_expired`; `not_found` for a customer that is not the account's
 * and for unknown SKUs, methods, addresses and warehouses; `sku_blocked`; `invalid_field` for what does not fit together.
 */
export function understand(desk: Desk, request: Request): Understood {
  const { store, clock } = desk
  const account = accountOf(store, clock, request.session)
  if (!account) throw new Refusal('session_expired', 'The session is unknown or over: sign in again.')
  const { customer_code } = account
  if (customer_code !== request.customer_code) {
    throw new Refusal('not_found', `The account has no customer ${request.customer_code}.`)
  }
  const skus = request.lines.map(({ sku }) => sku)
  const twice = skus.find((sku, index) => skus.indexOf(sku) !== index)
  if (twice !== undefined) throw new Refusal('invalid_field', `${twice} stands on two lines.`)
  refuseMixture(request)
  const journey = journeyOf(store, customer_code, request.delivery)
  const all = warehousesOf(store)
  const goods = goodsOf(
    store,
    customer_code,
    skus,
    all.map(({ warehouse_code }) => warehouse_code),
  )
  const warehouses = usable(request, journey, preferred(all, account.rank))
  return { request, account, warehouses, goods, journey }
}

/** The warehouses of the ERP in order of their codes. */
export function warehousesOf(store: Desk['store']): ErpWarehouse[] {
  return store.all('select * from warehouses order by warehouse_code').map((row) => ({
    warehouse_code: String(row.warehouse_code),
    name: String(row.name),
    country_code: String(row.country_code),
    timezone: String(row.timezone),
    currency: String(row.currency),
    status: row.status === 'closed' ? 'closed' : 'active',
  }))
}

function refuseMixture({ order_type, delivery }: Request) {
  const wanted = { wholesale: 'address', dropship: 'recipient', reservation: undefined }[order_type]
  if (delivery?.to === wanted) return
  const sentence = wanted === undefined ? 'has no delivery' : `is delivered to: "${wanted}"`
  throw new Refusal('invalid_field', `A ${order_type} order ${sentence}.`)
}

/**
 * The allocation rule of an account: odd ones take the warehouses of each country in order of their codes, even ones
 * the other way round. The country of the first warehouse comes first.
 */
function preferred(warehouses: readonly ErpWarehouse[], rank: number): ErpWarehouse[] {
  const countries = Map.groupBy(warehouses, ({ country_code }) => country_code)
  return [...countries.values()].flatMap((inCountry) => (rank % 2 === 1 ? inCountry : inCountry.toReversed()))
}

function usable(request: Request, journey: Journey, inOrder: readonly ErpWarehouse[]): ErpWarehouse[] {
  const named = new Set(request.warehouse_codes)
  const allowed = inOrder.filter(({ warehouse_code }) => named.has(warehouse_code))
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
