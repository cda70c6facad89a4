import { expect, it } from 'vitest'
import { toQuoteResult } from './quote-result.ts'

type Args = Parameters<typeof toQuoteResult>

it('a quote adds up incoming stock of one date, and names each date once', () => {
  const incoming = [
    { quantity: 2, earliest_date: '2026-12-01', latest_date: '2026-12-03' },
    { quantity: 5, earliest_date: '2026-12-01', latest_date: '2026-12-08' },
    { quantity: 1, earliest_date: '2026-12-09', latest_date: '2026-12-09' },
  ]
  const line = { sku: 'A-1', quantity: 9, quantity_allocated: 1, quantity_short: 8, incoming }
  const preview = {
    fulfillable: false,
    lines: [line],
    costs: { total: 0, freight: 0 },
    currency: 'AUD',
    unfulfillable_reasons: ['insufficient_stock', 'destination_not_served'],
    hold: null,
    price_expires_at: '2026-11-30T00:00:00Z',
  }
  const { alternatives, blockers } = toQuoteResult(
    { call: { language: 'en' } } as Args[0],
    preview as unknown as Args[1],
    { action: 'order', id: 'ord_1' } as unknown as Args[2],
  )
  expect(alternatives).toEqual([
    { sku: 'A-1', quantity: 1 },
    { sku: 'A-1', quantity: 7, earliest_date: '2026-12-01' },
    { sku: 'A-1', quantity: 1, earliest_date: '2026-12-09' },
  ])
  expect(blockers).toMatchObject([
    { code: 'UPSTREAM_REJECTED', reason: 'insufficient_stock' },
    { code: 'UPSTREAM_REJECTED', reason: 'destination_not_served' },
  ])
})
