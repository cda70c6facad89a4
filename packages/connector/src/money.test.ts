import * as currencies from 'dinero.js/currencies'
import { describe, expect, it } from 'vitest'
import { amountOf, currency, minorUnits } from './money.ts'
import { operations } from './operations.ts'

describe('the minor units of a currency', () => {
  it('are those of ISO 4217', () => {
    // Computes the decimals of a currency. MGA and MRU are divided into fifths, for which ISO 4217 lists two decimals.
    const decimals = ({ base, exponent }: (typeof currencies)[keyof typeof currencies]) =>
      base === 5 ? 2 : exponent
    for (const listed of Object.values(currencies))
      expect(minorUnits(listed.code), listed.code).toBe(10 ** decimals(listed))
  })

  it.each([
    ['AUD', 100],
    ['CNY', 100],
    ['IDR', 100],
    ['HUF', 100],
    ['MGA', 100],
    ['HRK', 100],
    ['KRW', 1],
    ['JPY', 1],
    ['VND', 1],
    ['CLP', 1],
    ['ISK', 1],
    ['XAF', 1],
    ['KWD', 1000],
  ])('%s has %d', (code, units) => {
    expect(minorUnits(code)).toBe(units)
    expect(amountOf(1250, code)).toBe(1250 / units)
  })
})

describe('the currency of an ERP', () => {
  it.each(['AUD', 'KRW', 'VND', 'HUF', 'HRK'])('may be %s', (code) => {
    expect(currency.safeParse(code).success).toBe(true)
  })

  it.each(['KWD', 'BHD', 'TND', 'CLF'])('may not be %s, whose amounts the public API would round', (code) => {
    expect(currency.safeParse(code).error?.issues[0]?.message).toMatch(
      new RegExp(`^${code} has [34] decimals; amounts have at most 2$`),
    )
    const balances = { balances: [{ currency: code, balance: 1, updated_at: '2026-11-21T00:00:00.000Z' }] }
    expect(operations.balances.output.safeParse(balances).success).toBe(false)
  })
})
