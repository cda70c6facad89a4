/**
 * Stock at every hour of the business day. Tryton books on the company's day, so the company moves through the zones of the
 * world: at any moment it is each hour of the day in one of them, and another day than in UTC in some. Tests three zones;
 * TEST_TRYTON_ZONES=all tests each.
 */
import { unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeLive, type Live, openLive, readRow, shipOrder, stockUp, toSubmit } from './live.ts'
import { openProxy, type RecordingProxy } from './proxy.ts'

/** One zone without daylight saving for each whole hour, from UTC−11 to UTC+14. */
const zones = [
  ...['Pacific/Pago_Pago', 'Pacific/Honolulu', 'Pacific/Gambier', 'Pacific/Pitcairn', 'America/Phoenix'],
  ...['America/Costa_Rica', 'America/Panama', 'America/Puerto_Rico', 'America/Argentina/Buenos_Aires'],
  ...['America/Noronha', 'Atlantic/Cape_Verde', 'UTC', 'Africa/Lagos', 'Africa/Johannesburg'],
  ...['Africa/Nairobi', 'Asia/Dubai', 'Asia/Karachi', 'Asia/Dhaka', 'Asia/Bangkok', 'Asia/Shanghai'],
  ...['Asia/Tokyo', 'Australia/Brisbane', 'Pacific/Guadalcanal', 'Pacific/Tarawa', 'Pacific/Tongatapu'],
  'Pacific/Kiritimati',
]
const isWhole = process.env.TEST_TRYTON_ZONES === 'all'
/** The first and the last zone: in one of them it is another day than in UTC, whatever the time. */
const chosen = isWhole ? zones : ['Pacific/Pago_Pago', 'Asia/Shanghai', 'Pacific/Kiritimati']
/** The warehouses in Sydney and in Shanghai. */
const codes = ['AUSYD1', 'CHNZJ1']
const firstSku = 24

describeLive('Stock on the company’s own day', () => {
  let proxy: RecordingProxy
  let live: Live

  beforeAll(async () => {
    proxy = await openProxy(process.env.TEST_TRYTON_URL ?? '')
    live = await openLive({ url: proxy.url })
    if (!isWhole)
      process.stdout.write(`left out: ${zones.length - chosen.length} zones (TEST_TRYTON_ZONES=all)\n`)
  })
  afterAll(async () => {
    await setZone('Australia/Sydney')
    await proxy.close()
  })

  const setZone = (timezone: string) =>
    live.staff.write('company.company', [live.connector.places.company], { timezone })

  it.each(chosen)('is without what was shipped, in %s', async (zone) => {
    await setZone(zone)
    for (const [index, code] of codes.entries()) {
      const sku = await stockUp(live, firstSku + index, 40, code)
      const input = toSubmit(live, sku, 5, { warehouse_codes: [code] })
      unwrap(await live.erp.submit(input))
      expect(await readRow(live, sku, code)).toMatchObject({ quantity_on_hand: 40, quantity_available: 35 })
      await shipOrder(live, input.reference)
      expect(await readRow(live, sku, code)).toMatchObject({ quantity_on_hand: 35, quantity_available: 35 })
    }
  })

  it('is read without a day', () => {
    expect(proxy.seen.filter(({ body }) => body.includes('stock_date_end'))).toEqual([])
  })
})
