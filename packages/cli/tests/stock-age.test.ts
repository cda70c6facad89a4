import { expect, it } from 'vitest'
import { openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

const row = {
  sku: 'A-1',
  product_code: 'A',
  warehouse_code: 'AUSYD1',
  quantity_on_hand: 1,
  quantity_available: 1,
  price_wholesale: 2.5,
  price_retail: 5,
  currency: 'AUD',
  version: 7,
  updated_at: '2026-11-21T00:00:00.000Z',
  incoming: [],
}

it.each([
  ['120', false],
  ['121', true],
])(
  'warns of stock that the gateway has not compared with the ERP for %s seconds: %s',
  async (age, isTold) => {
    const gateway = await openFakeGateway(
      ({ path }) =>
        path.endsWith('/changes')
          ? { data: [], needs_full_sync: false, since: 7, version: 7, latest: 7, has_more: false }
          : { data: [row], has_more: false, next_cursor: null, version: 7 },
      { 'x-stock-age': age },
    )
    for (const command of [
      ['stock', 'get', 'A-1', '--warehouse', 'AUSYD1'],
      ['stock', 'pull', 'AUSYD1'],
    ]) {
      const { code, out, err } = await runInProcess(command, { env: gateway.env })
      expect(code, err).toBe(0)
      expect(out).toContain('A-1')
      expect(err.includes(`the stock of AUSYD1 is ${age} s old`)).toBe(isTold)
    }
    await gateway.close()
  },
)
