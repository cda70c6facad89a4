import { describe, expect, it } from 'vitest'
import { findFreightRate, type TaxRegion, toPrice } from './prices.ts'

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
