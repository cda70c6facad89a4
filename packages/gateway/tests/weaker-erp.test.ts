/** What the gateway does with an ERP that takes few lines in one order, or promises no price. */

import type { Erp } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, createDraft, expectData, expectError, openShop } from './trade.ts'

let house: TestGateway
let shop: Buyer
let asked = 0
const expected: (number | null)[] = []

/** The ERP promises no price. Counts the requests for orders, and records the totals that submits expect. */
function wrapWithoutPromise(erp: Erp): Erp {
  return {
    ...erp,
    async quote(input, options) {
      asked += 1
      const result = await erp.quote(input, options)
      return 'ok' in result ? { ok: { quote: { ...result.ok.quote, price_expires_at: null } } } : result
    },
    async hold(input, options) {
      asked += 1
      const result = await erp.hold(input, options)
      if (!('ok' in result)) return result
      return { ok: { ...result.ok, quote: { ...result.ok.quote, price_expires_at: null } } }
    },
    async submit(input, options) {
      asked += 1
      expected.push(input.expected_total)
      return erp.submit(input, options)
    },
  }
}

beforeAll(async () => {
  house = await openTestGateway({ styles: 30, capabilities: { max_lines: 2 }, wrapErp: wrapWithoutPromise })
  shop = openShop(house)
})
afterAll(() => house.close())

const shipping = { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' }

async function createLines(count: number) {
  const lines: { sku: string; quantity: number }[] = []
  for (let index = 0; index < count; index++) lines.push({ sku: await shop.createSku(), quantity: 1 })
  return lines
}

describe('an ERP that takes two lines in one order', () => {
  it('is not asked about longer ones', async () => {
    const before = asked
    const lines = await createLines(3)
    const refusal = { param: 'lines', reason: 'invalid_field' }
    const { order_id } = expectData(await shop.post('/orders', { lines, shipping }), 201)
    for (const path of ['allocation-preview', 'submit']) {
      const answer = await shop.post(`/orders/${order_id}/${path}`, {})
      expectError(answer, 'VALIDATION_FAILED', refusal)
      expect(answer.json.error.message).toContain('at most 2 lines')
    }
    const reservation = { warehouse_code: 'AUSYD1', lines, expires_in_seconds: 600 }
    expectError(await shop.post('/reservations', reservation), 'VALIDATION_FAILED', refusal)
    expect(asked).toBe(before)
  })

  it('takes two', async () => {
    const { order_id } = expectData(
      await shop.post('/orders', { lines: await createLines(2), shipping }),
      201,
    )
    expectData(await shop.post(`/orders/${order_id}/submit`, {}))
  })
})

describe('an ERP that promises no price', () => {
  it('shows null, and a submit expects only what its request says', async () => {
    const { order_id } = await createDraft(shop, await shop.createSku())
    const preview = expectData(await shop.post(`/orders/${order_id}/allocation-preview`, {}))
    expect(preview.price_expires_at).toBeNull()
    expectData(await shop.post(`/orders/${order_id}/submit`, {}))
    expect(expected.at(-1)).toBeNull()
  })

  it('shows null on a drop-ship preview, and a submit expects only what its request says', async () => {
    const body = buildDropship(await shop.createSku())
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    expect(preview.price_expires_at).toBeNull()
    expectData(await shop.post('/dropship-orders/submit', body))
    expect(expected.at(-1)).toBeNull()
  })
})
