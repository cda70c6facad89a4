import { describe, expect, it } from 'vitest'
import { createOffer as offer } from '../tests/offer.ts'
import { chooseOffer, findUnknownAttribute, isTier, type Offer } from './offers.ts'

const buyer = { regionId: 'reg_au', groupIds: ['cusgroup_gold', 'cusgroup_all'] }
const of = (attribute: string, ...values: string[]) => ({ attribute, values })
const gold = of('customer.groups.id', 'cusgroup_gold')
const silver = of('customer.groups.id', 'cusgroup_silver')

describe('the price of a line', () => {
  const own = [offer(10, { max: 9 }), offer(9, { min: 10, max: 49 }), offer(8, { min: 50 })]

  it.each([
    [1, 10],
    [9, 10],
    [10, 9],
    [49, 9],
    [50, 8],
    [1_000, 8],
  ])('of %d units is that of the range with this quantity: %d', (quantity, amount) => {
    expect(chooseOffer(own, quantity, buyer)?.amount).toBe(amount)
  })

  it.each<[string, readonly Offer[], number | undefined]>([
    ['the lowest of several ranges', [offer(10), offer(9, { min: 5 }), offer(9.5, { min: 2 })], 9],
    ['none, outside of all ranges', [offer(10, { max: 9 })], undefined],
    ['the one with more rules that are met', [offer(7), offer(9, { rules: [of('region_id', 'reg_au')] })], 9],
    ['none whose rule is not met', [offer(10), offer(5, { rules: [silver] })], 10],
    ['of a list that overrides, even if it is higher', [offer(10), offer(12, { list: 'override' })], 12],
    ['of a sale, if it is lower', [offer(10), offer(9, { list: 'sale' })], 9],
    ['its own, if that is lower than the sale', [offer(8), offer(9, { list: 'sale' })], 8],
    [
      'of the list with more rules',
      [offer(10), offer(6, { list: 'override' }), offer(7, { list: 'override', rules: [gold] })],
      7,
    ],
    ['of a list for its group', [offer(10), offer(7, { list: 'override', rules: [gold] })], 7],
    [
      'its own, if the list is for another group',
      [offer(10), offer(7, { list: 'override', rules: [silver] })],
      10,
    ],
    [
      'of a list for several groups',
      [offer(7, { list: 'sale', rules: [of('customer.groups.id', 'x', 'cusgroup_all')] })],
      7,
    ],
  ])('is %s', (_name, offers, amount) => {
    expect(chooseOffer(offers, 10, buyer)?.amount).toBe(amount)
  })
})

it('A price without limits, or from one unit on, is no price by quantity', () => {
  expect([offer(1), offer(1, { min: 0 }), offer(1, { min: 1 })].some(isTier)).toBe(false)
  expect([offer(1, { min: 2 }), offer(1, { max: 9 })].every(isTier)).toBe(true)
})

it('A rule about anything but the region and the groups is unknown', () => {
  const known = offer(1, { rules: [gold, of('region_id', 'reg')] })
  expect(findUnknownAttribute([known])).toBeUndefined()
  expect(findUnknownAttribute([known, offer(1, { rules: [of('toString', 'x')] })])).toBe('toString')
})
