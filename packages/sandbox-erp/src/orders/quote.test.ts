import { accepted, type Input } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestErp, plentiful, quoteInput, stockOf, type TestErp, toConsumer } from './test-erp.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

async function quoted(lines: Readonly<Record<string, number>>, more: Partial<Input<'quote'>> = {}) {
  return accepted(await erp.erp.quote(quoteInput(erp, lines, more))).quote
}

async function refusal(lines: Readonly<Record<string, number>>, more: Partial<Input<'quote'>> = {}) {
  const answer = await erp.erp.quote(quoteInput(erp, lines, more))
  return 'rejected' in answer ? answer.rejected.reason : 'ok'
}

describe('a quote', () => {
  it('says what is allocated from where, what it costs and when it arrives, and holds nothing', async () => {
    const before = stockOf(erp, plentiful)
    const quote = await quoted({ [plentiful]: 10, 'SBX-LAST-1': 2 })
    expect(quote).toEqual({
      fulfillable: true,
      lines: [
        {
          sku: plentiful,
          product_code: 'TEST',
          quantity: 10,
          quantity_allocated: 10,
          short_reasons: [],
          allocations: [{ warehouse_code: 'AUSYD1', quantity: 10 }],
          incoming: [],
          unit_price: 1000,
          line_total: 10_000,
        },
        {
          sku: 'SBX-LAST-1',
          product_code: 'SBX',
          quantity: 2,
          quantity_allocated: 2,
          short_reasons: [],
          allocations: [
            { warehouse_code: 'AUSYD1', quantity: 1 },
            { warehouse_code: 'AUSYD2', quantity: 1 },
          ],
          incoming: [],
          unit_price: 1000,
          line_total: 2000,
        },
      ],
      // 1200 for the method and 2 started kilograms at 150; 10 % of 13,500.
      costs: { goods: 12_000, freight: 1500, handling: 0, tax: 1350, discount: 0, total: 14_850 },
      currency: 'AUD',
      arrival: {
        earliest_ship_date: '2026-11-21',
        latest_ship_date: '2026-11-22',
        earliest_arrival_date: '2026-11-23',
        latest_arrival_date: '2026-11-27',
      },
      unfulfillable_reasons: [],
      price_expires_at: '2026-11-21T12:15:00.000Z',
    })
    expect(stockOf(erp, plentiful)).toEqual(before)
  })

  it('follows the account: its warehouses in its order, its price', async () => {
    const delivery = {
      to: 'address',
      shipping_method_id: 'au-standard',
      address_id: 'ADDR-LANTERN-SYD',
    } as const
    const session = erp.sessions[1]
    const { lines } = await quoted({ [plentiful]: 1 }, { session, customer_code: 'CUST-LANTERN', delivery })
    expect(lines[0]).toMatchObject({
      unit_price: 950,
      allocations: [{ warehouse_code: 'AUSYD2', quantity: 1 }],
    })
  })

  it('is of one currency: the one that covers more, the preferred one of equals', async () => {
    const { currency } = await quoted({ [plentiful]: 1 }, toConsumer())
    expect(currency).toBe('AUD')
    erp.store.run("update stock set on_hand = 0 where sku = 'SBX-LAST-1' and warehouse_code like 'AUSYD%'")
    const other = await quoted({ 'SBX-LAST-1': 1 }, toConsumer('normal', 'CN'))
    expect(other).toMatchObject({ currency: 'CNY', lines: [{ unit_price: 4700, quantity_allocated: 1 }] })
    expect(other.costs.tax).toBe(
      Math.round(0.13 * (other.costs.goods + other.costs.freight + other.costs.handling)),
    )
    const mixed = await quoted({ 'SBX-LAST-1': 1, [plentiful]: 3 }, toConsumer())
    expect(mixed.currency).toBe('CNY')
    const short = await quoted({ 'SBX-LAST-1': 1 })
    expect(short.lines[0]?.short_reasons).toEqual(['insufficient_stock'])
  })

  it('names why a line is short and what is under way', async () => {
    const quote = await quoted({ 'SBX-SHORT-3': 7 })
    expect(quote.fulfillable).toBe(false)
    expect(quote.unfulfillable_reasons).toEqual(['insufficient_stock'])
    expect(quote.lines[0]).toMatchObject({
      quantity_allocated: 6,
      short_reasons: ['insufficient_stock'],
      line_total: 7000,
    })
    expect(quote.lines[0]?.incoming).toHaveLength(2)
    expect(quote.arrival.latest_ship_date).toBe(quote.lines[0]?.incoming[0]?.latest_date)
    erp.store.run("update stock set withdrawn = 1 where sku = 'SBX-SHORT-3'")
    expect((await quoted({ 'SBX-SHORT-3': 1 })).lines[0]?.short_reasons).toEqual(['discontinued'])
  })

  it('charges with allow_partial what is allocated, else all', async () => {
    const partial = await quoted({ 'SBX-SHORT-3': 7 }, { allow_partial: true })
    expect(partial.costs.goods).toBe(6000)
    expect((await quoted({ 'SBX-SHORT-3': 7 })).costs.goods).toBe(7000)
    const nothing = await quoted({ 'SBX-OOS': 7 }, { allow_partial: true })
    expect(nothing.costs).toEqual({ goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 })
  })

  it('sends a drop-ship order from one warehouse only', async () => {
    const quote = await quoted({ 'SBX-LAST-1': 2 }, toConsumer())
    expect(quote.lines[0]).toMatchObject({ quantity_allocated: 1 })
    expect(quote.lines[0]?.allocations).toEqual([{ warehouse_code: 'AUSYD1', quantity: 1 }])
    expect(quote.costs.handling).toBe(200)
  })

  it('allocates from the named warehouses only', async () => {
    const { lines } = await quoted({ 'SBX-LAST-1': 2 }, { warehouse_codes: ['AUSYD2'] })
    expect(lines[0]?.allocations).toEqual([{ warehouse_code: 'AUSYD2', quantity: 1 }])
  })

  it('gives 2 % on wholesale goods from 5,000.00', async () => {
    expect((await quoted({ [plentiful]: 499 })).costs.discount).toBe(0)
    const { costs } = await quoted({ [plentiful]: 500 })
    expect(costs.discount).toBe(10_000)
    expect(costs.total).toBe(costs.goods + costs.freight + costs.handling + costs.tax - costs.discount)
  })

  it('costs more and arrives sooner by express, and costs more and arrives later abroad', async () => {
    const of = async (service: 'normal' | 'express', country: string) => {
      const { costs, arrival } = await quoted({ [plentiful]: 1 }, toConsumer(service, country))
      return [costs.freight, arrival.earliest_arrival_date, arrival.latest_arrival_date]
    }
    expect(await of('normal', 'AU')).toEqual([1050, '2026-11-23', '2026-11-27'])
    expect(await of('express', 'AU')).toEqual([2250, '2026-11-22', '2026-11-24'])
    expect(await of('normal', 'KR')).toEqual([3150, '2026-11-27', '2026-12-04'])
    expect(await of('express', 'KR')).toEqual([6750, '2026-11-24', '2026-11-28'])
  })

  it('says what else stands in the way: the balance, the destination', async () => {
    const delivery = { to: 'address', shipping_method_id: 'au-pickup', address_id: null } as const
    const poor = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      delivery,
      payment_method: 'balance',
    } as const
    expect((await quoted({ [plentiful]: 19 }, poor)).unfulfillable_reasons).toEqual([])
    expect((await quoted({ [plentiful]: 20 }, poor)).unfulfillable_reasons).toEqual(['insufficient_balance'])
    const nowhere = await quoted({ [plentiful]: 1 }, toConsumer('normal', 'AQ'))
    expect(nowhere.unfulfillable_reasons).toEqual(['destination_not_served'])
  })

  it('is refused for what is not there or does not fit', async () => {
    const by = (shipping_method_id: string, address_id: string | null) =>
      ({ delivery: { to: 'address', shipping_method_id, address_id } }) as const
    const one = { [plentiful]: 1 }
    expect(await refusal({ NOPE: 1 })).toBe('not_found')
    expect(await refusal({ 'SBX-BLOCKED': 1 })).toBe('sku_blocked')
    expect(await refusal(one, { session: 'unknown' })).toBe('session_expired')
    expect(await refusal(one, { customer_code: 'CUST-LANTERN' })).toBe('not_found')
    expect(await refusal(one, by('au-standard', 'ADDR-LANTERN-SYD'))).toBe('not_found')
    expect(await refusal(one, by('nope', 'ADDR-HARBOUR-SYD'))).toBe('not_found')
    expect(await refusal(one, by('au-standard', null))).toBe('invalid_field')
    expect(await refusal(one, { ...by('cn-express', 'ADDR-HARBOUR-SYD'), warehouse_codes: ['AUSYD1'] })).toBe(
      'invalid_field',
    )
    expect(await refusal(one, { warehouse_codes: ['NOWHERE'] })).toBe('not_found')
    expect(await refusal(one, { delivery: null })).toBe('invalid_field')
    erp.pass(13 * 60 * 60_000)
    expect(await refusal(one)).toBe('session_expired')
  })

  it('refuses amounts that cannot be exact', async () => {
    erp.store.run('update stock set price_wholesale = ? where sku = ?', Number.MAX_SAFE_INTEGER, plentiful)
    expect(await refusal({ [plentiful]: 999_999_999 })).toBe('invalid_field')
  })
})
