import {
  type ErpAddress,
  type ErpResult,
  type ErpShippingMethod,
  type Input,
  type Output,
  ok,
  rejected,
} from '@trade-gateway/connector'
import { sandboxCustomers } from './seed.ts'
import type { Store } from './store.ts'

export function readSellable(store: Store, input: Input<'sellable'>): ErpResult<Output<'sellable'>> {
  const customer = findCustomer(store, input.customer_code)
  if (!customer) return refuseUnknownCustomer(input.customer_code)
  const rows = store.all('select sku from sellable where customer_code = ? order by sku', input.customer_code)
  const rule = customer.sellable_rule === 'only' ? 'only' : 'all_but'
  return ok({ rule, skus: rows.map((row) => String(row.sku)) })
}

export function readAddresses(store: Store, input: Input<'addresses'>): ErpResult<Output<'addresses'>> {
  if (!findCustomer(store, input.customer_code)) return refuseUnknownCustomer(input.customer_code)
  const rows = store.all(
    'select body from addresses where customer_code = ? order by address_id',
    input.customer_code,
  )
  return ok({ addresses: rows.map((row): ErpAddress => JSON.parse(String(row.body))) })
}

export function readShippingMethods(store: Store): ErpResult<Output<'shipping_methods'>> {
  const rows = store.all('select body from shipping_methods order by shipping_method_id')
  return ok({ shipping_methods: rows.map((row): ErpShippingMethod => JSON.parse(String(row.body))) })
}

/** Returns the default shipping method and address of a customer; empty if the customer has not set them. */
export function findPreferences(store: Store, code: string): Pick<Output<'sign_in'>, 'preferences'> {
  const isSet = sandboxCustomers.some((each) => each.customer_code === code && each.has_preferences)
  if (!isSet) return {}
  const method = store
    .all('select body from shipping_methods order by shipping_method_id')
    .map((row): ErpShippingMethod => JSON.parse(String(row.body)))
    .find(({ is_default }) => is_default)
  const address = store
    .all('select body from addresses where customer_code = ? order by address_id', code)
    .map((row): ErpAddress => JSON.parse(String(row.body)))
    .find(({ is_default }) => is_default)
  if (!method) return {}
  const { shipping_method_id } = method
  return { preferences: { shipping_method_id, address_id: address?.address_id ?? null } }
}

function findCustomer(store: Store, code: string) {
  return store.one('select sellable_rule from customers where customer_code = ?', code)
}

function refuseUnknownCustomer(code: string): ErpResult<never> {
  return rejected('not_found', `There is no customer ${code}.`)
}
