import { describe, expect, it } from 'vitest'
import { createOffer as offer } from '../tests/offer.ts'
import type { Offer } from './offers.ts'
import { findFreightRate, type TaxRegion, toPrice, toPriceAt } from './prices.ts'

describe('a price', () => {
  it.each([
    [10.95, 12.045, { unit: 1_095, tax: 1.095 }],
    [0, 0, { unit: 0, tax: 0 }],
    [10.95, undefined, { unit: 1_095, tax: 0 }],
  ])('of %d, with tax %s', (calculated_amount, calculated_amount_with_tax, expected) => {
    const price = toPrice({ calculated_amount, calculated_amount_with_tax }, 'AUD')
    expect(price).toEqual({ unit: expected.unit, tax: expect.closeTo(expected.tax, 9) })
  })

  it('with a fraction of a cent is rounded, and its tax is that of the rounded price', () => {
    const price = toPrice({ calculated_amount: 0.1249, calculated_amount_with_tax: 0.13739 }, 'AUD')
    expect(price).toEqual({ unit: 12, tax: expect.closeTo(0.012, 9) })
  })

  it('is none if Medusa computes none', () => {
    expect(toPrice({ calculated_amount: null }, 'AUD')).toBeUndefined()
  })
})

describe('the price at a quantity', () => {
  const buyer = { regionId: 'reg', groupIds: [] }
  const one = { unit: 1_000, tax: 1 }
  const priceAt = (quantity: number, offers: readonly Offer[], ofOne = one) =>
    toPriceAt(ofOne, { offers, quantity, buyer, currency: 'AUD' })

  it.each([
    [9, { unit: 1_000, tax: 1 }],
    [10, { unit: 800, tax: 0.8 }],
  ])('of %d is that of its range, taxed at the rate of one unit', (quantity, expected) => {
    expect(priceAt(quantity, [offer(10), offer(8, { min: 10 })])).toEqual(expected)
  })

  it('is a gap where no price is for it', () => {
    expect(priceAt(10, [offer(10, { max: 9 }), offer(8, { min: 20 })])).toBe('gap')
  })

  it('is a gap where one unit costs nothing, so that the rate of tax is unknown', () => {
    const offers = [offer(0, { max: 9 }), offer(5, { min: 10 })]
    expect(priceAt(10, offers, { unit: 0, tax: 0 })).toBe('gap')
    expect(priceAt(9, offers, { unit: 0, tax: 0 })).toEqual({ unit: 0, tax: 0 })
  })

  it('is a disagreement where Medusa takes another price for one unit, as the others may be wrong as well', () => {
    expect(priceAt(10, [offer(9), offer(8, { min: 10 })])).toBe('disagreement')
  })

  it('agrees with a Medusa that does not look at the largest quantity where it computes the price of one unit', () => {
    const offers = [offer(11), offer(10, { max: 0 }), offer(8, { min: 10 })]
    expect(priceAt(10, offers)).toEqual({ unit: 800, tax: 0.8 })
    expect(priceAt(1, offers)).toMatchObject({ unit: 1_100 })
  })
})

describe('the tax of freight', () => {
  const region = (province: string | null, rate: number, is_combinable = false): TaxRegion => ({
    parent_id: province === null ? null : 'txreg_of_country',
    province_code: province,
    tax_rates: [
      { rate: 99, is_default: false },
      { rate, is_default: true, is_combinable },
    ],
  })
  const regions = [
    region('nsw', 5),
    region(null, 10),
    region('vic', 2, true),
    { ...region('sa', 1), tax_rates: [] },
  ]

  it.each([
    ['NSW', 5],
    ['vic', 12],
    ['SA', 10],
    ['QLD', 10],
    [null, 10],
  ])('of the province %s is %d %%', (state, rate) => {
    expect(findFreightRate(regions, state)).toBe(rate)
  })

  it('is nothing in a country without a tax region', () => {
    expect(findFreightRate([], 'NSW')).toBe(0)
  })
})
