import { describe, expect, it } from 'vitest'
import { findTargets } from './targets.ts'

const id = (prefix: string) => `${prefix}_588gybh2w56wkr4dgcsek8yh0w`
const findHrefs = (text: string) => findTargets(text).map(({ href }) => href)

describe('the search', () => {
  it.each([
    [id('req'), `/requests/${id('req')}`],
    [id('evt'), `/deliveries?event_id=${id('evt')}`],
    [id('whd'), `/deliveries/${id('whd')}`],
    [id('ord'), `/orders/${id('ord')}`],
    [id('dso'), `/orders/${id('dso')}`],
    [id('hold'), `/holds?hold_id=${id('hold')}`],
    ['UPSTREAM_TIMEOUT', '/requests?code=UPSTREAM_TIMEOUT'],
    ['INTERNAL', '/requests?code=INTERNAL'],
  ])('leads from %s to one page', (text, href) => {
    expect(findHrefs(`  ${text} `)).toEqual([href])
  })

  it('offers for other words what they may mean: a request, a channel, an order, a SKU', () => {
    expect(findHrefs('shop-77001')).toEqual([
      '/requests/shop-77001',
      '/channels/shop-77001',
      '/requests?channel_code=shop-77001&failed=true',
      '/orders?client_order_number=shop-77001',
      '/stock?sku=shop-77001',
      '/holds?sku=shop-77001',
    ])
  })

  it('offers an order first for a word in capitals', () => {
    expect(findHrefs('WEB-77')).toEqual([
      '/orders?client_order_number=WEB-77',
      '/stock?sku=WEB-77',
      '/holds?sku=WEB-77',
      '/channels/WEB-77',
      '/requests?channel_code=WEB-77&failed=true',
    ])
  })

  it('does not build a path from text that is no id', () => {
    expect(findHrefs('a/../b')).toEqual([
      '/orders?client_order_number=a%2F..%2Fb',
      '/stock?sku=a%2F..%2Fb',
      '/holds?sku=a%2F..%2Fb',
    ])
    expect(findHrefs('')).toEqual([])
    expect(findHrefs('x'.repeat(129))).toEqual([])
  })
})
