import { type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createDropshipFields,
  createQuoteInput,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

async function quoteLines(lines: Readonly<Record<string, number>>, more: Partial<Input<'quote'>> = {}) {
  return unwrap(await erp.erp.quote(createQuoteInput(erp, lines, more))).quote
}

async function quoteForReason(lines: Readonly<Record<string, number>>, more: Partial<Input<'quote'>> = {}) {
  const answer = await erp.erp.quote(createQuoteInput(erp, lines, more))
  return 'rejected' in answer ? answer.rejected.reason : 'ok'
}

describe('a quote', () => {
  it('returns allocations, costs and arrival dates, and holds no stock', async () => {
    const before = readStock(erp, plentiful)
    const quote = await quoteLines({ [plentiful]: 10, 'SBX-LAST-1': 2 })
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
      // 1200 for the method and 150 for each of 2 kilograms (rounded up); 10 % tax on 13,500.
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
    expect(readStock(erp, plentiful)).toEqual(before)
  })

  it('follows the account: its warehouses in its order, its price', async () => {
    const delivery = {
      to: 'address',
      shipping_method_id: 'au-standard',
      address_id: 'ADDR-LANTERN-SYD',
    } as const
    const session = erp.sessions[1]
    const { lines } = await quoteLines(
      { [plentiful]: 1 },
      { session, customer_code: 'CUST-LANTERN', delivery },
    )
    expect(lines[0]).toMatchObject({
      unit_price: 950,
      allocations: [{ warehouse_code: 'AUSYD2', quantity: 1 }],
    })
  })

  it('is of one currency: the one that covers more, the preferred one of equals', async () => {
    const { currency } = await quoteLines({ [plentiful]: 1 }, createDropshipFields())
    expect(currency).toBe('AUD')
    erp.store.run("update stock set on_hand = 0 where sku = 'SBX-LAST-1' and warehouse_code like 'AUSYD%'")
    const other = await quoteLines({ 'SBX-LAST-1': 1 }, createDropshipFields('normal', 'CN'))
    expect(other).toMatchObject({ currency: 'CNY', lines: [{ unit_price: 4700, quantity_allocated: 1 }] })
    expect(other.costs.tax).toBe(
      Math.round(0.13 * (other.costs.goods + other.costs.freight + other.costs.handling)),
    )
    const mixed = await quoteLines({ 'SBX-LAST-1': 1, [plentiful]: 3 }, createDropshipFields())
    expect(mixed.currency).toBe('CNY')
    const short = await quoteLines({ 'SBX-LAST-1': 1 })
    expect(short.lines[0]?.short_reasons).toEqual(['insufficient_stock'])
  })

  it('names why a line is short and what is under way', async () => {
    const quote = await quoteLines({ 'SBX-SHORT-3': 7 })
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
    expect((await quoteLines({ 'SBX-SHORT-3': 1 })).lines[0]?.short_reasons).toEqual(['discontinued'])
  })

  it('charges with allow_partial what is allocated, else all', async () => {
    const partial = await quoteLines({ 'SBX-SHORT-3': 7 }, { allow_partial: true })
    expect(partial.costs.goods).toBe(6000)
    expect((await quoteLines({ 'SBX-SHORT-3': 7 })).costs.goods).toBe(7000)
    const nothing = await quoteLines({ 'SBX-OOS': 7 }, { allow_partial: true })
    expect(nothing.costs).toEqual({ goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 })
  })

  it('sends a drop-ship order from one warehouse only', async () => {
    const quote = await quoteLines({ 'SBX-LAST-1': 2 }, createDropshipFields())
    expect(quote.lines[0]).toMatchObject({ quantity_allocated: 1 })
    expect(quote.lines[0]?.allocations).toEqual([{ warehouse_code: 'AUSYD1', quantity: 1 }])
    expect(quote.costs.handling).toBe(200)
  })

  it('allocates from the named warehouses only', async () => {
    const { lines } = await quoteLines({ 'SBX-LAST-1': 2 }, { warehouse_codes: ['AUSYD2'] })
    expect(lines[0]?.allocations).toEqual([{ warehouse_code: 'AUSYD2', quantity: 1 }])
  })

  it('gives 2 % on wholesale goods from 5,000.00', async () => {
    expect((await quoteLines({ [plentiful]: 499 })).costs.discount).toBe(0)
    const { costs } = await quoteLines({ [plentiful]: 500 })
    expect(costs.discount).toBe(10_000)
    expect(costs.total).toBe(costs.goods + costs.freight + costs.handling + costs.tax - costs.discount)
  })

  it('costs more and arrives sooner by express, and costs more and arrives later abroad', async () => {
    const quoteDelivery = async (service: 'normal' | 'express', country: string) => {
      const { costs, arrival } = await quoteLines({ [plentiful]: 1 }, createDropshipFields(service, country))
      return [costs.freight, arrival.earliest_arrival_date, arrival.latest_arrival_date]
    }
    expect(await quoteDelivery('normal', 'AU')).toEqual([1050, '2026-11-23', '2026-11-27'])
    expect(await quoteDelivery('express', 'AU')).toEqual([2250, '2026-11-22', '2026-11-24'])
    expect(await quoteDelivery('normal', 'KR')).toEqual([3150, '2026-11-27', '2026-12-04'])
    expect(await quoteDelivery('express', 'KR')).toEqual([6750, '2026-11-24', '2026-11-28'])
  })

  it('reports other obstacles: the balance, the destination', async () => {
    const delivery = { to: 'address', shipping_method_id: 'au-pickup', address_id: null } as const
    const poor = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      delivery,
      payment_method: 'balance',
    } as const
    expect((await quoteLines({ [plentiful]: 19 }, poor)).unfulfillable_reasons).toEqual([])
    expect((await quoteLines({ [plentiful]: 20 }, poor)).unfulfillable_reasons).toEqual([
      'insufficient_balance',
    ])
    const nowhere = await quoteLines({ [plentiful]: 1 }, createDropshipFields('normal', 'AQ'))
    expect(nowhere.unfulfillable_reasons).toEqual(['destination_not_served'])
  })

  it('is refused for what is not there or does not fit', async () => {
    const deliverTo = (shipping_method_id: string, address_id: string | null) =>
      ({ delivery: { to: 'address', shipping_method_id, address_id } }) as const
    const one = { [plentiful]: 1 }
    expect(await quoteForReason({ NOPE: 1 })).toBe('not_found')
    expect(await quoteForReason({ 'SBX-BLOCKED': 1 })).toBe('sku_blocked')
    expect(await quoteForReason(one, { session: 'unknown' })).toBe('session_expired')
    expect(await quoteForReason(one, { customer_code: 'CUST-LANTERN' })).toBe('not_found')
    expect(await quoteForReason(one, deliverTo('au-standard', 'ADDR-LANTERN-SYD'))).toBe('not_found')
    expect(await quoteForReason(one, deliverTo('nope', 'ADDR-HARBOUR-SYD'))).toBe('not_found')
    expect(await quoteForReason(one, deliverTo('au-standard', null))).toBe('invalid_field')
    expect(
      await quoteForReason(one, {
        ...deliverTo('cn-express', 'ADDR-HARBOUR-SYD'),
        warehouse_codes: ['AUSYD1'],
      }),
    ).toBe('invalid_field')
    expect(await quoteForReason(one, { warehouse_codes: ['NOWHERE'] })).toBe('not_found')
    expect(await quoteForReason(one, { delivery: null })).toBe('invalid_field')
    erp.advance(13 * 60 * 60_000)
    expect(await quoteForReason(one)).toBe('session_expired')
  })

  it('refuses amounts that cannot be exact', async () => {
    erp.store.run('update stock set price_wholesale = ? where sku = ?', Number.MAX_SAFE_INTEGER, plentiful)
    expect(await quoteForReason({ [plentiful]: 999_999_999 })).toBe('invalid_field')
  })
})
