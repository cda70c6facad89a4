import { describe, expect, it } from 'vitest'
import {
  formatHoldText,
  formatOrdered,
  formatSaleText,
  parseHoldText,
  parseOrdered,
  parseSaleText,
} from './references.ts'

const hold = {
  reference: 'h-1',
  orderType: 'dropship',
  expiresAt: '2026-11-23T10:00:00.000Z',
  costs: [18_300, 990, 1929, 21_219],
  carrier: 2,
  replaces: undefined,
  mark: undefined,
} as const

describe('What the connector writes into Tryton', () => {
  it.each([hold, { ...hold, replaces: 'h-0' }, { ...hold, mark: 'consumed' as const, replaces: 'released' }])(
    'is read back from a hold: %j',
    (text) => {
      expect(parseHoldText(formatHoldText(text))).toEqual(text)
    },
  )

  it.each(['h-1', 'h-1 dropship', 'cover h-1', 'Delivery of Monday', `${formatHoldText(hold)} eaten`])(
    'is not found in other texts: %s',
    (text) => {
      expect(parseHoldText(text)).toBeUndefined()
    },
  )

  it('is read back from a sale and from a short line', () => {
    expect(parseSaleText(formatSaleText('h-1'))).toBe('h-1')
    expect(parseSaleText(formatSaleText(null))).toBeNull()
    expect(parseOrdered(formatOrdered('A of B', 'STYLE', 7))).toEqual({
      sku: 'A of B',
      productCode: 'STYLE',
      quantity: 7,
    })
  })
})
