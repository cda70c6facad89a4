import { describe, expect, it } from 'vitest'
import { type MedusaShippingOption, toShippingOption } from './shipping.ts'

type Prices = NonNullable<MedusaShippingOption['prices']>
type Rules = Prices[number]['price_rules']

const warehouse = {
  code: 'W1',
  name: 'Warehouse 1',
  locationId: 'sloc_1',
  channelId: 'sc_1',
  countryCode: 'AU',
  timezone: 'Australia/Sydney',
}
const places = { regionId: 'reg_1', currency: 'AUD', warehouses: [warehouse] }
const carriers = [{ code: 'standard', kind: 'delivery' as const, days: [1, 2] as [number, number] }]
const is = (attribute: string, value: unknown): Rules[number] => ({ attribute, operator: 'eq', value })
const price = (amount: number, ...price_rules: Rules) => ({ amount, currency_code: 'aud', price_rules })
const read = (more: Partial<MedusaShippingOption>) =>
  toShippingOption(
    {
      id: 'so_1',
      name: 'Standard freight',
      type: { code: 'standard' },
      rules: [],
      service_zone: { fulfillment_set: { location: { id: 'sloc_1' } }, geo_zones: [] },
      prices: [price(12)],
      ...more,
    },
    { carriers },
    places,
  )

describe('a shipping option', () => {
  it.each<[string, Rules]>([
    ['without rules', []],
    ['with the rules of a shop', [is('enabled_in_store', 'true'), is('is_return', 'false')]],
  ])('%s counts', (_name, rules) => {
    expect(read({ rules })).toMatchObject([{ id: 'so_1', price: 1200 }])
  })

  it.each<[string, Rules]>([
    ['for returns', [is('is_return', 'true')]],
    ['that shops do not show', [is('enabled_in_store', 'false')]],
    ['with a rule of the shop’s own', [is('customer_tier', 'gold')]],
    ['with another operator', [{ attribute: 'is_return', operator: 'ne', value: 'false' }]],
  ])('%s does not count', (_name, rules) => {
    expect(read({ rules })).toEqual([])
  })

  const ofLargeOrders = price(0, { attribute: 'item_total', operator: 'gte', value: '500' })
  it.each<[string, Prices, number]>([
    ['the price without rules, wherever it stands', [ofLargeOrders, price(12)], 1200],
    [
      'the price of the region before that of the currency',
      [price(12), price(9, is('region_id', 'reg_1'))],
      900,
    ],
    ['no price of another region', [price(9, is('region_id', 'reg_2')), price(12)], 1200],
    ['no price of a price list', [{ ...price(5), price_list_id: 'plist_1' }, price(12)], 1200],
    ['no price of a quantity', [{ ...price(5), min_quantity: 10 }, price(12)], 1200],
    ['no price of another currency', [{ ...price(5), currency_code: 'nzd' }, price(12)], 1200],
  ])('has %s', (_name, prices, expected) => {
    expect(read({ prices })).toMatchObject([{ price: expected }])
  })

  it('of which every price has a condition does not count', () => {
    expect(read({ prices: [ofLargeOrders] })).toEqual([])
  })
})
